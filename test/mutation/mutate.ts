// npm run mutate -- ROOM [FILE ...] [--minutes N] | --changed [--base COMMIT] [--minutes N] | --excluded;
// [--concurrency N]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { changedLines, lastMeasured } from './changed-lines.js';
import { instrument, type Lines } from './instrument.js';
import { hashOf, KnownVerdicts } from './known-verdicts.js';
import type { Round } from './chosen-tests.js';
import type { PlannedMutant, Verdict } from './plan.js';
import { mutableFiles, type MutatedRoom, ROOMS, specsOf } from './rooms.js';
import { Tally } from './tally.js';
import { judgeMutants, measureCoverage } from './vitest-process.js';

const MOST_EXCLUDED = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    base: { type: 'string' },
    excluded: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    concurrency: { type: 'string', default: String(availableParallelism()) },
  },
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const limitMs = values.minutes === undefined ? undefined : Number(values.minutes) * 60_000;

if (values.excluded) process.exitCode = listExcluded();
else if (values.changed) await mutateChanges(values.base);
else process.exitCode = await mutateRoom(positionals[0], positionals.slice(1));

/** All of a room, or some of its files. Fails below the wanted score. */
async function mutateRoom(name: string | undefined, files: readonly string[]): Promise<number> {
  const room = name === undefined ? undefined : ROOMS[name];
  if (name === undefined || room === undefined) {
    console.error(`Name one of the rooms ${Object.keys(ROOMS).join(', ')}, or --changed, or --excluded.`);
    return 2;
  }
  // All of the room is put behind switches in any case, so that its tests' reach is known for the next files, too.
  const all = new Map(mutableFiles(room).map((file) => [file, undefined]));
  const isChosen = ({ file }: PlannedMutant) => files.length === 0 || files.includes(file);
  const score = await mutate(name, room, all, { ms: limitMs, isChosen });
  return score < room.wanted ? 1 : 0;
}

/**
 * Lines that have changed since a commit, room by room, each with its part of the time that is left. It only reports,
 * and never fails.
 * @param base undefined for the commit where each room was measured last
 */
async function mutateChanges(base: string | undefined): Promise<void> {
  const deadline = Date.now() + (limitMs ?? Infinity);
  const changed = Object.entries(ROOMS)
    .map(([name, room]) => ({ name, room, files: changedLines(base ?? lastMeasured(name), room.folder) }))
    .filter(({ files }) => files.size > 0);
  if (changed.length === 0) console.log('Nothing has changed in these rooms.');
  for (const [index, { name, room, files }] of changed.entries()) {
    console.log(`\n${name}: ${files.size} changed files`);
    const left = (deadline - Date.now()) / (changed.length - index);
    await mutate(name, room, files, { ms: Number.isFinite(left) ? left : undefined });
  }
}

interface Limits {
  /** Time after which it is stopped. */
  readonly ms?: number | undefined;
  /** @default every mutant is judged */
  readonly isChosen?: (mutant: PlannedMutant) => boolean;
}

/** @returns the score in percent */
async function mutate(
  name: string,
  room: MutatedRoom,
  files: ReadonlyMap<string, Lines>,
  { ms, isChosen = () => true }: Limits,
): Promise<number> {
  // Not AbortSignal.timeout within AbortSignal.any, because Node 20 collects it as garbage, and it never fires.
  const ending = new AbortController();
  const over = ending.signal;
  const end = () => ending.abort();
  interrupted.signal.addEventListener('abort', end);
  if (interrupted.signal.aborted) end();
  if (ms !== undefined) setTimeout(end, Math.max(0, ms)).unref();
  mkdirSync('.mutation', { recursive: true });
  const { texts, mutants: all, excluded } = await instrument(files);
  const mutants = all.filter(isChosen);
  const specs = specsOf(room);
  const known = new KnownVerdicts(`.mutation/${name}.verdicts.json`, specs);
  const tally = new Tally(mutants.length, excluded);
  for (const mutant of mutants) {
    const verdict = known.find(mutant);
    if (verdict !== undefined) tally.add(mutant, verdict);
  }
  // In an order that does not depend on the files, so that a run that is stopped has tried a fair sample.
  const unknown = mutants
    .filter((mutant) => known.find(mutant) === undefined)
    .map((mutant) => ({ mutant, order: hashOf([JSON.stringify(mutant)]) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ mutant }) => mutant);
  const state = hashOf([...Object.values(texts), ...specs.map((spec) => readFileSync(spec, 'utf8'))]);
  const plan = { instrumented: texts, specs, coverageFile: `.mutation/${name}.${state}.coverage.json` };
  if (unknown.length > 0) {
    console.log(`${mutants.length} mutants, ${unknown.length} of them to be judged`);
    if (!existsSync(plan.coverageFile)) await measureCoverage(name, plan, over);
  }
  const judge = async (some: readonly PlannedMutant[], round: Round, told: typeof settle) => {
    const workers = Math.min(Number(values.concurrency), some.length);
    const shares = Array.from({ length: workers }, (_share, worker) =>
      some.filter((_, index) => index % workers === worker),
    );
    const lesson = { noticed: known.noticed(), round };
    await Promise.all(
      shares.map((share, worker) => judgeMutants(`${name}.${worker}`, plan, share, lesson, over, told)),
    );
  };
  const settle = (mutant: PlannedMutant, verdict: Verdict) => {
    doubtful.delete(mutant);
    known.add(mutant, verdict);
    known.save();
    tally.add(mutant, verdict);
  };
  const doubtful = new Set<PlannedMutant>();
  await judge(unknown, 'first', (mutant, verdict) =>
    verdict.kind === 'survived' ? void doubtful.add(mutant) : settle(mutant, verdict),
  );
  // Without a further test, a mutant is as it was: it has survived those before.
  await judge([...doubtful], 'again', (mutant, verdict) =>
    settle(mutant, verdict.kind === 'untested' ? { kind: 'survived' } : verdict),
  );
  for (const mutant of doubtful) tally.add(mutant, { kind: 'survived' });
  console.log(tally.summary());
  return tally.score;
}

/** Mutants that no test can notice, with their reasons. */
function listExcluded(): number {
  const folders = Object.values(ROOMS).map(({ folder }) => folder);
  const lines = gitGrep(['grep', '-n', '-E', 'Stryker disable', '--', ...folders]);
  for (const line of lines) console.log(line);
  console.log(`${lines.length} of at most ${MOST_EXCLUDED} exclusions`);
  const unfounded = lines.filter((line) => !/Stryker disable(?: next-line)? \S.*: \S/.test(line));
  for (const line of unfounded) console.error(`no reason: ${line}`);
  return lines.length > MOST_EXCLUDED || unfounded.length > 0 ? 1 : 0;
}

function gitGrep(args: readonly string[]): readonly string[] {
  try {
    return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return []; // It has nothing to run, which its exit code says.
  }
}
