// npm run simulate -- [--tasks] --seed N [--log] [--edition N] | --seeds N [--from N] [--workers N];
// npm run simulate:mutants [-- --tasks --seeds N --mutant PART-OF-ITS-NAME]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Coverage, Coverages, describeCoverage, isEnough } from './coverage.js';
import { INVARIANTS, RERUN_INVARIANTS, TASK_INVARIANTS } from './invariants/index.js';
import { MUTANTS } from './mutants/mutants.js';
import { RERUN_MUTANTS } from './mutants/rerun-mutants.js';
import { SHARING_MUTANTS } from './mutants/sharing-mutants.js';
import { TASK_MUTANTS } from './mutants/task-mutants.js';
import { report, simulate } from './simulate.js';
import { unseen } from './task-sightings.js';
import { EDITIONS, USUAL_EDITION } from './world/plan.js';

/** The result of a seed. */
interface Judged {
  readonly seed: number;
  readonly isBroken: boolean;
  readonly coverages: readonly (readonly [number, Coverage])[];
  readonly sightings: readonly (readonly [string, number])[];
}

/** Number of histories in which every sighting of tasks has to occur. */
const ENOUGH_SEEDS = 2_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    edition: { type: 'string', default: String(USUAL_EDITION) },
    workers: { type: 'string', default: '1' },
    tasks: { type: 'boolean', default: false },
    dealt: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
});
const [from, workers] = [Number(values.from), Number(values.workers)];
const numbered = EDITIONS.find((one) => one === Number(values.edition)) ?? USUAL_EDITION;
const edition = values.tasks ? 'tasks' : numbered;

if (values.mutants || values.mutant !== undefined) process.exitCode = await huntMutants(Number(values.seeds ?? 1_000));
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else if (values.dealt) process.exitCode = await runDealt();
else process.exitCode = await runAll(Number(values.seeds ?? 200));

/** Runs one history and prints it. */
async function replay(seed: number): Promise<number> {
  const simulation = await simulate(seed, undefined, edition);
  if (values.log) console.log(simulation.log.lines().join('\n'));
  console.log(`seed ${seed}: ${simulation.log.entries.length} entries, ${simulation.log.hash()}`);
  for (const [number, coverage] of simulation.coverages)
    console.log(`${nameOf(number)}: ${describeCoverage(coverage)}`);
  if (simulation.broken.length > 0) console.log(report(simulation));
  return simulation.broken.length > 0 ? 1 : 0;
}

/** Runs the seeds in several processes, each of which gets one seed after the other. */
async function runAll(seeds: number): Promise<number> {
  const failed: number[] = [];
  const sums = new Coverages();
  const below = new Map<number, number>();
  const seen = new Map<string, number>();
  let [next, done] = [from, 0];
  const work = async () => {
    const child = fork(fileURLToPath(import.meta.url), [
      '--dealt',
      ...(values.tasks ? ['--tasks'] : ['--edition', String(numbered)]),
    ]);
    const ended = once(child, 'exit');
    const deal = () => (next < from + seeds ? child.send((next += 1) - 1) : child.disconnect());
    child.on('message', ({ seed, isBroken, coverages, sightings }: Judged) => {
      if (isBroken) failed.push(seed);
      for (const [number, coverage] of coverages) {
        sums.add(number, coverage);
        if (!isEnough(coverage)) below.set(number, (below.get(number) ?? 0) + 1);
      }
      for (const [what, count] of sightings) seen.set(what, (seen.get(what) ?? 0) + count);
      progress((done += 1), seeds, failed.length);
      deal();
    });
    deal();
    await ended;
  };
  await Promise.all(Array.from({ length: workers }, work));
  console.log('\njudged of what was due:');
  for (const [number, coverage] of sums.all)
    console.log(`${nameOf(number)}: ${describeCoverage(coverage)}; ${below.get(number) ?? 0} seeds below 80 %`);
  console.log(failed.length > 0 ? `\nfailed: ${failed.join(' ')}` : '');
  // A process that has died has not reported the result of its seed.
  return failed.length > 0 || done < seeds || !tellSightings(seen, seeds) ? 1 : 0;
}

/** @returns false if a sighting is missing in so many histories */
function tellSightings(seen: ReadonlyMap<string, number>, seeds: number): boolean {
  if (!values.tasks) return true;
  console.log('what has happened to tasks:');
  for (const [what, count] of [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${what}: ${count}`);
  const missing = unseen(seen);
  if (missing.length > 0) console.log(`never happened: ${missing.join('; ')}`);
  return missing.length === 0 || seeds < ENOUGH_SEEDS;
}

/** Runs the seeds of one of these processes. */
async function runDealt(): Promise<number> {
  Error.stackTraceLimit = 0; // Every abort would make a stack trace, and none is read.
  process.on('message', (seed: number) => void judge(seed));
  await once(process, 'disconnect');
  return 0;
}

async function judge(seed: number): Promise<void> {
  const simulation = await simulate(seed, undefined, edition);
  const isBroken = simulation.broken.length > 0;
  if (isBroken) console.log(`\n${report(simulation)}`);
  process.send?.({
    seed,
    isBroken,
    coverages: simulation.coverages,
    sightings: [...simulation.sightings],
  } satisfies Judged);
}

function nameOf(number: number): string {
  const found = [...INVARIANTS, ...RERUN_INVARIANTS, ...TASK_INVARIANTS].find(
    (invariant) => invariant.number === number,
  );
  return `${number} ${found?.name ?? ''}`;
}

async function huntMutants(seeds: number): Promise<number> {
  let survivors = 0;
  const mutants = values.tasks ? TASK_MUTANTS : [...MUTANTS, ...SHARING_MUTANTS, ...RERUN_MUTANTS];
  for (const { name, mutation, foundBy } of mutants.filter((mutant) => mutant.name.includes(values.mutant ?? ''))) {
    let found: string | undefined;
    for (let seed = from; seed <= seeds && found === undefined; seed++) {
      const { broken } = await simulate(seed, mutation, edition);
      const named = broken.find(({ invariant }) => foundBy.includes(invariant.number));
      if (named) found = `seed ${seed}, invariant ${named.invariant.number}: ${named.violations[0]!.message}`;
    }
    if (found === undefined) survivors += 1;
    console.log(`without ${name}: ${found ?? `NOT FOUND in ${seeds} seeds`}`);
  }
  return survivors > 0 ? 1 : 0;
}

/** Prints a line now and then, in a log. */
function progress(done: number, seeds: number, failed: number): void {
  const { isTTY } = process.stdout;
  if (!isTTY && done % 200 !== 0 && done !== seeds) return;
  process.stdout.write(`${isTTY ? '\r' : ''}${done} of ${seeds} seeds, ${failed} failed${isTTY ? '' : '\n'}`);
}
