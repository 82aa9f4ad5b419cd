import { describe, expect, it } from 'vitest';
import type { FailureReport, JobFailure } from './error-handler.js';
import { joinReports, kindOfFailure } from './failure-collapse.decision.js';

const failure: JobFailure = {
  jobName: 'settle-orders',
  item: 0,
  taskId: 'settle-orders@-@0@-@READY@-@10.0.0.1@-@1',
  fireTime: 0,
  source: 'NORMAL_TRIGGER',
  error: new Error('down'),
};

describe('joinReports', () => {
  it('keeps the number and the time span of a thousand joined failures', () => {
    const report = (at: number) => ({ ...failure, item: at, count: 1, since: at, until: at });
    let held: FailureReport = report(1);
    for (let at = 2; at <= 1_000; at += 1) held = joinReports(held, report(at));
    expect(held).toEqual({ ...failure, item: 1_000, count: 1_000, since: 1, until: 1_000 });
  });
});

describe('kindOfFailure', () => {
  const thrownAt = (message: string) => new Error(message);
  const kindOf = (error: unknown, jobName = 'j') => kindOfFailure({ jobName, error });

  it('counts messages that differ only in their numbers as one kind', () => {
    const [first, second, longer] = [17, 18, 190].map((order) => thrownAt(`order ${order} is locked`));
    expect(kindOf(first)).toBe(kindOf(second));
    expect(kindOf(first)).toBe(kindOf(longer));
  });

  it('is short: of a long message the beginning counts, and of the stack the first place', () => {
    const long = thrownAt(`${'x'.repeat(500)} and more`);
    const from = (stack: string) => Object.assign(new Error('down'), { stack: `Error: down\n${stack}` });
    const place = '    at settle (orders.js:1:2)';

    expect(kindOf(long)).toBe(kindOf(Object.assign(thrownAt('x'.repeat(500)), { stack: long.stack })));
    expect(kindOf(from(place))).toBe('j\nError\ndown\nat settle (orders.js:1:2)');
    expect(kindOf(from(`look at this\n${place}\n    at next (a.js:3:4)`))).toBe(kindOf(from(place)));
    expect(kindOf(from(`${place}   `))).toBe(kindOf(from(place)));
  });

  it.each<[string, unknown, string]>([
    ['another job', thrownAt('down'), 'k'],
    ['another message', thrownAt('up'), 'j'],
    ['another name', Object.assign(thrownAt('down'), { name: 'DriverError' }), 'j'],
    ['another place', new Error('down'), 'j'],
    ['no error', 'down', 'j'],
  ])('counts a failure with %s as another kind', (_, error, jobName) => {
    expect(kindOf(error, jobName)).not.toBe(kindOf(thrownAt('down')));
  });

  it.each([
    undefined,
    null,
    Symbol('x'),
    Object.create(null),
    Object.assign(new Error(), { message: {}, stack: null }),
  ])('gives a kind to a value that is hardly an error (%#)', (error) => {
    expect(kindOf(error)).toMatch(/^j\n/);
  });
});
