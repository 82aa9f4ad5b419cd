import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTaskReport, MOST_REPORT_BYTES, readTaskReport, type TaskReport, taskReport } from './task-report.js';

const written = (thrown: unknown): { readonly text: string; readonly report: TaskReport } => {
  const text = formatTaskReport(taskReport('failed', 7.4, thrown));
  return { text, report: JSON.parse(text) };
};

describe('the report of a task', () => {
  it('has no error if the task has succeeded', () => {
    expect(taskReport('succeeded', 7.4)).toEqual({ v: 1, outcome: 'succeeded', ms: 7 });
  });

  it('keeps name and message, and cuts a long stack', () => {
    const error = Object.assign(new RangeError('no such row'), { stack: 'at x\n'.repeat(5_000) });
    const { text, report } = written(error);

    expect(report.error).toMatchObject({ name: 'RangeError', message: 'no such row' });
    expect(report.error?.stack).toMatch(/at x\n \.\.\.$|at? ?x?\n? \.\.\.$/);
    expect(Buffer.byteLength(text)).toBeGreaterThan(MOST_REPORT_BYTES - 20);
  });

  it('keeps the name, cuts a long message, and leaves out the stack', () => {
    const { text, report } = written(new RangeError('ä"'.repeat(5_000)));

    expect(report.error).toEqual({ name: 'RangeError', message: expect.stringMatching(/^ä"ä".* \.\.\.$/) });
    expect(Buffer.byteLength(text)).toBeGreaterThan(MOST_REPORT_BYTES - 20);
  });

  it('cuts what a huge error says before it is made into JSON', () => {
    const { error } = taskReport('failed', 7.4, new RangeError('x'.repeat(5_000_000)));

    expect(error!.message.length).toBeLessThanOrEqual(MOST_REPORT_BYTES + 4);
    expect(error!.stack!.length).toBeLessThanOrEqual(MOST_REPORT_BYTES + 4);
    expect(taskReport('failed', 7.4, 'x'.repeat(5_000_000)).error!.message.length).toBeLessThan(5_000);
  });

  it.each([
    ['a text', 'a text'],
    [{ code: 7 }, '{"code":7}'],
    [{ toJSON: () => fail() }, '[object Object]'],
    [Symbol('odd'), 'Symbol(odd)'],
  ])('shows the thrown value %o as "%s"', (thrown, message) => {
    expect(written(thrown).report.error).toEqual({ name: 'Error', message });
  });

  it('fits its limit and can be read, whatever is thrown', () => {
    const texts = fc.string({ maxLength: 9_000, unit: 'binary' });
    fc.assert(
      fc.property(texts, texts, texts, (name, message, stack) => {
        const { text } = written(Object.assign(new Error(message), { name, stack }));
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_REPORT_BYTES);
      }),
      { numRuns: 200 },
    );
  });
});

function fail(): never {
  throw new Error('no JSON of this');
}

it('leaves out the fields that do not belong to a report', () => {
  const error = { name: 'Error', message: 'no such order', stack: 'at settle', code: 7 };
  expect(readTaskReport({ v: 1, outcome: 'failed', ms: 5, error, node: 'x' })).toEqual({
    v: 1,
    outcome: 'failed',
    ms: 5,
    error: { name: 'Error', message: 'no such order', stack: 'at settle' },
  });
  expect(readTaskReport({ v: 1, outcome: 'succeeded', ms: 0, error: 'none' })).toEqual({
    v: 1,
    outcome: 'succeeded',
    ms: 0,
  });
});

it.each([
  null,
  5,
  [],
  {},
  { v: 2, outcome: 'succeeded', ms: 1 },
  { v: 1, outcome: 'dreamt', ms: 1 },
  { v: 1, outcome: 'succeeded', ms: -1 },
  { v: 1, outcome: 'succeeded' },
  { v: 1, outcome: 'failed', ms: 1, error: { name: 'Error', message: 'x'.repeat(5_000) } },
])('does not accept %j as a report', (value) => {
  expect(readTaskReport(value)).toBeUndefined();
});
