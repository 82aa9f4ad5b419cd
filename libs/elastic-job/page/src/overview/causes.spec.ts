import { describe, expect, it } from 'vitest';
import type { ItemAnswer, JobAnswer, JobRow } from '../../../src/console/contract/job-answers.js';
import { ITEM, RUN, TASK } from '../job/items.for-spec.js';
import { causesOf } from './causes.js';

const ROW: JobRow = {
  job: 'settle-orders',
  label: null,
  status: 'OK',
  attention: [],
  cron: '0 0 2 * * ?',
  timeZone: null,
  nextFireTime: null,
  items: 3,
  running: 0,
  disabledItems: [],
  instances: 2,
  javaInstances: 0,
  leader: '10.0.0.1@-@1',
  template: null,
  isBeingRemoved: false,
  resident: false,
  inTasks: false,
  registeredIn: 'code',
  problem: null,
  lastFireTimes: null,
  failedSince: null,
  lastGoodAt: null,
  p95DurationMs: null,
  asOf: '2026-11-30T02:00:00.000Z',
};
const JOB: JobAnswer = {
  ...ROW,
  description: '',
  after: [],
  disabled: null,
  servers: [],
  members: [],
  configVersion: 0,
  stale: false,
};

function item(number: number, facts: Partial<ItemAnswer> = {}): ItemAnswer {
  return { ...ITEM, item: number, ...facts };
}

describe('what needs attention', () => {
  it('tells which items have failed, since when, and the error', () => {
    const failed = (settledAt: string, error: string | null) => {
      return { lastRun: { ...RUN, outcome: 'failed', settledAt, error } } as const;
    };
    const items = [
      item(0),
      item(1, failed('2026-11-30T02:03:00.000Z', null)),
      item(2, failed('2026-11-30T02:01:00.000Z', 'no bank')),
    ];

    expect(causesOf({ ...ROW, attention: ['failed'] }, { items })).toEqual([
      { reason: 'failed', since: '2026-11-30T02:01:00.000Z', items: [1, 2], text: 'no bank', by: undefined },
    ]);
  });

  it('has a line for each cause before anything else is known of the job, the most severe first', () => {
    const causes = causesOf({ ...ROW, attention: ['queued', 'disabled', 'crashed'] }, {});
    expect(causes.map(({ reason, since }) => [reason, since])).toEqual([
      ['crashed', undefined],
      ['queued', undefined],
      ['disabled', undefined],
    ]);
  });

  it('tells who has disabled a job, when and why', () => {
    const disabled = { by: 'ops-2', at: '2026-11-28T00:00:00.000Z', reason: 'vendor', newServers: 'disabled' } as const;
    const job: JobAnswer = { ...JOB, disabled };

    expect(causesOf({ ...ROW, status: 'DISABLED', attention: ['disabled'] }, { job })).toMatchObject([
      { since: '2026-11-28T00:00:00.000Z', text: 'vendor', by: { by: 'ops-2' }, items: [] },
    ]);
  });

  it('finds the task of which nobody knows if it runs', () => {
    const task = { ...TASK, state: 'UNREACHABLE', since: '2026-11-30T01:00:00.000Z' };
    expect(causesOf(ROW, { items: [item(0), item(1, { task })] })).toMatchObject([
      { reason: 'task-unreachable', items: [1], since: '2026-11-30T01:00:00.000Z' },
    ]);
  });
});
