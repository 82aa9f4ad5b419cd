import { describe, expect, it } from 'vitest';
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { YamlNode } from './yaml-cursor.js';
import { readYaml } from './yaml-reader.js';

const PIECES = [
  'a',
  'b',
  'key',
  'word word',
  '0',
  'null',
  '~',
  '-',
  '%',
  '@',
  '`',
  '\\n',
  '"x y"',
  "'q''q'",
  '"a\n  b"',
  ': ',
  ':',
  'a: ',
  'b: ',
  '\nc: ',
  '\nd: ',
  '\n  e: ',
  '\n  f: ',
  '- ',
  '\n- ',
  '\n  - ',
  '? ',
  '\n',
  '\n',
  '\n\n',
  '\n  ',
  '\n  ',
  '\n    ',
  ' ',
  '\t',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  ',',
  ', ',
  '#',
  ' # c',
  '|\n',
  '>-\n',
  '>\n',
  '|+\n',
  '|2\n',
  '&x ',
  '*x',
  '!t ',
  '!!str ',
  '\n---\n',
];

describe('readYaml', () => {
  it.each([1, 2, 3, 4, 5, 6])('reads random texts as a full YAML library does, or refuses them (%i)', (seed) => {
    const random = randomOf(seed);
    let read = 0;
    for (let run = 0; run < 500; run += 1) {
      const text = randomText(random);
      const ours = readYaml(text);
      const theirs = byLibrary(text);
      if (ours.kind === 'fault' || theirs === undefined) continue;
      read += 1;
      expect({ text, node: plain(ours.node) }).toEqual({ text, node: theirs });
    }
    expect(read).toBeGreaterThan(80);
  });

  it.each([
    ['a text of lines', 'a: one\n  two\n\n  three', [['a', 'one two\nthree']]],
    [
      'quotes',
      `a: 'it''s'\nb: "\\u4f5c\\x41\\\n  c"`,
      [
        ['a', "it's"],
        ['b', '作Ac'],
      ],
    ],
    ['a literal block', 'a: |2-\n    x\n   y\n', [['a', '  x\n y']]],
    ['a folded block', 'a: >\n  x\n  y\n\n  z\n   more\n', [['a', 'x y\nz\n more\n']]],
    ['a key that ends with a blank which does not break', 'a\u00a0 : b', [['a\u00a0', 'b']]],
    ['a long key', '? |-\n  k\n  l\n: v', [['k\nl', 'v']]],
    [
      'a list at the column of its key',
      'a:\n- x\n- - y\nb: z',
      [
        ['a', ['x', ['y']]],
        ['b', 'z'],
      ],
    ],
    [
      'a mapping in a list',
      'a:\n- b: c\n  d: e',
      [
        [
          'a',
          [
            [
              ['b', 'c'],
              ['d', 'e'],
            ],
          ],
        ],
      ],
    ],
    [
      'JSON',
      '{"a":["x",{"b":1}],"c":null}',
      [
        ['a', ['x', [['b', '1']]]],
        ['c', 'null'],
      ],
    ],
    [
      'an alias',
      'a: &x {b: c}\nd: *x',
      [
        ['a', [['b', 'c']]],
        ['d', [['b', 'c']]],
      ],
    ],
    ['a binary text', 'a: !!binary B2E=', [['a', '\u0007a']]],
    ['a document with marks', '%YAML 1.1\n---\na: b\n...\n', [['a', 'b']]],
    [
      'lines as on Windows',
      'a: b\r\nc:\r\n- d\r\n',
      [
        ['a', 'b'],
        ['c', ['d']],
      ],
    ],
  ] as const)('reads %s', (_, text, expected) => {
    const read = readYaml(text);
    expect(read.kind === 'read' ? plain(read.node) : read).toEqual(expected);
  });

  it.each([
    ['a: [b', '"]" is missing'],
    ['a: "b', 'the quotes are not closed'],
    ['a: b\n  c: d', 'a mapping cannot begin inside a text'],
    ['a: 1\n   b: 2', 'a mapping cannot begin inside a text'],
    ['a:\n  b: 1\n c: 2', 'a line is indented differently'],
    ['a: *b', 'the alias "*b" has no anchor'],
    ['a: 1\n---\nb: 2', 'it has several documents'],
    ['a: @b', '"@" cannot begin a text without quotes'],
    [`a: ${'['.repeat(21)}`, 'it is nested deeper than 20 levels'],
    [`a: &x 1\nb: [${'*x,'.repeat(21)}]`, 'it has more than 20 aliases'],
    [`a: [${'1,'.repeat(10_000)}]`, 'it holds more than 10000 values'],
  ])('names the fault in %j', (text, problem) => {
    expect(readYaml(text.slice(0, 200_000))).toMatchObject({
      kind: 'fault',
      problem: expect.stringContaining(problem),
    });
  });
});

function randomText(random: (limit: number) => number): string {
  const pieces = Array.from({ length: 1 + random(12) }, () => PIECES[random(PIECES.length)]);
  return (random(2) === 0 ? 'a: ' : '') + pieces.join('');
}

function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** A mapping as its entries. */
function plain(node: YamlNode): unknown {
  if (node.kind === 'scalar') return node.text;
  return node.kind === 'list' ? node.items.map(plain) : node.entries.map(({ key, value }) => [key, plain(value)]);
}

/** Undefined if the text is invalid, or readers disagree about it. */
function byLibrary(text: string): unknown {
  // Readers disagree on how many trailing blank lines without a line end count.
  if (/[|>][^\n]*\n(?:.*\n)*[ \t]+$/.test(text)) return undefined;
  const options = { version: '1.1', schema: 'failsafe', stringKeys: true, uniqueKeys: false } as const;
  const documents = parseAllDocuments(text, { ...options, prettyErrors: false });
  const [document] = [...documents];
  if (document === undefined || [...documents].length > 1 || document.errors.length > 0) return undefined;
  const plainOf = (node: unknown): unknown => {
    if (isAlias(node)) return plainOf(node.resolve(document));
    if (isSeq(node)) return node.items.map(plainOf);
    if (isMap(node)) return node.items.map(({ key, value }) => [plainOf(key), plainOf(value)]);
    // In the failsafe schema every scalar is a text.
    return isScalar(node) && typeof node.value === 'string' ? node.value : '';
  };
  return plainOf(document.contents);
}
