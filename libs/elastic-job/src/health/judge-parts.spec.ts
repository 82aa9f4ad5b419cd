import { describe, expect, it } from 'vitest';
import { judgeLeadership, judgeRegistry, judgeScheduleLag } from './judge-parts.js';
import { inState, NOW, statusWith } from '@test/support/unit/status.js';

describe('judgeRegistry', () => {
  it.each([
    ['a connected session', inState('CONNECTED', 1_000), 'up'],
    ['one that is back', inState('RECONNECTED', 1_000), 'up'],
    ['a suspended one, however long', inState('SUSPENDED', 600_000), 'degraded'],
    ['one that was lost a moment ago', inState('LOST', 30_000), 'degraded'],
    ['one that was lost for longer than the limit', inState('LOST', 30_001), 'down'],
    ['none', inState(undefined, 0), 'down'],
    ['a connected session of a process that drains', { ...inState('CONNECTED', 1), phase: 'draining' as const }, 'up'],
  ])('is $2 for %s', (_case, status, expected) => {
    const { status: verdict, details } = judgeRegistry(status);
    expect(verdict).toBe(expected);
    expect(details.session).toBe(status.session.state ?? 'none');
    expect(details.reasons).toHaveLength(expected === 'up' ? 0 : 1);
  });
});

describe('judgeLeadership', () => {
  it('is degraded and names the job if a job has no leader', () => {
    const { status, details } = judgeLeadership(statusWith({}, { leader: undefined }));
    expect(status).toBe('degraded');
    expect(details).toEqual({ reasons: ['job "settle-orders" has no leader'], leaders: { 'settle-orders': null } });
  });

  it('is up if the job is disabled here: a job that is disabled on all servers needs no leader', () => {
    const { status, details } = judgeLeadership(statusWith({}, { leader: undefined, isDisabled: true }));
    expect(status).toBe('up');
    expect(details).toEqual({ reasons: [], leaders: { 'settle-orders': null } });
  });

  it('ignores the leader of a job that the process has not joined', () => {
    expect(judgeLeadership(statusWith({}, { isJoined: false, leader: undefined })).status).toBe('up');
  });
});

describe('judgeScheduleLag', () => {
  it.each([
    ['the next fire time is to come', NOW + 1, 'up', 0],
    ['it is due since a moment', NOW - 5_000, 'up', 5_000],
    ['it is overdue', NOW - 5_001, 'degraded', 5_001],
    ['it is overdue beyond the limit of liveness', NOW - 120_001, 'down', 120_001],
  ])('is $2 if %s', (_case, nextFireTime, expected, lagMs) => {
    const { status, details } = judgeScheduleLag(statusWith({}, { nextFireTime }), NOW);
    expect(status).toBe(expected);
    expect(details.lagMs).toEqual({ 'settle-orders': lagMs });
  });

  it('is up, without a lag, if the job is paused', () => {
    const { status, details } = judgeScheduleLag(statusWith({}, { nextFireTime: undefined }), NOW);
    expect({ status, lagMs: details.lagMs }).toEqual({ status: 'up', lagMs: {} });
  });

  it('goes by the limits of the user', () => {
    const late = statusWith({}, { nextFireTime: NOW - 3_000 });
    expect(judgeScheduleLag(late, NOW, { degradedLagMs: 1_000 }).status).toBe('degraded');
    expect(judgeScheduleLag(late, NOW, { lagMs: 2_000, degradedLagMs: 1_000 }).status).toBe('down');
  });
});
