// npm run simulate -- --seed N [--log] | --seeds N [--from N] [--workers N];  npm run simulate:mutants [-- --seeds N --mutant PART-OF-ITS-NAME]
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants/mutants.js';
import { report, simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    log: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
});
const [from, step, workers] = [Number(values.from), Number(values.step), Number(values.workers)];

if (values.mutants || values.mutant !== undefined) process.exitCode = await huntMutants(Number(values.seeds ?? 1_000));
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else if (workers > 1) process.exitCode = await share(Number(values.seeds ?? 200));
else process.exitCode = await runAll(Number(values.seeds ?? 200));

/** One history, to be looked at. */
async function replay(seed: number): Promise<number> {
  const simulation = await simulate(seed);
  if (values.log) console.log(simulation.log.lines().join('\n'));
  console.log(`seed ${seed}: ${simulation.log.entries.length} entries, ${simulation.log.hash()}`);
  if (simulation.broken.length > 0) console.log(report(simulation));
  return simulation.broken.length > 0 ? 1 : 0;
}

async function runAll(seeds: number): Promise<number> {
  Error.stackTraceLimit = 0; // Nobody looks at them, and every abort would make one.
  const failed: number[] = [];
  for (let seed = from, done = 1; seed < from + seeds; seed += step, done += 1) {
    const simulation = await simulate(seed);
    if (simulation.broken.length > 0) {
      failed.push(seed);
      console.log(`\n${report(simulation)}`);
    }
    if (process.send !== undefined) process.send(1);
    else progress(done, seeds, failed.length);
  }
  if (process.send === undefined) console.log(failed.length > 0 ? `\nfailed: ${failed.join(' ')}` : '');
  else process.disconnect();
  return failed.length > 0 ? 1 : 0;
}

/** The same over several processes, each with every so-manieth seed. */
async function share(seeds: number): Promise<number> {
  let done = 0;
  const codes = await Promise.all(
    Array.from({ length: workers }, (_, index) => {
      const slice = ['--from', `${from + index}`, '--seeds', `${seeds - index}`, '--step', `${workers}`];
      const child = fork(fileURLToPath(import.meta.url), slice);
      child.on('message', () => progress((done += 1), seeds, undefined));
      return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
    }),
  );
  console.log('');
  return Math.max(...codes);
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
function progress(done: number, seeds: number, failed: number | undefined): void {
  const { isTTY } = process.stdout;
  if (!isTTY && done % 200 !== 0 && done !== seeds) return;
  const failures = failed === undefined ? '' : `, ${failed} failed`;
  process.stdout.write(`${isTTY ? '\r' : ''}${done} of ${seeds} seeds${failures}${isTTY ? '' : '\n'}`);
}
