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
  it('begins the text of one failure as ElasticJob does', () => {
    expect(describeReport(report)).toBe(
      "Job 'settle-orders' exception occur in job processing, item 3, " +
        'at 2030-01-01T00:00:00.000Z, caused by out of stock',
    );
  });

  it('puts the number and the time span of many failures before the stack', () => {
    expect(describeReport({ ...report, count: 999, until: AT + 60_000 })).toContain(
      'item 3, 999 times from 2030-01-01T00:00:00.000Z to 2030-01-01T00:01:00.000Z, caused by',
    );
  });
});

describe('describeError', () => {
  it('shows the stacks of an error and of its cause', () => {
    const text = describeError(new Error('no order', { cause: new TypeError('no row') }));
    expect(text).toMatch(/^Error: no order\n +at .*\nCaused by: TypeError: no row\n +at /s);
  });

  it('ends the text after five causes if errors cause each other', () => {
    const error = new Error('a');
    error.cause = error;
    expect(describeError(error).match(/Caused by/g)).toHaveLength(5);
  });

  it.each([undefined, null, Symbol('x'), Object.create(null), Object.assign(new Error('m'), { stack: undefined })])(
    'gives a text for a value that is hardly an error (%#)',
    (error) => {
      expect(describeError(error)).toMatch(/\S/);
    },
  );
});
