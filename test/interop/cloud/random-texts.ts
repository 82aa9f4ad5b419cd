import type { Seeded } from '@test/support/seeded.js';

/** Characters that both sides write in the same way. Only snakeyaml 2 reads `.4_2` as a number, so ours quotes it. */
export const PRINTABLE = [
  ...'abcXYZ 0123456789'.split(''),
  ...'\'"`:,#&*!|>%@{}[]?-=~\\/.+<$;()'.split(''),
  '\n',
  '\n\n',
  '\t',
  '\r\n',
  '\u00a0',
  '\ufffd',
  'é',
  '作业',
  '😀',
  '\u{10ffff}',
  '\ue000',
  '  ',
  ': ',
  ' #',
  '- ',
  '? ',
  '---',
  '...',
  '%YAML',
  '!!str',
  'word word word ',
];

/** Also characters that Java writes as binary or raw, where ours escapes them. */
export const ANY = [...PRINTABLE, '\u0000', '\u0007', '\u007f', '\u0080', '\ufeff', '\ufffe', '\uffff'];

/** Also line breaks of YAML 1.1. Java writes them raw, and ours does not read them as line breaks. */
export const ANY_AND_BREAKS = [...ANY, '\u0085', '\u2028', '\u2029'];

/** Texts that YAML reads as another type if they are plain, and others that are easily written wrong. */
const WORDS = [
  '',
  ' ',
  '~',
  'null',
  'Null',
  'true',
  'TRUE',
  'yes',
  'y',
  'no',
  'off',
  'On',
  '<<',
  '=',
  '-',
  '?',
  '|',
  '>',
  '0',
  '1',
  '-1',
  '+1',
  '012',
  '08',
  '0o7',
  '0x1F',
  '0b1',
  '1_000',
  '1:30',
  '1:30.5',
  '1.0',
  '1.',
  '.5',
  '.inf',
  '1e3',
  '1E3',
  '1.5e+3',
  '-.INF',
  '.NaN',
  'NaN',
  '2020-01-01',
  '2020-01-01 1:02:03',
  '12345678901234567890',
  '_',
  '0/5 * * * * ?',
  '*/5 * * * * ?',
  'http://x/y?z=1',
  'a: b',
  'a #b',
  'a:',
  ' a',
  'a ',
  "it's",
  '"quoted"',
  '\n',
  '0=a,1=b',
  '{a: 1}',
  '[a]',
  '&a',
  '*a',
  '!a',
  '@a',
  '--- a',
  '...',
  '# a',
  'C:\\dir',
  'a\n  b\n',
  '\n a',
  'a\n\n',
];

/**
 * A text as a person might write it, or a program that tries to break the format.
 * @param pieces its parts
 */
export function randomText(seeded: Seeded, pieces: readonly string[]): string {
  const kind = seeded.below(100);
  if (kind < 40) return seeded.of(WORDS);
  const isLong = kind >= 98;
  const isFolded = kind >= 90 && !isLong;
  const length = isLong ? 100 + seeded.below(2_000) : seeded.below(isFolded ? 120 : 12);
  return Array.from({ length }, () => seeded.of(isFolded ? ['word ', 'a', ' ', "'"] : pieces)).join('');
}

/** Numbers as people write them for processors and memory, and others. */
export function randomDouble(seeded: Seeded): number {
  const usual = [0.1, 0.5, 1, 1.5, 2, 0.25, 0.001, 0.0005, 128, 64.5, 1_024, 9_999_999, 1e7, 12_345_678.9, 1e21, 1e-7];
  if (seeded.below(2) === 0) return seeded.of(usual);
  return Number((seeded.next() * 10 ** (seeded.below(8) - 3)).toFixed(seeded.below(6))) || 1;
}

/** Props by name. Some have so many that a hash table grows. */
export function randomProps(seeded: Seeded, pieces: readonly string[]): Readonly<Record<string, string>> {
  const count = seeded.of([0, 0, 1, 1, 2, 2, 3, 3, 8, 13, 14, 30, seeded.below(200)]);
  const usual = ['script.command.line', 'a.b', 'elastic-job.io/queueName'];
  const names = Array.from({ length: count }, () =>
    seeded.of([...usual, `k${seeded.below(1_000)}`, randomText(seeded, PRINTABLE)]),
  );
  return Object.fromEntries(names.map((name) => [name, randomText(seeded, pieces)]));
}
