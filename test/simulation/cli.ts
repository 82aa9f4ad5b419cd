// npm run simulate -- --seed N [--log] | --seeds N [--from N] [--workers N];  npm run simulate:mutants [-- --seeds N --mutant PART-OF-ITS-NAME]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants/mutants.js';
import { report, simulate } from './simulate.js';

/** What came of a seed. */
interface Judged {
  readonly seed: number;
  readonly isBroken: boolean;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    dealt: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
});
const [from, workers] = [Number(values.from), Number(values.workers)];

if (values.mutants || values.mutant !== undefined) process.exitCode = await huntMutants(Number(values.seeds ?? 1_000));
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else if (values.dealt) process.exitCode = await runDealt();
else process.exitCode = await runAll(Number(values.seeds ?? 200));

/** One history, to be looked at. */
async function replay(seed: number): Promise<number> {
  const simulation = await simulate(seed);
  if (values.log) console.log(simulation.log.lines().join('\n'));
  console.log(`seed ${seed}: ${simulation.log.entries.length} entries, ${simulation.log.hash()}`);
  if (simulation.broken.length > 0) console.log(report(simulation));
  return simulation.broken.length > 0 ? 1 : 0;
}

/** Over several processes, each of which is dealt one seed after the other. */
async function runAll(seeds: number): Promise<number> {
  const failed: number[] = [];
  let [next, done] = [from, 0];
  const work = async () => {
    const child = fork(fileURLToPath(import.meta.url), ['--dealt']);
    const ended = once(child, 'exit');
    const deal = () => (next < from + seeds ? child.send((next += 1) - 1) : child.disconnect());
    child.on('message', ({ seed, isBroken }: Judged) => {
      if (isBroken) failed.push(seed);
      progress((done += 1), seeds, failed.length);
      deal();
    });
    deal();
    await ended;
  };
  await Promise.all(Array.from({ length: workers }, work));
  console.log(failed.length > 0 ? `\nfailed: ${failed.join(' ')}` : '');
  // A process that has died has not told what became of its seed.
  return failed.length > 0 || done < seeds ? 1 : 0;
}

/** One of these processes. */
async function runDealt(): Promise<number> {
  Error.stackTraceLimit = 0; // Nobody looks at them, and every abort would make one.
  process.on('message', (seed: number) => void judge(seed));
  await once(process, 'disconnect');
  return 0;
}

async function judge(seed: number): Promise<void> {
  const simulation = await simulate(seed);
  const isBroken = simulation.broken.length > 0;
  if (isBroken) console.log(`\n${report(simulation)}`);
  process.send?.({ seed, isBroken } satisfies Judged);
}

async function huntMutants(seeds: number): Promise<number> {
  let survivors = 0;
  for (const { name, mutation, foundBy } of MUTANTS.filter((mutant) => mutant.name.includes(values.mutant ?? ''))) {
    let found: string | undefined;
    for (let seed = from; seed <= seeds && found === undefined; seed++) {
      const { broken } = await simulate(seed, mutation);
      const named = broken.find(({ invariant }) => foundBy.includes(invariant.number));
      if (named) found = `seed ${seed}, invariant ${named.invariant.number}: ${named.violations[0]!.message}`;
    }
    if (found === undefined) survivors += 1;
    console.log(`without ${name}: ${found ?? `NOT FOUND in ${seeds} seeds`}`);
  }
  return survivors > 0 ? 1 : 0;
}

/** In a log, a line now and then. */
function progress(done: number, seeds: number, failed: number): void {
  const { isTTY } = process.stdout;
  if (!isTTY && done % 200 !== 0 && done !== seeds) return;
  process.stdout.write(`${isTTY ? '\r' : ''}${done} of ${seeds} seeds, ${failed} failed${isTTY ? '' : '\n'}`);
}
