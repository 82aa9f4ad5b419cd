import { expect, it } from 'vitest';
import { fetchFault, rootCause } from './fetch-fault.js';

it('keeps name, message and code of an error and of its cause, and no other field', () => {
  const cause = Object.assign(new RangeError('refused'), { code: 'ECONNREFUSED', answer: 's3cret' });

  const fault = fetchFault(new TypeError('fetch failed', { cause }));

  expect(fault).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  expect(fault.cause).toMatchObject({ name: 'RangeError', message: 'refused', code: 'ECONNREFUSED' });
  expect(fault.cause).not.toHaveProperty('answer');
  expect(fault).not.toHaveProperty('code');
});

it.each([
  ['the message of the innermost cause', new Error('refused'), 'refused'],
  ['its name if it has no message', new AggregateError([]), 'AggregateError'],
])('has as its reason %s', (_what, cause, reason) => {
  expect(rootCause(new TypeError('fetch failed', { cause }))).toBe(reason);
});

it('has a reason though its causes are a circle', () => {
  const circle = new Error('refused');
  circle.cause = circle;

  expect(rootCause(circle)).toBe('refused');
});

it('keeps five causes, and the reason is the fifth if there are more', () => {
  const chain = (length: number): Error =>
    new Error(`error ${length}`, length === 0 ? undefined : { cause: chain(length - 1) });
  const kept = (error: unknown): string[] => (error instanceof Error ? [error.message, ...kept(error.cause)] : []);

  expect(kept(fetchFault(chain(9)))).toEqual(['error 9', 'error 8', 'error 7', 'error 6', 'error 5', 'error 4']);
  expect(rootCause(chain(9))).toBe('error 4');
});

it('has no cause that is not an error, since it may be what the server has answered', () => {
  expect(fetchFault(new Error('failed', { cause: 's3cret' })).cause).toBeUndefined();
});

it('shows its code, and can be changed as any other error', () => {
  const fault = fetchFault(Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' }));

  expect(Object.keys(fault)).toEqual(['code']);
  expect(Object.assign(fault, { name: 'Fault', code: 'OTHER' })).toMatchObject({ name: 'Fault', code: 'OTHER' });
  expect(['name', 'code'].map((field) => Reflect.deleteProperty(fault, field))).toEqual([true, true]);
});

it('has its name where somebody has made the name of all errors read-only', () => {
  const base: object = Error.prototype;
  const usual = Object.getOwnPropertyDescriptor(base, 'name')!;
  try {
    Object.defineProperty(base, 'name', { ...usual, writable: false });

    expect(fetchFault(new TypeError('fetch failed')).name).toBe('TypeError');
  } finally {
    Object.defineProperty(base, 'name', usual);
  }
});

it('tells of an error whose code cannot be read', () => {
  const broken = Object.defineProperty(new Error('fetch failed'), 'code', {
    get: () => {
      throw new Error('no code');
    },
  });

  expect(fetchFault(broken).message).toBe('fetch failed');
});
