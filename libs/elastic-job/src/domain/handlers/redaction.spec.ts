import { inspect } from 'node:util';
import { SECRET_VALUES } from '@test/support/unit/secret-values.js';
import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';
import { describe, expect, it } from 'vitest';
import { HiddenText } from '../options/index.js';
import { describeError } from '../thrown.js';
import type { ShardingContext, Trigger } from '../run/index.js';
import { guardRedact, redactContext, redactOutcome, redactTexts, redactThrown, redactTrigger } from './redaction.js';

const redact = (text: string) => text.replaceAll('s3cret', '***');

describe('a redacted error', () => {
  it('is of the same class, and has its message, stack, fields and causes without the secret', () => {
    class OrderError extends TypeError {
      override name = 'OrderError';
      readonly url = 'https://a:s3cret@b';
      readonly attempts = 3;
      readonly hidden = new HiddenText('s3cret');
      readonly details = ['s3cret', 7];
    }
    const error = new OrderError('no s3cret', { cause: new Error('s3cret', { cause: 's3cret' }) });
    const redacted = redactThrown(error, redact);

    expect(redacted).toBeInstanceOf(OrderError);
    expect(redacted).toMatchObject({
      name: 'OrderError',
      message: 'no ***',
      url: 'https://a:***@b',
      attempts: 3,
      hidden: error.hidden,
      details: ['***', 7],
      cause: { message: '***', cause: '***' },
    });
    expect(String(Object(redacted).stack)).toMatch(/no \*\*\*\n {4}at /);
    expect(Object(redacted).hidden).toBe(error.hidden);
    expect(error.message).toBe('no s3cret');
  });

  it('lists the fields that the error lists, has the methods of its class, and can be changed', () => {
    class HttpError extends Error {
      url = 'https://b';
      get status() {
        return 500;
      }
      isFinal() {
        return true;
      }
    }
    Object.defineProperty(HttpError.prototype, 'url', { get: () => 'none' });
    const redacted = Object(redactThrown(new HttpError('no s3cret', { cause: 's3cret' }), redact));

    expect(Object.keys(redacted)).toEqual(['url']);
    expect(JSON.stringify(redacted)).toBe('{"url":"https://b"}');
    expect(redacted).toMatchObject({ cause: '***', status: 500 });
    expect(redacted.isFinal()).toBe(true);
    expect(['constructor', 'isFinal', '__proto__'].filter((name) => Object.hasOwn(redacted, name))).toEqual([]);
    expect(Object.assign(redacted, { message: 'of my own' }).message).toBe('of my own');
  });

  it.each([
    ['an error', new TypeError('no s3cret'), 'TypeError: no ***'],
    ['an error with a text of its own', Object.assign(new Error('no s3cret'), { toString: () => 7 }), 'Error: no ***'],
    ['an error without a stack', Object.assign(new Error('no s3cret'), { stack: undefined }), 'Error: no ***'],
  ])('shows its name and message as a text, if it is %s', (_what, error, text) => {
    const redacted = redactThrown(error, redact);

    expect(redacted).toBeInstanceOf(Error);
    expect(String(redacted)).toBe(text);
  });

  it('has the fields redacted that it inherits from another error, and from its class', () => {
    class AxiosError extends Error {}
    Object.assign(AxiosError.prototype, { config: 's3cret' });
    const failure = Object.assign(new AxiosError('no s3cret', { cause: new Error('s3cret') }), {
      response: { body: 's3cret' },
    });

    const redacted = redactThrown(Object.create(failure, { message: { value: 'plain' } }), redact);

    expect(redacted).toBeInstanceOf(AxiosError);
    expect(redacted).toMatchObject({
      message: 'plain',
      config: '***',
      response: { body: '***' },
      cause: { message: '***' },
    });
    expect(Object.keys(Object(redacted))).toEqual([]);
  });

  it('has the name redacted that its class has', () => {
    class AxiosError extends Error {}
    AxiosError.prototype.name = 's3cret';

    expect(redactThrown(new AxiosError('plain'), redact)).toMatchObject({ name: '***' });
  });

  it('has its stack redacted also where that is computed when it is asked for, as on Node 26', () => {
    const error = new Error('s3cret');
    Object.defineProperty(error, 'stack', { get: () => `Error: ${error.message}\n    at settle`, configurable: true });
    expect(redactThrown(error, redact)).toHaveProperty('stack', 'Error: ***\n    at settle');
  });

  it('ends ten levels deep, and what lies deeper is left out', () => {
    const chain = (levels: number): Error =>
      Object.assign(new Error('s3cret', levels === 0 ? {} : { cause: chain(levels - 1) }), { code: 7, reason: null });
    const shown: unknown[] = [];
    for (let one = redactThrown(chain(20), redact); one !== undefined; one = Object(one).cause)
      shown.push([Object(one).message, Object(one).code, Object(one).reason]);
    expect(shown).toEqual(Array.from({ length: 11 }, () => ['***', 7, null]));

    const nested = (levels: number): unknown => (levels === 0 ? 's3cret' : [nested(levels - 1)]);
    expect(JSON.stringify(redactThrown(nested(20), redact))).toBe('['.repeat(11) + ']'.repeat(11));
    const within = (levels: number): unknown => (levels === 0 ? { key: 'k' } : { of: within(levels - 1) });
    expect(JSON.stringify(redactThrown(within(9), redact))).toContain('{"key":"k"}');
    expect(JSON.stringify(redactThrown(within(10), redact))).toBe('{"of":'.repeat(10) + '{}' + '}'.repeat(10));
  });

  it('has its aggregated errors redacted', () => {
    const redacted = redactThrown(new AggregateError([new Error('s3cret')], 'all'), redact);
    expect(redacted).toMatchObject({ errors: [{ message: '***' }] });
  });

  it('ends where causes go round', () => {
    const error = new Error('s3cret');
    error.cause = error;
    expect(redactThrown(error, redact)).toMatchObject({ message: '***', cause: { message: '***' } });
  });

  it.each([
    ['no s3cret', 'no ***'],
    [7, 7],
    [undefined, undefined],
  ])('is %j if %j was thrown', (thrown, redacted) => expect(redactThrown(thrown, redact)).toBe(redacted));
});

