import { describe, expect, it } from 'vitest';
import { judgeLiveness, judgeReadiness } from './judge.js';
import { inState, job, NOW, statusWith } from '@test/support/unit/status.js';

describe('judgeReadiness', () => {
  it('is up and shows the job if the process is connected and the job has a leader', () => {
    expect(judgeReadiness(statusWith())).toEqual({
      status: 'up',
      details: {
        reasons: [],
        phase: 'running',
        session: 'CONNECTED',
        jobs: {
          'settle-orders': { leader: '10.0.0.1@-@7-1a', nextFireTime: '2026-01-01T00:00:05.000Z', runningItems: 2 },
        },
      },
    });
  });

  it('is up and shows the number of fire times that nobody ran', () => {
    const { status, details } = judgeReadiness(statusWith({}, { missedRuns: 3 }));
    expect(status).toBe('up');
    expect(details.jobs['settle-orders']).toMatchObject({ missedRuns: 3 });
  });

  it.each([
    ['a suspended session, however long', inState('SUSPENDED', 600_000), 'degraded'],
    ['a session lost a moment ago', inState('LOST', 30_000), 'degraded'],
    ['a session lost for longer than the limit', inState('LOST', 30_001), 'down'],
    ['a session reconnected', inState('RECONNECTED', 10), 'up'],
    ['a job without a leader', statusWith({}, { leader: undefined }), 'degraded'],
    [
      'a job that is disabled here, and so has no leader',
      statusWith({}, { leader: undefined, isDisabled: true }),
      'up',
    ],
    ['a job whose failover queue is full', statusWith({}, { isFailoverQueueFull: true }), 'degraded'],
    ['a job that has yet to rejoin', statusWith({}, { isJoined: false }), 'degraded'],
    [
      'a job whose configuration in the registry cannot be used',
      statusWith({}, { configurationFault: 'cron: often' }),
      'degraded',
    ],
    [
      'a created job that rests',
      statusWith({}, { isJoined: false, isResting: true, problem: 'shardingTotalCount is 500' }),
      'degraded',
    ],
    [
      'a template with too many jobs',
      statusWith({ resting: [{ template: 'report', count: 1, jobNames: ['a'], reason: 'jobs rest: a' }] }),
      'degraded',
    ],
    ['a job shared with a foreign instance', statusWith({}, { problem: 'shared with 10.0.0.9@-@1' }), 'down'],
    [
      'a handler that does not heed its signal',
      statusWith({}, { hung: [{ item: 3, since: NOW, reason: new Error('late'), isReleased: false }] }),
      'degraded',
    ],
    ['a draining process', statusWith({ phase: 'draining' }), 'down'],
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
  it('is up while the process drains, since a restart would not help', () => {
    expect(judgeLiveness(statusWith({ phase: 'draining' }), NOW).status).toBe('up');
  });

  it('is only degraded after the session has been lost for an hour', () => {
    expect(judgeLiveness(inState('LOST', 3_600_000), NOW).status).toBe('degraded');
  });

  it('is down and names the job if a fire time is overdue beyond the limit', () => {
    const late = statusWith({}, { nextFireTime: NOW - 120_001 });
    expect(judgeLiveness(late, NOW).status).toBe('down');
    expect(judgeLiveness(late, NOW).details.reasons[0]).toMatch(/"settle-orders" should have fired/);
    expect(judgeLiveness(late, NOW, { lagMs: 200_000 }).status).toBe('up');
  });
});
