import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { startOrder, SuspendedGrace } from './own-jobs.js';

const SUSPENDED = { state: 'SUSPENDED', id: '1', timeoutMs: 10_000 } as const;
const RECONNECTED = { state: 'RECONNECTED', id: '1', timeoutMs: 10_000 } as const;

describe('the order in which jobs join', () => {
  it('puts each job after its parents, and independent jobs first', () => {
    const jobs = [job('c', 'b'), job('b', 'a', 'elsewhere'), job('x'), job('a')];

    expect(namesIn(jobs)).toEqual([['x', 'a'], ['b'], ['c']]);
  });

  it('puts jobs that wait for each other last, together', () => {
    expect(namesIn([job('a', 'b'), job('b', 'a'), job('x')])).toEqual([['x'], ['a', 'b']]);
  });
});

describe('the grace of a session that is interrupted', () => {
  it('is over once the registry has not answered for so long, and not before', async () => {
    const { clock, grace, over } = setUp(3_000);
    grace.sessionChanged(SUSPENDED);
    await clock.advance(2_999);
    expect(over).toEqual([]);
    await clock.advance(1);
    expect(over).toEqual([3_000]);
  });

  it('begins anew with each interruption, and leaves no timer behind', async () => {
    const { clock, grace, over } = setUp(3_000);
    grace.sessionChanged(SUSPENDED);
    await clock.advance(2_000);
    grace.sessionChanged(RECONNECTED);
    expect(clock.pendingTimers).toBe(0);
    grace.sessionChanged(SUSPENDED);
    await clock.advance(2_000);
    grace.stop();
    await clock.advance(60_000);
    expect([over, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('is never over if it is unlimited', async () => {
    const { clock, grace, over } = setUp(undefined);
    grace.sessionChanged(SUSPENDED);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(60_000);
    expect(over).toEqual([]);
  });
});

function namesIn(jobs: readonly ReturnType<typeof job>[]): readonly (readonly string[])[] {
  return startOrder(jobs).map((group) => group.map(({ jobName }) => jobName));
}

function job(jobName: string, ...after: readonly string[]) {
  return { jobName, configuration: { after } };
}

function setUp(graceMs: number | undefined) {
  const clock = new VirtualClock();
  const over: number[] = [];
  return { clock, over, grace: new SuspendedGrace(clock, graceMs, (ms) => over.push(ms)) };
}
