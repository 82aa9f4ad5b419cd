import { describe, expect, it } from 'vitest';
import {
  aboveZero,
  type EntryReader,
  flag,
  having,
  isFileUrl,
  type KeptRule,
  mustBeUnseen,
  number,
  oneOf,
  readAs,
  type Rule,
  show,
  text,
  wholeFrom,
  wholeNumber,
} from './option-rules.js';
import { concurrency, jobNames, props, strategy, typeNames, yamlList } from './job-options.rules.js';

class Tracer {
  readonly start = () => undefined;
  readonly end = () => undefined;
}

describe('the rule of an option', () => {
  it.each<[string, Rule, readonly unknown[], readonly unknown[]]>([
    ['true or false', flag(), [true, false], ['true', 1]],
    ['a text', text(), ['', 'a'], [1, null, ['a']]],
    ['a whole number', wholeNumber({ from: 1, to: 5 }), [1, 5], [0, 6, 1.5, '2', NaN]],
    ["a whole number, by Java's int", wholeNumber(), [-2_147_483_647, 2_147_483_647], [2_147_483_648]],
    ["a whole number beyond Java's int", wholeFrom(1), [1, 5_000_000_000], [0, 1.5, '2', 2 ** 53]],
    ['a number', number(0, 1), [0, 0.5, 1], [-0.1, 1.1, '0.5', NaN]],
    ['a number without an end', number(1), [1, 1e300, Infinity], [0.9]],
    ['a number above 0', aboveZero(), [0.001, Infinity], [0, -1, '1', NaN, [1]]],
    ['a word', oneOf(['a', 'b']), ['a', 'b'], ['c', 'A', ['a']]],
    ['a text that can be read', readAs('JSON', JSON.parse), ['{}', '5'], ['{', 5]],
    ['an object with methods', having('a tracer', 'start', 'end'), [new Tracer()], [{ start: () => 1 }, null, 'a']],
    ['threads', concurrency(), ['CPU', 'SINGLE_THREAD', 1], ['cpu', 0, '1']],
    ['a strategy, which is judged later', strategy(), ['BALANCED', 5, {}], []],
    ['texts by name', props(), [{}, { a: 'b' }], [null, ['a'], 'a', { a: 1 }, { 'nestjs.a': 'b' }]],
    ['names of jobs', jobNames(), [[], ['a', 'b']], ['a', ['a,b'], ['a', '']]],
    ['types', typeNames(), [[], ['a', 'b']], ['a', ['a,b'], ['a', '']]],
    ['a YAML list', yamlList(), ['- a: 1', '- a\n  b\n- c'], ['a: 1', ['- a'], 5]],
  ])('takes what it says, and nothing else: %s', (_what, { accepts }, kept, broken) => {
    expect(kept.filter((value) => !accepts?.(value))).toEqual([]);
    expect(broken.filter((value) => accepts?.(value))).toEqual([]);
  });

  it.each<[KeptRule<unknown>, string, unknown]>([
    [flag(), 'true', true],
    [text(), 'a', 'a'],
    [wholeNumber(), '5', 5],
    [wholeNumber(), 'none', 'none'],
    [number(0, 1), '0.5', 0.5],
    [oneOf(['a', 'b']), 'b', 'b'],
    [readAs('JSON', JSON.parse), '{}', '{}'],
    [concurrency(), '5', 5],
    [concurrency(), 'CPU', 'CPU'],
    [concurrency(), 'none', 'none'],
    [strategy(), 'BALANCED', 'BALANCED'],
    [jobNames(), 'a,b', ['a', 'b']],
    [typeNames(), '', []],
  ])('reads its value from the registry: $what, %s', ({ read }, entry, value) => {
    expect(read(nodeWith(entry), 'option', ['none'])).toEqual(value);
  });

  it('reads no list where the registry has none', () => {
    expect(typeNames().read({ ...nodeWith(''), text: () => undefined }, 'option', [])).toBeUndefined();
  });

  it.each<[Rule, unknown]>([
    [flag(), { type: 'boolean' }],
    [text(), { type: 'string' }],
    [wholeNumber({ from: 1, to: 5 }), { type: 'integer', minimum: 1, maximum: 5 }],
    [number(0, 1), { type: 'number', minimum: 0, maximum: 1 }],
    [number(1), { type: 'number', minimum: 1 }],
    [oneOf(['a', 'b']), { enum: ['a', 'b'] }],
    [readAs('JSON', JSON.parse), { type: 'string' }],
    [props(), { type: 'object', additionalProperties: { type: 'string' } }],
    [typeNames(), { type: 'array', items: { type: 'string' } }],
  ])('is told to clients as JSON Schema: $what', ({ schema }, told) => {
    expect(schema).toEqual(told);
  });
});

it('a value that may be a secret is not in the message', () => {
  const given = { property: 'password', value: 's3cret', object: {}, targetName: 'a', constraints: [] };
  expect(mustBeUnseen('a text')(given)).toBe('password must be a text');
});

it.each([
  ['a', '"a"'],
  [5, '5'],
  [null, 'null'],
  [undefined, 'undefined'],
  [Tracer, 'the class Tracer'],
  [['a', 'b'], 'a list of 2'],
  [{ a: 's3cret', b: 1 }, 'an object (a, b)'],
])('a message shows %o as %s', (value, shown) => {
  expect(show(value)).toBe(shown);
});

it.each([
  [new URL('file:///a.js'), true],
  [new URL('https://a/'), false],
  ['file:///a.js', false],
  [null, false],
  [undefined, false],
])('knows the URL of a file: %o', (value, isOne) => {
  expect(isFileUrl(value)).toBe(isOne);
});

/** A node of the registry whose every entry is this text. */
function nodeWith(entry: string): EntryReader {
  const word = <Word extends string>(_key: string, words: readonly Word[]) => words.find((one) => one === entry);
  return {
    text: () => entry,
    boolean: () => entry === 'true',
    number: () => Number(entry),
    integerOr: (key, words) => word(key, words) ?? Number(entry),
    oneOf: word,
  };
}
