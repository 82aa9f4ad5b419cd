import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ElasticJobError } from '../../libs/elastic-job/src/domain/index.js';
import type { FuzzedParser } from './fuzzed-parser.js';
import { cpuMs } from '../property/node-texts/texts.js';
import { PARSERS } from './parsers/index.js';
import { randomTexts } from './random-texts.js';
import { mostMsHere, runFuzz } from './run.js';

const SEED = 20_270_101;
const TEXTS = 200;

class RefusedError extends ElasticJobError {
  readonly code = 'REFUSED';
}

describe("every reader of the tree's texts", () => {
  const mostMs = mostMsHere();

  it.each(PARSERS)('treats each random text as it promises ($name)', (parser) => {
    expect(runFuzz(parser, SEED, TEXTS, mostMs)).toEqual({ parser: parser.name, seed: SEED, texts: TEXTS });
  });

  it.each(PARSERS)('reads a value from at least one of its examples ($name)', (parser) => {
    const values = parser.examples.map((text) => {
      try {
        return parser.read(text);
      } catch (error) {
        if (parser.refusals.some((kind) => error instanceof kind)) return undefined;
        throw error;
      }
    });
    expect(values.some((value) => value !== undefined)).toBe(true);
  });

  it('has a name of its own', () => {
    expect(new Set(PARSERS.map(({ name }) => name)).size).toBe(PARSERS.length);
  });
});

describe('the fuzzer', () => {
  it.each([
    ['an error without a name', /^throws SyntaxError/, { read: (text: string) => JSON.parse(text) }],
    ['an error that is not promised', /^throws RefusedError/, { read: refuse, refusals: [] }],
    ['a value that is written otherwise', /reads otherwise$/, { write: () => '0' }],
    ['a value that cannot be read again', /^writes "x", which throws/, { write: () => 'x' }],
    ['a value that cannot be written', /^cannot be written/, { write: refuse }],
    [
      'a value that is no right one',
      /^is wrong$/,
      { findFault: (value: unknown) => (value === 12 ? undefined : 'is wrong') },
    ],
  ])('finds the fault of a parser with %s', (_, problem, fault) => {
    const { failure } = runFuzz(parserWith(fault), SEED, TEXTS, 1_000);
    expect(failure?.problem).toMatch(problem);
  });

  it('finds the time of a parser that takes long for long texts', () => {
    const slow = parserWith({ read: (text) => (text.length > 1_000 ? spend(5) : 12) });
    expect(runFuzz(slow, SEED, TEXTS, 2).failure?.problem).toMatch(/^takes \d+ ms for \d+ bytes$/);
  });

  it('finds nothing in a right parser', () => {
    expect(runFuzz(parserWith({}), SEED, TEXTS, 1_000).failure).toBeUndefined();
  });

  it('makes the same texts of all sizes up to 1 MB from the same seed', () => {
    const texts = textsOf(SEED);
    expect(textsOf(SEED)).toEqual(texts);
    expect(textsOf(SEED + 1)).not.toEqual(texts);
    const sizes = texts.map((text) => text.length);
    for (const [from, to] of [
      [0, 100],
      [1_000, 100_000],
      [200_000, 300_000],
      [1_000_000, 1_048_576],
    ] as const)
      expect(sizes.some((size) => size >= from && size <= to)).toBe(true);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_048_576);
  });
});

/** Reads whole numbers, and refuses any other text. */
function parserWith(fault: Partial<FuzzedParser<number>>): FuzzedParser<number> {
  return {
    name: 'numbers',
    examples: ['12', '345678', '12121212121212121212121212121212'],
    refusals: [RefusedError],
    read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : refuse()),
    write: String,
    ...fault,
  };
}

function spend(ms: number): undefined {
  for (const start = cpuMs(); cpuMs() - start < ms;);
}

function refuse(): never {
  throw new RefusedError('It is none.');
}

function textsOf(seed: number): readonly string[] {
  return fc.sample(randomTexts(parserWith({})), { seed, numRuns: TEXTS });
}