describe('a thrown value', () => {
  const SECRET = '4711083';
  const hide = (text: string) => text.replaceAll(SECRET, '***');

  it.each([...SECRET_VALUES])('shows no secret in any form: %s', (_, make) => {
    const shown = redactThrown(make(SECRET), hide);

    expect(
      [inspect(shown, { depth: 12, showHidden: true, getters: true }), JSON.stringify(shown)].join('\n'),
    ).not.toContain(SECRET);
    expect(describeError(shown, 9)).not.toContain(SECRET);
    expect(describeError(shown)).toMatch(/./);
  });

  it.each([...THROWN_TRAPS])('becomes a text, or an error that can be read, if it is %s', (_, trapped) => {
    expect(describeError(redactThrown(trapped(), hide))).toMatch(/./);
  });

  it('of another realm is an error of this one, with its name and stack', () => {
    const shown = redactThrown(SECRET_VALUES.get('an error of another realm')!(SECRET), hide);

    expect(shown).toBeInstanceOf(Error);
    expect(shown).toMatchObject({
      name: 'TypeError',
      message: '***',
      stack: expect.stringContaining('TypeError: ***'),
    });
  });

  it('keeps its class, and the values of its fields and getters that are no texts', () => {
    const reason = redactThrown(new DOMException('no 4711083', 'AbortError'), hide);
    expect(reason).toBeInstanceOf(DOMException);
    expect(reason).toMatchObject({ name: 'AbortError', message: 'no ***', code: 20 });
    expect(redactThrown({ at: { count: 3, isSo: true, none: null } }, hide)).toEqual({
      at: { count: 3, isSo: true, none: null },
    });
  });

  it.each([
    ['a URL', new URL('https://me:4711083@b/'), 'https://me:***@b/'],
    ['a map', new Map([['key', SECRET]]), '[object Map]'],
    ['an object with a text of its own', { toString: (): string => `key ${SECRET}`, user: 'me' }, 'key ***'],
    [
      'a record without a prototype',
      Object.assign(Object.create(null), { key: SECRET, page: 2 }),
      { key: '***', page: 2 },
    ],
  ])('shows its text, or its parts if it is plain: %s', (_what, value, shown) => {
    expect(redactThrown({ value }, hide)).toEqual({ value: shown });
  });

  it.each([
    ['a record', () => ({})],
    ['an error', () => new Error('no s3cret')],
  ])('is looked at up to its limit only, if it is %s with many fields', (_what, make) => {
    let reads = 0;
    const read = () => `s3cret ${(reads += 1)}`;
    const wide = Object.defineProperties(
      make(),
      Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, { get: read, enumerable: true }])),
    );

    const shown = redactThrown({ response: { data: wide }, later: 's3cret' }, redact);

    expect(reads).toBeLessThanOrEqual(10_000);
    const { data } = Object(shown).response;
    expect(Object.keys(data).length).toBeLessThanOrEqual(10_000);
    expect(data.f0).toBe('*** 1');
    expect(inspect(shown)).not.toContain('s3cret');
  });

  it('is no more read once its limit is reached', () => {
    let reads = 0;
    const ten = () => [(reads += 1), ...Array(8).fill('a')];
    const fields = Array.from({ length: 5_000 }, (_, i) => [`f${i}`, { get: ten, enumerable: true }]);

    redactThrown(Object.defineProperties({}, Object.fromEntries(fields)), redact);

    expect(reads).toBe(1_000);
  });

  it('shows 10,000 parts in all, and of errors beyond them no fields', () => {
    const many = Array(6_000).fill('a');
    const error = Object.assign(new Error('no s3cret'), { code: 'E_s3cret' });

    const shown = Object(redactThrown([many, many, many], redact));
    const last = Object(redactThrown([...many.slice(0, 3_000), ...many, ...many.slice(0, 998), error], redact))[9_998];

    expect(shown.flat().filter((part: unknown) => part === 'a')).toHaveLength(9_997);
    expect([last.message, last.code]).toEqual(['no ***', undefined]);
    expect(last.stack).toContain('no ***');
  });

  it('shows no getter of its class beyond the limit, and still has its name, message and stack', () => {
    class WideError extends Error {
      get url() {
        return 'https://a:s3cret@b';
      }
    }
    const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, i]));
    const wide = Object.assign(new WideError('no s3cret'), fields, { name: 's3cret' });

    const shown = Object(redactThrown(wide, redact));

    expect([shown.name, shown.message, shown.url]).toEqual(['***', 'no ***', undefined]);
    expect(shown.stack).toContain('no ***');
  });

  it('is shown up to 10,000 parts, so that a large one costs little', () => {
    const large = redactThrown(
      Array.from({ length: 20_000 }, () => 'a'),
      hide,
    );
    expect(large).toEqual(Array.from({ length: 9_999 }, () => 'a'));
    expect(redactThrown(Object.assign([], { length: 1_000_000_000 }), hide)).toHaveLength(9_999);
    expect(
      Object(
        redactTexts(
          Array.from({ length: 20_000 }, () => 'a'),
          hide,
        ),
      )[19_999],
    ).toBe('a');
  });
});

