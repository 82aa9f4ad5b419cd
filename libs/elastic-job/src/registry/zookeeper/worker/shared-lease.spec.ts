import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { clockTimesOf } from '../../session-lease.js';
import { SharedLease, sharedLeaseMemory } from './shared-lease.js';

const TIMEOUT_MS = 10_000;
/** The timeout less a fifth of it. */
const WHOLE_MS = 8_000;
const clock = new SystemClock();

describe('a lease that threads share', () => {
  afterEach(() => vi.restoreAllMocks());

  it('has no time left before it was granted', () => {
    const lease = newLease();
    expect(lease.remainingMs()).toBe(0);
    expect(lease.ageMs()).toBe(Infinity);
  });

  it('counts from the moment of the request, and ends a fifth before the timeout', () => {
    const lease = newLease();
    lease.grant(TIMEOUT_MS, ago(3_000));
    expect(WHOLE_MS - 3_000 - lease.remainingMs()).toBeCloseTo(0, -2);
    expect(lease.ageMs() - 3_000).toBeCloseTo(0, -2);
  });

  it('is renewed by later proofs only', () => {
    const lease = newLease();
    lease.grant(TIMEOUT_MS, ago(5_000));
    lease.prove(ago(2_000));
    lease.prove(ago(4_000));
    expect(lease.ageMs() - 2_000).toBeCloseTo(0, -2);
  });

  it('stays ended after a late proof, until the next grant', () => {
    const lease = newLease();
    lease.grant(TIMEOUT_MS, ago(0));
    lease.end();
    lease.prove(ago(0));
    expect(lease.remainingMs()).toBe(0);
    lease.grant(TIMEOUT_MS, ago(0));
    expect(lease.remainingMs()).toBeGreaterThan(0);
  });

  it('is ended if another thread ends it at the moment of a proof', () => {
    const lease = newLease();
    lease.grant(TIMEOUT_MS, ago(1_000));
    // The last step of a proof before it is written.
    vi.spyOn(Atomics, 'store').mockImplementationOnce((_fields, _index, value: bigint) => {
      lease.end();
      return value;
    });
    lease.prove(ago(0));
    expect(lease.remainingMs()).toBe(0);
  });

  it('ends by the wall clock if the machine slept while the monotonic clock stood still', () => {
    const lease = newLease();
    lease.grant(TIMEOUT_MS, { ...ago(0), wallMs: clock.wallNow() - 9_000 });
    expect(lease.remainingMs()).toBe(0);
  });

  it('has a margin of one tick, at most a third, if servers have long ticks', () => {
    const memory = sharedLeaseMemory();
    new SharedLease(memory, clock).grant(TIMEOUT_MS, ago(0));
    expect(new SharedLease(memory, clock, 3_000).remainingMs() - 7_000).toBeCloseTo(0, -2);
    expect(new SharedLease(memory, clock, 9_000).remainingMs() - 6_667).toBeCloseTo(0, -2);
  });

  it('shows the same time to a thread that began later', async () => {
    const memory = sharedLeaseMemory();
    const lease = new SharedLease(memory, clock);
    lease.grant(TIMEOUT_MS, ago(1_000));
    const read = `const { parentPort, workerData } = require('node:worker_threads');
      const [proven] = new BigInt64Array(workerData);
      parentPort.postMessage(Number(process.hrtime.bigint() - proven) / 1e6);`;
    const worker = new Worker(read, { eval: true, workerData: memory, execArgv: [] });
    const [seenMs] = await once(worker, 'message');
    await worker.terminate();
    expect(seenMs).toBeGreaterThanOrEqual(1_000);
    expect(seenMs).toBeLessThanOrEqual(lease.ageMs());
  });
});

function newLease(): SharedLease {
  return new SharedLease(sharedLeaseMemory(), clock);
}

function ago(ms: number): { readonly monotonicMs: number; readonly wallMs: number } {
  const { monotonicMs, wallMs } = clockTimesOf(clock);
  return { monotonicMs: monotonicMs - ms, wallMs: wallMs - ms };
}
