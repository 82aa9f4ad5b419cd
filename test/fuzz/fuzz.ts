// npm run fuzz [-- --minutes 10 --seed N --parser NAME]: random texts for every reader of texts in the tree.
import { parseArgs } from 'node:util';
import type { FuzzedParser } from './fuzzed-parser.js';
import { PARSERS } from './parsers/index.js';
import { type FuzzRun, mostMsHere, runFuzz } from './run.js';

/** Number of texts from one seed, so that a failure can be repeated within seconds. */
const TEXTS = 500;
const TOLD_EACH_MS = 10_000;
const TOLD_CHARACTERS = 2_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    parser: { type: 'string' },
    texts: { type: 'string' },
  },
});
const chosen = PARSERS.filter(({ name }) => values.parser === undefined || values.parser === name);
if (chosen.length === 0) throw new Error(`No parser "${values.parser}": ${PARSERS.map(({ name }) => name).join(', ')}`);
const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
// With one seed and one parser this repeats a failure, unless a time is given.
const isOne = values.seed !== undefined && values.parser !== undefined && values.minutes === undefined;
const mostMs = mostMsHere();
process.exitCode = runAll(Number(values.minutes ?? 1) * 60_000);

function runAll(milliseconds: number): number {
  const read = new Map(chosen.map(({ name }) => [name, 0]));
  const failed = new Map<string, FuzzRun>();
  const start = performance.now();
  let told = start;
  console.log(`from seed ${firstSeed} on, ${Math.round(mostMs)} ms at most for a text`);
  for (let seed = firstSeed; failed.size < chosen.length; seed += 1) {
    for (const parser of chosen.filter(({ name }) => !failed.has(name))) {
      const run = runFuzz(parser, seed, Number(values.texts ?? TEXTS), mostMs);
      read.set(parser.name, (read.get(parser.name) ?? 0) + run.texts);
      if (run.failure !== undefined) failed.set(parser.name, run);
      if (run.failure !== undefined) console.log(describe(parser, run));
      const now = performance.now();
      if (now - told >= TOLD_EACH_MS) {
        told = now;
        console.log(
          `${Math.round((now - start) / 1_000)} s, seed ${seed}: ${sumOf(read)} texts, ${failed.size} failed`,
        );
      }
    }
    if (isOne || performance.now() - start >= milliseconds) break;
  }
  for (const [name, texts] of read) console.log(`${name}: ${texts} texts${failed.has(name) ? ', FAILED' : ''}`);
  return failed.size > 0 ? 1 : 0;
}

function describe({ name }: FuzzedParser, { seed, failure }: FuzzRun): string {
  const text = JSON.stringify(failure?.text);
  const told = text.length <= TOLD_CHARACTERS ? text : `${text.slice(0, TOLD_CHARACTERS)}... (${text.length})`;
  return `${name} ${failure?.problem}\n  text: ${told}\n  again: npm run fuzz -- --parser ${name} --seed ${seed}`;
}

function sumOf(read: ReadonlyMap<string, number>): number {
  return [...read.values()].reduce((sum, texts) => sum + texts, 0);
}
