import { isDeepStrictEqual } from 'node:util';
import { findNodeTextFault } from '../../libs/elastic-job/src/domain/index.js';
import { cpuMs } from '../property/node-texts/texts.js';
import type { FuzzedParser } from './fuzzed-parser.js';

/** Longest time that any text may block the event loop, in milliseconds of processor time on an idle machine. */
export const MOST_MS = 50;
/** Repetitions of a read above the limit, since the collector and the compiler may have taken the time. */
const TRIES = 4;

/** The fault of a parser with a text, or undefined. @param mostMs the most processor time that it may take */
export function judge(parser: FuzzedParser, text: string, mostMs: number): string | undefined {
  const start = cpuMs();
  const read = attempt(() => parser.read(text));
  const spent = cpuMs() - start;
  if (spent > mostMs) {
    const least = leastMs(() => attempt(() => parser.read(text)));
    if (least > mostMs) return `takes ${Math.round(least)} ms for ${Buffer.byteLength(text)} bytes`;
  }
  if (read.kind === 'thrown') return findForeignError(parser, read.error);
  if (read.value === undefined) return undefined;
  return parser.findFault?.(read.value) ?? findChange(parser, read.value);
}

type Attempt<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'thrown'; readonly error: unknown };

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { kind: 'done', value: work() };
  } catch (error) {
    return { kind: 'thrown', error };
  }
}

function findForeignError({ refusals }: FuzzedParser, error: unknown): string | undefined {
  if (refusals.some((kind) => error instanceof kind)) return undefined;
  return `throws ${error instanceof Error ? `${error.name}: ${shortened(error.message)}` : String(error)}`;
}

/** Finds a value that reads otherwise once it is written. */
function findChange(parser: FuzzedParser, value: unknown): string | undefined {
  const written = attempt(() => parser.write?.(value));
  if (written.kind === 'thrown') return `cannot be written: ${String(written.error)}`;
  if (written.value === undefined || findNodeTextFault(written.value) !== undefined) return undefined;
  const text = written.value;
  const again = attempt(() => parser.read(text));
  if (again.kind === 'thrown') return `writes ${shortened(text)}, which throws ${String(again.error)}`;
  const essence = (one: unknown) => asJsonWritesIt(one === undefined ? one : (parser.essence?.(one) ?? one));
  const isSame = isDeepStrictEqual(essence(value), essence(again.value));
  return isSame ? undefined : `writes ${shortened(text)}, which reads otherwise`;
}

/** JSON can read a negative zero and infinite numbers, but writes neither. */
function asJsonWritesIt(value: unknown): unknown {
  if (value === 0) return 0;
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  if (Array.isArray(value)) return value.map(asJsonWritesIt);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [asJsonWritesIt(key), asJsonWritesIt(one)]));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asJsonWritesIt(one)]));
}

function leastMs(work: () => unknown): number {
  const times = Array.from({ length: TRIES }, () => {
    const start = cpuMs();
    work();
    return cpuMs() - start;
  });
  return Math.min(...times);
}

function shortened(text: string): string {
  return text.length <= 300 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 300))}...`;
}
