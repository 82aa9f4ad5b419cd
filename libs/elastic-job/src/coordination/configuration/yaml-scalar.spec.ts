import { parseDocument } from 'yaml';
import { describe, expect, it } from 'vitest';
import { formatKey, formatScalar } from './yaml-scalar.js';

const asCron = { column: 'cron: '.length, indent: '  ' };
const WORDS = 'word '.repeat(30);

/** Written by snakeyaml 2.2 as the value of `cron`. */
const fromJava: [string, string][] = [
  ...plain(
    '0/5 * * * * ?',
    'y',
    'n',
    'Y',
    'N',
    '=',
    '0o7',
    '-x',
    '?x',
    'a:b',
    'a,b',
    'a]',
    "it's",
    'a"b',
    'back\\slash',
    'a#b',
  ),
  ...plain('http://x/y?z=1', '作业', '😀', '0=Beijing,1=Shanghai', 'GMT+8:00', 'Infinity', '1-2'),
  ...quoted(
    '',
    'true',
    'yes',
    'no',
    'on',
    'null',
    '~',
    'TRUE',
    '<<',
    '123',
    '012',
    '08',
    '0x1F',
    '0b1',
    '1_000',
    '1:30',
  ),
  ...quoted(
    '+1',
    '1.5',
    '1e3',
    '.5',
    '-.5',
    '-_',
    '.inf',
    '.nan',
    '2020-01-01',
    '2020-1-1 1:02:03',
    '---',
    '-',
    '- a',
    '? ',
  ),
  ...quoted(
    '*/5 * * * * ?',
    '#a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`a',
    '"a',
    '{a',
    '[a',
    ',a',
    '|a',
    '>a',
    'a: b',
    'a #b',
    'a:',
  ),
  ...quoted(' a', 'a ', ':'),
  ["'a", "'''a'"],
  ['a\nb', '|-\n  a\n  b'],
  ['a\n\nb\n', '|\n  a\n\n  b'],
  ['a\n\n', '|+\n  a\n'],
  ['\n', '|2+\n'],
  [' a\nb', '|2-\n   a\n  b'],
  ['\n\na', '|2-\n\n\n  a'],
  ['a \nb', String.raw`"a \nb"`],
  ['a\t\u0085\u00a0b', String.raw`"a\t\N\_b"`],
  ['a\tb', String.raw`"a\tb"`],
  ['a\t😀', String.raw`"a\t\U0001f600"`],
  // Java writes it as binary; it can read this form, and not the bare character.
  ['a\ufffe', String.raw`"a\ufffe"`],
  [`\t${WORDS}`, `"\\t${'word '.repeat(14)}word\\\n  \\ ${'word '.repeat(15)}"`],
  [`\t${'作'.repeat(75)}x`, `"\\t${'作'.repeat(73)}\\\n  ${'作'.repeat(2)}x"`],
  ['a\r\nb', String.raw`"a\r\nb"`],
  [`${WORDS}x`, `${'word '.repeat(15)}word\n  ${'word '.repeat(14)}x`],
  [WORDS, `'${'word '.repeat(14)}word\n  ${'word '.repeat(15)}'`],
  [`${'a'.repeat(90)}  b ${'c'.repeat(90)}`, `${'a'.repeat(90)}  b\n  ${'c'.repeat(90)}`],
];

describe('formatScalar', () => {
  it.each(fromJava)('writes %j as Java does', (text, written) => {
    expect(formatScalar(text, asCron)).toBe(written);
  });

  const awkward = ['\n', ' \n a', 'a\nb ', 'a\u0085b', '\u2028', '\ufeff', '\u0007', 'a\u007f', '\ud800', `\t${WORDS}`];
  it.each([...awkward, ...fromJava.map(([text]) => text)])('writes %j so that it is read back unchanged', (text) => {
    const document = parseDocument(`cron: ${formatScalar(text, asCron)}\n`, { version: '1.1', schema: 'failsafe' });
    expect(document.errors).toEqual([]);
    expect(document.get('cron')).toBe(text);
  });
});

describe('formatKey', () => {
  const LONGEST = 'k'.repeat(122);
  it.each([
    ['a', '  a: '],
    ['a b', '  a b: '],
    ['true', "  'true': "],
    ['a\tb', String.raw`  "a\tb": `],
    [WORDS.slice(0, 99), `  ${WORDS.slice(0, 99)}: `],
    [LONGEST, `  ${LONGEST}: `],
    [`${LONGEST}k`, `  ? ${LONGEST}k\n  : `],
    ['', "  ? ''\n  : "],
    ['a\nb', '  ? |-\n    a\n    b\n  : '],
  ])('writes the key %j as Java does, so that it is read back unchanged', (key, written) => {
    expect(formatKey(key, '  ')).toBe(written);
    const document = parseDocument(`props:\n${written}v\n`, { version: '1.1', schema: 'failsafe' });
    expect(document.errors).toEqual([]);
    expect(document.getIn(['props', key])).toBe('v');
  });
});

function plain(...texts: string[]): [string, string][] {
  return texts.map((text) => [text, text]);
}

function quoted(...texts: string[]): [string, string][] {
  return texts.map((text) => [text, `'${text}'`]);
}
