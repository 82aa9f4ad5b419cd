import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Round } from './chosen-tests.js';
import type { Answer, Noticed, Plan, PlannedMutant, Verdict } from './plan.js';

const LOOKS_EVERY_MS = 500;
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** Measures which test reaches which mutant. */
export async function measureCoverage(name: string, plan: Plan, signal: AbortSignal): Promise<void> {
  const child = start(name, plan);
  const stop = () => kill(child);
  signal.addEventListener('abort', stop);
  await once(child, 'exit');
  signal.removeEventListener('abort', stop);
  if (!signal.aborted && !existsSync(plan.coverageFile)) throw new Error('Vitest has measured no coverage.');
}

/**
 * Judges mutants one after the other. A process is replaced if a mutant has stopped it, or its tests no longer pass.
 */
export async function judgeMutants(
  name: string,
  plan: Omit<Plan, 'judge'>,
  mutants: readonly PlannedMutant[],
  { noticed: known, round }: { readonly noticed: readonly Noticed[]; readonly round: Round },
  signal: AbortSignal,
  told: (mutant: PlannedMutant, verdict: Verdict) => void,
): Promise<void> {
  const noticed = [...known];
  const left = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const voided = new Set<string>();
  let verdicts = 0;
  const tell = (id: string, verdict: Verdict) => {
    verdicts += 1;
    if (verdict.kind === 'void' && !voided.has(id)) {
      voided.add(id);
      return;
    }
    if (verdict.kind === 'noticed') noticed.push([left.get(id)!.file, verdict.by]);
    told(left.get(id)!, verdict.kind === 'void' ? { kind: 'survived' } : verdict);
    left.delete(id);
  };
  while (left.size > 0 && !signal.aborted) {
    const answersFile = `.mutation/${name}.answers`;
    rmSync(answersFile, { force: true });
    const child = start(name, { ...plan, judge: { mutants: [...left.values()], noticed, round, answersFile } });
    const before = verdicts;
    const stuck = await follow(child, answersFile, signal, tell);
    if (stuck !== undefined) tell(stuck, { kind: 'timeout' });
    else if (verdicts === before && !signal.aborted) throw new Error('Vitest has judged nothing.');
  }
}

/** Reads answers until the process has ended or must end. @returns the mutant that has stopped it */
async function follow(
  child: ChildProcess,
  answersFile: string,
  signal: AbortSignal,
  tell: (id: string, verdict: Verdict) => void,
): Promise<string | undefined> {
  const ended = once(child, 'exit').then(() => true);
  let read = 0;
  let current: { readonly id: string; readonly until: number } | undefined;
  for (;;) {
    const over = await Promise.race([ended, new Promise<false>((done) => setTimeout(done, LOOKS_EVERY_MS, false))]);
    const lines = existsSync(answersFile) ? readFileSync(answersFile, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines.slice(read)) {
      const answer: Answer = JSON.parse(line);
      if ('verdict' in answer) tell(answer.id, answer.verdict);
      current = 'verdict' in answer ? undefined : { id: answer.id, until: Date.now() + answer.startedFor };
    }
    read = lines.length;
    if (over) return current?.id;
    if (!signal.aborted && (current === undefined || Date.now() < current.until)) continue;
    kill(child);
    await ended;
    return signal.aborted ? undefined : current?.id;
  }
}

function start(name: string, plan: Plan): ChildProcess {
  const file = `.mutation/${name}.plan.json`;
  writeFileSync(file, JSON.stringify(plan));
  return spawn(
    process.execPath,
    [VITEST, 'run', '--config', 'vitest.mutation.config.ts', '--reporter=dot', '--silent'],
    {
      stdio: [
        'ignore',
        process.env.MUTATION_LOG ? 'inherit' : 'ignore',
        process.env.MUTATION_LOG ? 'inherit' : 'ignore',
      ],
      detached: true,
      env: { ...process.env, MUTATION_PLAN: file },
    },
  );
}

function kill(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
