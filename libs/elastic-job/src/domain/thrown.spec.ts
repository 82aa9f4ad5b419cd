import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';
import { redactThrown } from './handlers/index.js';
import {
  anyCodeOf,
  causeOf,
  codeOf,
  describeError,
  handleLateReason,
  isError,
  isThenable,
  messageOf,
  nameOf,
  readable,
  stackOf,
} from './thrown.js';

describe('describeError', () => {
  it('shows the stacks of an error and of its causes', () => {
    const error = new Error('no order', { cause: new TypeError('no row', { cause: 'why' }) });

    const [outer, inner, why] = describeError(error).split('\nCaused by: ');

    expect(outer).toBe(error.stack);
    expect(inner).toMatch(/^TypeError: no row\n {4}at /);
    expect(why).toBe('why');
  });

  it('ends the text after five causes if errors cause each other, or after as many as are asked for', () => {
    const error = new Error('a');
    error.cause = error;

    expect(describeError(error).match(/Caused by/g)).toHaveLength(5);
    expect(describeError(error, 2).match(/Caused by/g)).toHaveLength(2);
  });

  it.each([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a text', 'no', 'no'],
    ['a symbol', Symbol('no'), 'Symbol(no)'],
    ['an error without a stack', Object.assign(new RangeError('bare'), { stack: undefined }), 'RangeError: bare'],
    ['an error with an empty stack', Object.assign(new RangeError('bare'), { stack: '' }), 'RangeError: bare'],
    ['an object that has no text', Object.create(null), 'a value that cannot be shown'],
  ])('gives a text for %s', (_, thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });
});

it('knows an error of another realm', () => {
  const thrown: unknown = runInNewContext("new RangeError('no row')");

  expect(isError(thrown)).toBe(true);
  expect(describeError(thrown)).toMatch(/^RangeError: no row\n {4}at /);
  expect([nameOf(thrown), messageOf(thrown)]).toEqual(['RangeError', 'no row']);
});

it.each([
  [Object.assign(new Error('a'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [Object.assign(new Error('a'), { code: 5 }), 5],
  [Object.assign(new Error('a'), { code: {} }), undefined],
  [new Error('a'), undefined],
  [{ code: 'none' }, undefined],
])('reads the code of an error if it is a text or a number: %#', (thrown, code) => {
  expect(anyCodeOf(thrown)).toBe(code);
  expect(codeOf(thrown)).toBe(typeof code === 'string' ? code : undefined);
});

describe.each([...THROWN_TRAPS])('%s', (_what, trapped) => {
  it('gives a text for each of its parts, and never throws', () => {
    const thrown = trapped();

    const texts = [messageOf(thrown), nameOf(thrown), describeError(thrown), stackOf(thrown) ?? 'none'];

    expect(texts).toEqual(texts.map(() => expect.stringMatching(/./)));
    expect(typeof isError(thrown)).toBe('boolean');
    expect(() => [causeOf(thrown), codeOf(thrown), anyCodeOf(thrown)]).not.toThrow();
  });

  it('stays itself only if its class, name, message and causes can be read', () => {
    const thrown = trapped();

    const told = readable(thrown);

    const texts: string[] = [];
    for (let one: unknown = told; one instanceof Error; one = one.cause) texts.push(`${one.name} ${one.message}`);
    expect(texts).toEqual(texts.map(() => expect.stringMatching(/./)));
    expect(told === thrown ? messageOf(told) : String(told)).toContain(messageOf(thrown));
  });
});

describe('an Error.prepareStackTrace that throws', () => {
  it('leaves the name and the message of every error in its text', () => {
    const former: unknown = Reflect.get(Error, 'prepareStackTrace');
    Error.prepareStackTrace = () => {
      throw new TypeError('no stacks here');
    };

    try {
      const error = new Error('no order', { cause: new RangeError('no row') });
      expect(describeError(error)).toBe('Error: no order\nCaused by: RangeError: no row');
      expect(readable(error)).toBe(error);
    } finally {
      Reflect.set(Error, 'prepareStackTrace', former);
    }
  });
});

describe('an error of which all can be read', () => {
  it('stays itself, as does a value that is no error', () => {
    const thrown = [new Error('outer', { cause: new Error('inner') }), 'text', undefined, 5n, { code: 3 }];

    expect(thrown.map(readable)).toEqual(thrown);
    expect(thrown.every((value) => readable(value) === value)).toBe(true);
  });

  it('stays itself also if it is its own cause, and nothing waits for its late reason', () => {
    const error = new Error('a');
    error.cause = error;

    expect(readable(error)).toBe(error);
    for (const thrown of [error, 'text', null, undefined, 5n]) handleLateReason(thrown, () => expect.unreachable());
  });
});

it.each([
  [Promise.resolve(), true],
  // oxlint-disable-next-line unicorn/no-thenable -- that is the case
  [{ then: () => undefined }, true],
  // oxlint-disable-next-line unicorn/no-thenable -- that is the case
  [Object.assign(() => undefined, { then: () => undefined }), true],
  // oxlint-disable-next-line unicorn/no-thenable -- that is the case
  [{ then: 'later' }, false],
  [() => undefined, false],
  [null, false],
  [undefined, false],
  ['then', false],
])('knows what can be awaited: %#', (answer, isOne) => {
  expect(isThenable(answer)).toBe(isOne);
});

describe('a promise that was thrown', () => {
  it('is told as such, and has its reason as the cause once it has rejected', async () => {
    const reason = new Error('no order');
    const heard: unknown[] = [];

    const told = readable(Promise.reject(reason));
    handleLateReason(new Error('outer', { cause: told }), (late) => heard.push(late));
    expect([messageOf(told), causeOf(told)]).toEqual(['a promise was thrown, which is no error', undefined]);
    await new Promise((resolve) => setImmediate(resolve));
    handleLateReason(told, (late) => heard.push(late));

    expect(causeOf(told)).toBe(reason);
    expect(heard).toEqual([reason]);
  });

  it('may be one of another realm, as a promise of Node is within Jest', async () => {
    const told = readable(runInNewContext('Promise.reject(new Error("no order"))'));
    await new Promise((resolve) => setImmediate(resolve));

    expect([told, causeOf(told)].map(messageOf)).toEqual(['a promise was thrown, which is no error', 'no order']);
  });

  it('is told by an error that somebody may freeze, and whose cause is not listed', async () => {
    const [frozen, told] = [1, 2].map(() => readable(Promise.reject(new Error('no order'))));
    Object.freeze(frozen);
    await new Promise((resolve) => setImmediate(resolve));

    expect([causeOf(frozen), messageOf(causeOf(told))]).toEqual([undefined, 'no order']);
    expect(Object.keys(Object(told))).toEqual([]);
  });

  it.each([
    ['a redacted copy', (told: unknown) => redactThrown(told, String)],
    ['a proxy', (told: unknown) => new Proxy(Object(told), {})],
  ])('has no late reason to hear in %s of its error, which is an error like any other', (_, copyOf) => {
    const copy = copyOf(readable(Promise.reject(new Error('no order'))));

    expect(() => handleLateReason(new Error('outer', { cause: copy }), () => {})).not.toThrow();
  });

  it('comes to an end if it rejects with itself', async () => {
    let reject = (_reason: unknown): void => {};
    const circular = new Promise((_, no) => (reject = no));
    reject(circular);

    const told = readable(circular);
    await new Promise((resolve) => setImmediate(resolve));

    expect(describeError(told)).toContain('a promise was thrown');
  });
});
