import type { Clock } from '../../../clock/index.js';
import { type ClockTimes, TimedLease } from '../../session-lease.js';

/**
 * Fields of the shared memory, as 64-bit integers: two times of the same proof of life, and the session's timeout.
 */
const PROVEN_NS = 0;
const PROVEN_WALL_MS = 1;
const TIMEOUT_MS = 2;
const FIELDS = 3;

const NS_PER_MS = 1e6;
const ENDED = 0n;

/**
 * A lease that one thread writes and another one may read at any time, even right after it was blocked. Times are
 * those of `process.hrtime`, which all threads of a process share; `performance.now` starts at a different time in each
 * thread.
 *
 * The fields are written one by one, the monotonic time last. A reader in between sees one time that is too old, so
 * it never sees a lease that is too long.
 */
export class SharedLease extends TimedLease {
  private readonly fields: BigInt64Array;

  /** @param memory from `sharedLeaseMemory` */
  constructor(memory: SharedArrayBuffer, clock: Clock, serverTickMs?: number) {
    super(clock, serverTickMs);
    this.fields = new BigInt64Array(memory);
  }

  grant(timeoutMs: number, sent: ClockTimes): void {
    Atomics.store(this.fields, TIMEOUT_MS, BigInt(timeoutMs));
    Atomics.store(this.fields, PROVEN_WALL_MS, BigInt(Math.floor(sent.wallMs)));
    Atomics.store(this.fields, PROVEN_NS, this.sharedNs(sent));
  }

  prove(sent: ClockTimes): void {
    const before = Atomics.load(this.fields, PROVEN_NS);
    const proven = this.sharedNs(sent);
    if (before === ENDED || proven <= before) return;
    Atomics.store(this.fields, PROVEN_WALL_MS, BigInt(Math.floor(sent.wallMs)));
    // If the other thread ends the lease at this moment, it stays ended.
    Atomics.compareExchange(this.fields, PROVEN_NS, before, proven);
  }

  end(): void {
    Atomics.store(this.fields, PROVEN_NS, ENDED);
  }

  protected get timeoutMs(): number {
    return Number(Atomics.load(this.fields, TIMEOUT_MS));
  }

  protected ages(): ClockTimes {
    const proven = Atomics.load(this.fields, PROVEN_NS);
    if (proven === ENDED) return { monotonicMs: Infinity, wallMs: Infinity };
    const wallMs = this.clock.wallNow() - Number(Atomics.load(this.fields, PROVEN_WALL_MS));
    return { monotonicMs: Number(process.hrtime.bigint() - proven) / NS_PER_MS, wallMs };
  }

  private sharedNs(times: ClockTimes): bigint {
    const agoMs = this.clock.monotonicNow() - times.monotonicMs;
    return process.hrtime.bigint() - BigInt(Math.ceil(agoMs * NS_PER_MS));
  }
}

/** Memory for one lease, which starts as ended. */
export function sharedLeaseMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(FIELDS * BigInt64Array.BYTES_PER_ELEMENT);
}
