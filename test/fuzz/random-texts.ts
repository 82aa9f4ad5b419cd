import * as fc from 'fast-check';
import type { FuzzedParser } from './fuzzed-parser.js';

/** The largest node that ZooKeeper takes with its default settings. */
const MOST_BYTES = 1_048_576;
const SIZES = [1_000, 20_000, 262_144, MOST_BYTES];

/** Pieces with a meaning for JSON, YAML, cron or a number's reader. */
const WORDS: readonly string[] = [
  ['{', '}', '[', ']', '"', "'", ':', ': ', ',', '- ', '? ', '&a ', '*a', '!!t ', '|\n', '>\n', '#', '---\n', '%A\n'],
  ['\n', '\r\n', ' ', '\t', '\\', '\\u0041', '\\n', '=', '/', '@-@', '@', '~', '<<', '__proto__', 'constructor'],
  ['\u0000', '\u001b[31m', '\u0085', '\u2028', '\u202e', '\ufeff', '\ufffd', 'é', '作', '😀'],
  ['null', 'true', 'no', 'NaN', '{}', '[]', '""', '*', '?', 'L', 'W', '1-5', '*/5'],
].flat();

const NUMBERS: readonly string[] = [
  ['0', '-0', '1', '-1', '00', '010', '0x1F', '0b1', '1e3', '1e21', '1e999', '-1e999', '1.5', '1_000', '1:59:59'],
  ['2147483647', '2147483648', '4294967296', '9007199254740991', '9007199254740993', '8640000000000001'],
  ['9'.repeat(25), '9'.repeat(400)],
].flat();

/** A change of a text. Places are shares of its length, so the same change fits any text. */
type Mutation =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly piece: string }
  | { readonly kind: 'number'; readonly at: number; readonly piece: string }
  | { readonly kind: 'splice'; readonly at: number; readonly piece: string; readonly from: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: 'fill'; readonly at: number; readonly piece: string; readonly size: number }
  | { readonly kind: 'nest'; readonly at: number; readonly around: readonly [string, string]; readonly levels: number };

/**
 * Texts like those that a parser is made for, but damaged, repeated, nested and spliced. One seed always gives the same
 * texts.
 */
export function randomTexts({ examples, words = [] }: FuzzedParser): fc.Arbitrary<string> {
  const word = fc.constantFrom(...WORDS, ...NUMBERS, ...words);
  const start = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...examples) },
    { weight: 2, arbitrary: fc.array(word, { maxLength: 12 }).map((pieces) => pieces.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
  return fc
    .tuple(start, fc.array(mutations(examples, word), { maxLength: 6 }))
    .map(([text, changes]) => changes.reduce(changed, text));
}

function mutations(examples: readonly string[], word: fc.Arbitrary<string>): fc.Arbitrary<Mutation> {
  // Doubles are drawn by their exponents, since otherwise nearly all of them would be close to 0.
  const at = fc.integer({ min: 0, max: 10_000 }).map((share) => share / 10_000);
  const length = fc.integer({ min: 1, max: 40 });
  const small = fc.oneof(word, fc.string({ unit: 'grapheme', maxLength: 5 }));
  const around = fc.constantFrom<readonly [string, string]>(
    ['[', ']'],
    ['{"a":', '}'],
    ['{a: ', '}'],
    ['- ', ''],
    ['"', '"'],
  );
  const kind = <Kind extends Mutation['kind']>(name: Kind) => fc.constant(name);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: kind('flip'), at, bit: fc.integer({ min: 0, max: 7 }) }) },
    { weight: 6, arbitrary: fc.record({ kind: kind('cut'), at, length }) },
    { weight: 12, arbitrary: fc.record({ kind: kind('insert'), at, piece: small }) },
    { weight: 8, arbitrary: fc.record({ kind: kind('number'), at, piece: fc.constantFrom(...NUMBERS) }) },
    { weight: 6, arbitrary: fc.record({ kind: kind('splice'), at, piece: fc.constantFrom(...examples), from: at }) },
    { weight: 4, arbitrary: fc.record({ kind: kind('repeat'), at, length, times: fc.integer({ min: 1, max: 50 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('fill'), at, piece: small, size: fc.constantFrom(...SIZES) }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('nest'), at, around, levels: fc.integer({ min: 1, max: 5_000 }) }) },
  );
}

function changed(text: string, mutation: Mutation): string {
  const result = applied(text, mutation);
  return result.length <= MOST_BYTES ? result : result.slice(0, MOST_BYTES);
}

function applied(text: string, mutation: Mutation): string {
  const at = Math.floor(mutation.at * text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (mutation.kind) {
    case 'flip':
      return withFlippedBit(text, mutation.at, mutation.bit);
    case 'cut':
      return before + after.slice(mutation.length);
    case 'insert':
      return before + mutation.piece + after;
    case 'number':
      return before + after.replace(/-?\d+(?:\.\d+)?/, () => mutation.piece);
    case 'splice':
      return before + mutation.piece.slice(Math.floor(mutation.from * mutation.piece.length));
    case 'repeat':
      return before + after.slice(0, mutation.length).repeat(mutation.times) + after;
    case 'fill':
      return before + filling(mutation.piece, mutation.size - text.length) + after;
    case 'nest':
      break;
  }
  const [open, close] = mutation.around;
  return open.repeat(mutation.levels) + text + close.repeat(mutation.levels);
}

function filling(piece: string, room: number): string {
  return piece === '' || room <= 0 ? '' : piece.repeat(Math.floor(room / piece.length));
}

/** A change of the bytes, as a node holds them. Bytes that are no UTF-8 any more are read as U+FFFD. */
function withFlippedBit(text: string, share: number, bit: number): string {
  const bytes = Buffer.from(text);
  const at = Math.min(Math.floor(share * bytes.length), bytes.length - 1);
  if (at < 0) return text;
  bytes[at] = bytes[at]! ^ (1 << bit);
  return bytes.toString();
}
