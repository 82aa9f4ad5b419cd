import * as fc from 'fast-check';
import { parseDocument } from 'yaml';
import { cpuMs, dearTexts, randomOf } from '../property/node-texts/texts.js';
import type { FuzzedParser } from './fuzzed-parser.js';
import { judge, MOST_MS } from './judge.js';
import { randomTexts } from './random-texts.js';

/** Time of a library that reads all of YAML for a text of 256 KB, on the machine on which the limit was measured. */
const YARDSTICK_MS = 110;

/** The result of one seed. */
export interface FuzzRun {
  readonly parser: string;
  readonly seed: number;
  readonly texts: number;
  /** The shortest text that was found. */
  readonly failure?: { readonly text: string; readonly problem: string };
}

/** Reads `texts` texts of a seed. */
export function runFuzz(parser: FuzzedParser, seed: number, texts: number, mostMs: number): FuzzRun {
  let told: string | undefined;
  const isRight = fc.property(randomTexts(parser), (text) => {
    const problem = judge(parser, text, mostMs);
    told = problem ?? told;
    return problem === undefined;
  });
  const outcome = fc.check(isRight, { seed, numRuns: texts });
  const run = { parser: parser.name, seed, texts: outcome.numRuns };
  const [text] = outcome.counterexample ?? [];
  if (text === undefined) return run;
  const problem = judge(parser, text, mostMs);
  // A text that is slow only once was not compiled yet, or the machine was busy.
  if (problem === undefined && told?.startsWith('takes') === true) return run;
  return { ...run, failure: { text, problem: problem ?? `${told}; but not when it is read again` } };
}

/** The limit on this machine, scaled by the time of the same read. In milliseconds of processor time. */
export function mostMsHere(): number {
  const text = dearTexts(randomOf(1))['props'] ?? '';
  const times = [1, 2, 3].map(() => {
    const start = cpuMs();
    parseDocument(text, { version: '1.1', schema: 'failsafe', stringKeys: true, uniqueKeys: false });
    return cpuMs() - start;
  });
  return MOST_MS * Math.max(1, Math.min(...times) / YARDSTICK_MS);
}
