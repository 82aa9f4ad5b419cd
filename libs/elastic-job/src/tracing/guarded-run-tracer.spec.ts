import { describe, expect, it, vi } from 'vitest';
import type { RunTrace, RunTracer, Trigger } from '../domain/index.js';
import { guardRunTracer } from './guarded-run-tracer.js';

const TRIGGER: Trigger = { jobName: 'traced', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' };
const BROKEN = new Error('the tracer is broken');
const FAILED = new Error('the handler has failed');
const CONTEXT: Parameters<RunTrace['aroundItem']>[0] = JSON.parse('{}');

/** Tracers as they are written, by what they do around a handler. */
const AROUND: readonly [string, (handle: () => unknown) => unknown][] = [
  ['awaits it', async (handle) => await handle()],
  [
    'awaits it with a finally',
    async (handle) => {
      try {
        return await handle();
      } finally {
        await Promise.resolve();
      }
    },
  ],
  ['returns a rejected promise', (handle) => Promise.all([handle(), Promise.reject(BROKEN)])],
  ['throws before it', () => fail(BROKEN)],
  ['never calls it', () => new Promise(() => {})],
  ['calls it twice', (handle) => [handle(), handle()]],
];

describe.each(AROUND)('a tracer whose aroundItem or within %s', (_what, around) => {
  it.each(['aroundItem', 'within'] as const)(
    'changes neither result nor failure of the handler, by %s',
    async (call) => {
      const failures: unknown[] = [];
      const unhandled = vi.fn<(reason: unknown) => void>();
      process.on('unhandledRejection', unhandled);
      const wrap = wrapped(call, around, failures);

      const good = vi.fn<() => Promise<number>>(() => Promise.resolve(5));
      await expect(wrap(good)).resolves.toBe(5);
      await expect(wrap(() => Promise.reject(FAILED))).rejects.toBe(FAILED);
      expect(() => wrap(() => fail(FAILED))).toThrow(FAILED);
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', unhandled);

      expect(good).toHaveBeenCalledOnce();
      expect(unhandled).not.toHaveBeenCalled();
      expect(failures.every((error) => error === BROKEN)).toBe(true);
    },
  );
});

const SECRET = new Error('secret');
// oxlint-disable-next-line unicorn/no-thenable -- a handler may return one, as query builders are
const REJECTING = { then: (_resolve: unknown, reject: (error: unknown) => void) => reject(SECRET) };
const UNREADABLE = new Proxy({}, { get: () => fail(SECRET) });

describe('a tracer', () => {
  it.each([
    ['throws', () => fail(SECRET)],
    ['returns a promise that rejects', () => Promise.reject(SECRET)],
    ['returns a thenable that rejects', () => REJECTING],
    ['returns a thenable that cannot be read', () => UNREADABLE],
  ])('sees a redacted failure of a handler that %s, and the job the whole one', async (_what, handle) => {
    const seen: unknown[] = [];
    const within = async (_traceparent: string, shown: () => unknown) => {
      try {
        await shown();
      } catch (error) {
        seen.push(error);
      }
    };
    const own: RunTracer = Object.assign(JSON.parse('{}'), { within });
    const tracer = guardRunTracer(own, { redact: (text) => text.replace('secret', '***') });

    const run = async (): Promise<unknown> => tracer.within('00', handle);
    await expect(run()).rejects.toBe(SECRET);
    await new Promise((resolve) => setImmediate(resolve));

    expect(seen).toEqual([expect.objectContaining({ message: '***' })]);
  });

  it.each([undefined, (text: string) => text])(
    'follows a lazy query of a handler once with it, redact %s',
    async (redact) => {
      const queries: string[] = [];
      // oxlint-disable-next-line unicorn/no-thenable -- a query builder runs its query at each call of then
      const query = { then: (resolve: (rows: string) => void) => resolve(`rows ${queries.push('select')}`) };
      const within = async (_traceparent: string, shown: () => unknown) => void (await shown());
      const own: RunTracer = Object.assign(JSON.parse('{}'), { within });

      await expect(guardRunTracer(own, { redact }).within('00', async () => query)).resolves.toBe('rows 1');
      await expect(
        (async (): Promise<unknown> => guardRunTracer(own, { redact }).within('00', () => query))(),
      ).resolves.toBe('rows 2');
      expect(queries).toHaveLength(2);
    },
  );

  it.each([undefined, (text: string) => text])('cannot change what it is given, with redact %s', (redact) => {
    const given: unknown[] = [];
    const take = (...args: unknown[]) => void given.push(...args.filter((one) => typeof one === 'object'));
    const trace: RunTrace = {
      traceparent: undefined,
      begun: take,
      settled: take,
      task: take,
      ended() {},
      aroundItem: (_context, handle) => handle(),
    };
    const start = (trigger: Trigger) => {
      take(trigger);
      return trace;
    };

    const guarded = guardRunTracer({ start }, { redact }).start({ ...TRIGGER, parameters: 'p' })!;
    guarded.begun({ jobName: 'traced', run: 'r', items: [0], repeated: new Map() });
    const state = { node: undefined, state: 'RUNNING', exitCode: undefined };
    guarded.task!(0, { id: 't', backend: 'b', launch: 1, isAdopted: false, ...state });
    guarded.settled(0, { kind: 'failed', error: FAILED });

    expect(given).toHaveLength(4);
    expect(given.filter((one) => !Object.isFrozen(one))).toEqual([]);
    expect(given[1]).toSatisfy(({ items }: { items: unknown }) => Object.isFrozen(items));
  });
});

describe('a tracer whose every call is async and rejects', () => {
  it('is reported by the name of the call, and nothing of it is unhandled', async () => {
    const reject = () => Promise.reject(BROKEN);
    const calls: string[] = [];
    const trace = { traceparent: 'x'.repeat(56), begun: reject, settled: reject, ended: reject, task: reject };
    const own: RunTracer = Object.assign(JSON.parse('{}'), {
      start: () => ({ ...trace, aroundItem: reject, traceparentOf: () => 5 }),
      within: reject,
    });
    const tracer = guardRunTracer(own, { onError: (call) => calls.push(call) });

    const guarded = tracer.start(TRIGGER)!;
    guarded.begun({ jobName: 'traced', run: undefined, items: [0], repeated: new Map() });
    expect(guarded.aroundItem(CONTEXT, () => 5)).toBe(5);
    expect(guarded.traceparent ?? guarded.traceparentOf!(0)).toBeUndefined();
    guarded.settled(0, { kind: 'succeeded' });
    guarded.ended();
    expect(tracer.within('00', () => 6)).toBe(6);
    await new Promise((resolve) => setImmediate(resolve));

    const names = ['aroundItem', 'begun', 'ended', 'settled', 'traceparent', 'traceparentOf', 'within'];
    expect(calls.toSorted((a, b) => a.localeCompare(b))).toEqual(names);
  });
});

function wrapped(call: 'aroundItem' | 'within', around: (handle: () => unknown) => unknown, failures: unknown[]) {
  const trace = { traceparent: undefined, begun() {}, settled() {}, ended() {} };
  const own: RunTracer = Object.assign(JSON.parse('{}'), {
    start: () => ({ ...trace, aroundItem: (_context: unknown, handle: () => unknown) => around(handle) }),
    within: (_traceparent: string, handle: () => unknown) => around(handle),
  });
  const tracer = guardRunTracer(own, { onError: (_call, error) => failures.push(error) });
  return <Result>(handle: () => Result): Result =>
    call === 'within' ? tracer.within('00', handle) : tracer.start(TRIGGER)!.aroundItem(CONTEXT, handle);
}

function fail(error: unknown): never {
  throw error;
}
