import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from '@test/support/zookeeper/guard.js';
import type { Suite } from '../suites.js';
import { judgeVitest } from './judge-vitest.js';

export interface Outcome {
  readonly suite: Suite;
  readonly isGreen: boolean;
  readonly seconds: number;
  /** Test files that failed first and passed by themselves. */
  readonly repeated: readonly string[];
  /** The output, if it was not printed at once. */
  readonly output: string;
}

export interface RunOptions {
  /** Root of the repository, or of a copy of it. */
  readonly cwd: string;
  /** True to keep the output, and to leave the processors to others. */
  readonly isBeside: boolean;
}

/** Variables by which a suite would be shorter, longer or another one than its row says. */
const STEERING = /^(CHAOS|CLOUD|CREATED|CRON|DATABASE|DOCS|IMPORT|INTEROP|TASK|TASKS|VERSIONS)_/;

const running = new Set<ChildProcess>();

/** Ends all suites that run, with all that they have started. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}

/** Runs a suite to its end, and ends what it has left running. */
export async function runSuite(suite: Suite, { cwd, isBeside }: RunOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const began = performance.now();
  const log = isBeside ? openSync(join(folder, 'output'), 'w') : undefined;
  const repeated: string[] = [];
  try {
    const run = (more: readonly string[] = [], env = {}) =>
      runCommand([suite.command, ...more].join(' '), { cwd, env, log });
    const isGreen = suite.vitest ? await judgeVitest(run, { cwd, folder, repeated }) : await run();
    const seconds = Math.round((performance.now() - began) / 1_000);
    const output = isBeside ? readFileSync(join(folder, 'output'), 'utf8') : '';
    return { suite, isGreen, seconds, repeated, output };
  } finally {
    if (log !== undefined) closeSync(log);
    process.off('exit', remove);
    remove();
  }
}

interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** File of the output. Without it the command has the terminal, and all of its share of the processors. */
  readonly log: number | undefined;
}

/** @returns true if the command has ended with 0 */
async function runCommand(command: string, { cwd, env: more, log }: CommandOptions): Promise<boolean> {
  const out = log ?? 'inherit';
  const bash = ['-euo', 'pipefail', '-c', command];
  const [program, args] =
    log === undefined ? (['bash', bash] as const) : (['chrt', ['--idle', '0', 'bash', ...bash]] as const);
  const inherited = Object.entries(process.env).filter(([name]) => !STEERING.test(name));
  const env = { ...Object.fromEntries(inherited), CI: 'true', ...more };
  // A group of its own, so that nothing that it starts outlives it.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', out, out] });
  // It ends with this process, even if that is killed.
  const killer = guard('kill -s KILL -- "-$1"', String(child.pid));
  running.add(child);
  try {
    const [code]: unknown[] = await once(child, 'exit');
    return code === 0;
  } finally {
    running.delete(child);
    endGroup(child);
    killer.cancel();
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
