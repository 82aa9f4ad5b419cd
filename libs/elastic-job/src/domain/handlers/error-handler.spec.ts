import { describe, expect, it } from 'vitest';
import { describeReport } from './error-handler.js';

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