it('outcomes have their error or reason redacted', () => {
  expect(redactOutcome({ kind: 'failed', error: 's3cret' }, redact)).toEqual({ kind: 'failed', error: '***' });
  expect(redactOutcome({ kind: 'aborted', reason: 's3cret' }, redact)).toEqual({ kind: 'aborted', reason: '***' });
  expect(redactOutcome({ kind: 'succeeded' }, redact)).toEqual({ kind: 'succeeded' });
});

it('triggers have the parameters of an operator redacted', () => {
  const trigger: Trigger = { jobName: 'a', fireTime: 1, origin: 'schedule', source: 'NORMAL_TRIGGER' };

  expect(redactTrigger(trigger, redact)).toEqual(trigger);
  expect(redactTrigger({ ...trigger, parameters: 'key=s3cret' }, redact)).toEqual({
    ...trigger,
    parameters: 'key=***',
  });
});

it.each([
  ['schedule', 'schedule'],
  [
    { id: '1', parameters: 's3cret' },
    { id: '1', parameters: '***' },
  ],
  [
    { id: '1', parameters: undefined },
    { id: '1', parameters: undefined },
  ],
] as const)('contexts show tracers no secret in their parameters and props: %j', (trigger, shownTrigger) => {
  const given: ShardingContext = Object.assign(Object.create(null), {
    jobParameter: 'job s3cret',
    shardingItem: 3,
    shardingParameter: trigger === 'schedule' ? 'item s3cret' : undefined,
    props: { key: 's3cret', url: 'b' },
    trigger,
    isMoving: () => true,
  });
  const shown = redactContext(given, redact);

  expect(shown.jobParameter).toBe('job ***');
  expect(shown.shardingParameter).toBe(trigger === 'schedule' ? 'item ***' : undefined);
  expect({ ...shown.props }).toEqual({ key: '***', url: 'b' });
  expect(shown.trigger).toEqual(shownTrigger);
  expect([shown.shardingItem, shown.isMoving()]).toEqual([3, true]);
});

it('a text has its secrets removed, and stays as it is otherwise', () => {
  expect(guardRedact(redact)('no s3cret here')).toBe('no *** here');
});

it.each([
  [
    'throws',
    () => {
      throw new Error('s3cret');
    },
  ],
  ['returns no text', () => JSON.parse('7')],
])('a function that %s shows no text', (_, broken: () => string) => {
  expect(guardRedact(broken)('s3cret')).toBe('(a text that could not be redacted)');
});
