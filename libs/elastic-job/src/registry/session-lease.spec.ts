import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { clockTimesOf, leaseMarginMs, lossGraceMs, SessionLease } from './session-lease.js';

const TIMEOUT_MS = 10_000;
let clock: VirtualClock;
let lease: SessionLease;

beforeEach(() => {
  clock = new VirtualClock();
  lease = new SessionLease(clock);
});

describe('the lease of a session', () => {
  it('has no time left without a session, even if a request is answered', () => {
    expect(lease.remainingMs()).toBe(0);
    lease.prove(clockTimesOf(clock));
    expect(lease.remainingMs()).toBe(0);
  });

  it('ends a fifth before the session timeout if no answer comes', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    expect(lease.remainingMs()).toBe(8_000);
    await clock.advance(7_999);
    expect(lease.remainingMs()).toBe(1);
    await clock.advance(1);
    expect(lease.remainingMs()).toBe(0);
    await clock.advance(60_000);
    expect(lease.remainingMs()).toBe(0);
  });

  it('counts from the sending of the latest request that was answered, and never goes back', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    await clock.advance(1_000);
    const early = clockTimesOf(clock);
    await clock.advance(1_000);
    const late = clockTimesOf(clock);
    await clock.advance(3_000);
    lease.prove(late);
    expect(lease.ageMs()).toBe(3_000);
    lease.prove(early);
    expect(lease.remainingMs()).toBe(5_000);
  });

  it('ends by the wall clock if the machine has slept', () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    clock.setWall(clock.wallNow() + 8_000);
    expect(lease.remainingMs()).toBe(0);
  });

  it('asks a server for 2 s when the wall clock alone says that the session is over', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    await clock.advance(1_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 2_000]);
    await clock.advance(1_500);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 500]);
    await clock.advance(500);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('asks no longer than the lease lasts by the monotonic clock', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    await clock.advance(7_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect(lease.untilLossMs()).toBe(1_000);
    await clock.advance(1_000);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('is believed in again once a request from after the step is answered, and asks at the next step', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    const before = clockTimesOf(clock);
    await clock.advance(1_000);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect(lease.untilLossMs()).toBe(2_000);
    await clock.advance(1_000);
    lease.prove(before);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 1_000]);
    lease.prove(clockTimesOf(clock));
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([8_000, 8_000]);
    clock.setWall(clock.wallNow() + 3_600_000);
    expect([lease.remainingMs(), lease.untilLossMs()]).toEqual([0, 2_000]);
  });

  it('ends without a question when the monotonic clock says so as well', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    clock.setWall(clock.wallNow() + 3_600_000);
    await clock.advance(8_000);
    expect(lease.untilLossMs()).toBe(0);
  });

  it('lasts no longer if the wall clock is set back', async () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    clock.setWall(clock.wallNow() - 3_600_000);
    await clock.advance(5_000);
    expect(lease.remainingMs()).toBe(3_000);
  });

  it('has no time left after its end until the next grant', () => {
    lease.grant(TIMEOUT_MS, clockTimesOf(clock));
    lease.end();
    lease.prove(clockTimesOf(clock));
    expect(lease.remainingMs()).toBe(0);
    lease.grant(3_000, clockTimesOf(clock));
    expect(lease.remainingMs()).toBe(2_400);
  });

  it.each([
    [10_000, undefined, 2_000],
    [10_000, 500, 2_000],
    [10_000, 2_500, 2_500],
    [10_000, 9_000, 10_000 / 3],
  ])('derives from a timeout of %d ms and ticks of %s ms a margin of %d ms', (timeout, tick, ms) => {
    expect(leaseMarginMs(timeout, tick)).toBeCloseTo(ms);
  });

  it('leaves half of its margin to what must have ended before the ensemble can end the session', () => {
    expect([15_000, 3_000].map((timeout) => lossGraceMs(timeout))).toEqual([1_500, 300]);
  });
});
