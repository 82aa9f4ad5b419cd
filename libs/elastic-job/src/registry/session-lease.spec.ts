import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { leaseMarginMs, momentOf, SessionLease } from './session-lease.js';

const TIMEOUT_MS = 10_000;
let clock: VirtualClock;
let lease: SessionLease;

beforeEach(() => {
  clock = new VirtualClock();
  lease = new SessionLease(clock);
});

describe('the lease of a session', () => {
  it('given no session, when it is asked, then nothing may be believed', () => {
    expect(lease.remainingMs()).toBe(0);
    lease.prove(momentOf(clock));
    expect(lease.remainingMs()).toBe(0);
  });

  it('given a session, when time passes without an answer, then belief ends a fifth before the timeout', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    expect(lease.remainingMs()).toBe(8_000);
    await clock.advance(7_999);
    expect(lease.remainingMs()).toBe(1);
    await clock.advance(1);
    expect(lease.remainingMs()).toBe(0);
    await clock.advance(60_000);
    expect(lease.remainingMs()).toBe(0);
  });

  it('given answers, when belief is renewed, then it counts from the sending of the request, never back', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    await clock.advance(1_000);
    const early = momentOf(clock);
    await clock.advance(1_000);
    const late = momentOf(clock);
    await clock.advance(3_000);
    lease.prove(late);
    expect(lease.ageMs()).toBe(3_000);
    lease.prove(early);
    expect(lease.remainingMs()).toBe(5_000);
  });

  it('given a machine that slept, when it wakes, then the wall clock ends the belief', () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    clock.setWall(clock.wallNow() + 8_000);
    expect(lease.remainingMs()).toBe(0);
  });

  it('asks a server for 2 s when the wall clock alone says that the session is over', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    await clock.advance(1_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 2_000]);
    await clock.advance(1_500);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 500]);
    await clock.advance(500);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('asks no longer than the lease lasts by the monotonic clock', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    await clock.advance(7_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect(lease.untilLossMs()).toBe(1_000);
    await clock.advance(1_000);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('is believed in again once a request from after the step is answered, and asks at the next step', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    const before = momentOf(clock);
    await clock.advance(1_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect(lease.untilLossMs()).toBe(2_000);
    await clock.advance(1_000);
    lease.prove(before);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 1_000]);
    lease.prove(momentOf(clock));
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([8_000, 8_000]);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 2_000]);
  });

  it('ends without a question when the monotonic clock says so as well', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    clock.setWall(clock.wallNow() + 3_600_000);
    await clock.advance(8_000);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('given a wall clock that is set back, when belief is asked for, then it is no longer than before', async () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    clock.setWall(clock.wallNow() - 3_600_000);
    await clock.advance(5_000);
    expect(lease.remainingMs()).toBe(3_000);
  });

  it('given a session that is over, when it is asked, then nothing may be believed until the next grant', () => {
    lease.grant(TIMEOUT_MS, momentOf(clock));
    lease.end();
    lease.prove(momentOf(clock));
    expect(lease.remainingMs()).toBe(0);
    lease.grant(3_000, momentOf(clock));
    expect(lease.remainingMs()).toBe(2_400);
  });

  it.each([
    [10_000, undefined, 2_000],
    [10_000, 500, 2_000],
    [10_000, 2_500, 2_500],
    [10_000, 9_000, 10_000 / 3],
  ])(
    'given a timeout of %d ms and ticks of %s ms, when the margin is computed, then it is %d ms',
    (timeout, tick, ms) => {
      expect(leaseMarginMs(timeout, tick)).toBeCloseTo(ms);
    },
  );
});
