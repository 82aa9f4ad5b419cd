const MICROSECONDS = 1_000n;

/** The time of the host, for a process with a wrong wall clock. Both share the monotonic clock. */
export class HostTime {
  /** @param epochMs difference between the host's wall clock and the monotonic clock, in milliseconds */
  constructor(readonly epochMs: number) {}

  /** For a calling process whose wall clock is the host's. */
  static here(): HostTime {
    return new HostTime(Date.now() - monotonicMs());
  }

  now(): number {
    return Math.round(this.epochMs + monotonicMs());
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint() / MICROSECONDS) / 1_000;
}
