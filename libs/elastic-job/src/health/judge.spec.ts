import { describe, expect, it } from 'vitest';
import { judgeLiveness, judgeReadiness } from './judge.js';
import { inState, job, NOW, statusWith } from '@test/support/unit/status.js';

describe('judgeReadiness', () => {
  it('is up and shows the number of fire times that nobody ran', () => {
    const { status, details } = judgeReadiness(statusWith({}, { missedRuns: 3 }));
    expect(status).toBe('up');
    expect(details.jobs['settle-orders']).toMatchObject({ missedRuns: 3 });
  });

  it.each([
    ['a session lost a moment ago', inState('LOST', 30_000), 'degraded'],
    ['a job without a leader', statusWith({}, { leader: undefined }), 'degraded'],
    ['a job that has yet to rejoin', statusWith({}, { isJoined: false }), 'degraded'],
    ['a starting process', statusWith({ phase: 'starting' }), 'down'],
    ['a web process, whose jobs have no leader', statusWith({ processing: false }, { leader: undefined }), 'up'],
  ])('is $2 for %s', (_case, status, expected) => {
    expect(judgeReadiness(status).status).toBe(expected);
  });

  it('takes the worst of several findings, and reports each', () => {
    const health = judgeReadiness({
      ...inState('SUSPENDED', 4_000),
      jobs: [{ ...job, problem: 'the cron cannot be used' }],
    });
    expect(health.status).toBe('down');
    expect(health.details.reasons).toEqual([
      'the registry session has been SUSPENDED for 4 s',
      'job "settle-orders": the cron cannot be used',
    ]);
  });

  it('is up and shows the differences if the registry overrules the code', () => {
    const differences = ['cron: 0 0 2 * * ? here, 0 0 3 * * ? in the registry'];
    const health = judgeReadiness(statusWith({}, { differences }));
    expect(health.status).toBe('up');
    expect(health.details.jobs['settle-orders']).toMatchObject({ differences });
  });
});

describe('judgeLiveness', () => {
  it('is down and names the job if a fire time is overdue beyond the limit', () => {
    const late = statusWith({}, { nextFireTime: NOW - 120_001 });
    expect(judgeLiveness(late, NOW).status).toBe('down');
    expect(judgeLiveness(late, NOW).details.reasons[0]).toMatch(/"settle-orders" should have fired/);
    expect(judgeLiveness(late, NOW, { lagMs: 200_000 }).status).toBe('up');
  });
});
