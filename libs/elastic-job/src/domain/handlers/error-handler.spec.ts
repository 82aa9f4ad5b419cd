import { describe, expect, it } from 'vitest';
import { describeError, describeReport } from './error-handler.js';

const AT = Date.UTC(2030, 0, 1);
const report = {
  jobName: 'settle-orders',
  item: 3,
  taskId: 't',
  fireTime: AT,
  source: 'NORMAL_TRIGGER',
  error: 'out of stock',
  count: 1,
  since: AT,
  until: AT,
} as const;

describe('describeReport', () => {
  it('given one failure, when told, then the text begins as that of ElasticJob', () => {
    expect(describeReport(report)).toBe(
      "Job 'settle-orders' exception occur in job processing, item 3, " +
        'at 2030-01-01T00:00:00.000Z, caused by out of stock',
    );
  });

  it('given many, when told, then their number and span come before the stack', () => {
    expect(describeReport({ ...report, count: 999, until: AT + 60_000 })).toContain(
      'item 3, 999 times from 2030-01-01T00:00:00.000Z to 2030-01-01T00:01:00.000Z, caused by',
    );
  });
});

describe('describeError', () => {
  it('given an error with a cause, when told, then both stacks are there', () => {
    const text = describeError(new Error('no order', { cause: new TypeError('no row') }));
    expect(text).toMatch(/^Error: no order\n +at .*\nCaused by: TypeError: no row\n +at /s);
  });

  it('given errors that cause each other, when told, then the text ends', () => {
    const error = new Error('a');
    error.cause = error;
    expect(describeError(error).match(/Caused by/g)).toHaveLength(5);
  });

  it.each([undefined, null, Symbol('x'), Object.create(null), Object.assign(new Error('m'), { stack: undefined })])(
    'given a value that is hardly an error (%#), when told, then there is a text',
    (error) => {
      expect(describeError(error)).toMatch(/\S/);
    },
  );
});
