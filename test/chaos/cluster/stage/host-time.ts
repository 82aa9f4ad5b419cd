const MICROSECONDS = 1_000n;

/** The time of the host, for a process whose wall clock is not to be trusted: they share the monotonic clock. */
export class HostTime {
  /** @param epochMs what the host's wall clock says more than the monotonic one, in milliseconds */
  constructor(readonly epochMs: number) {}

  /** Of the process that calls, whose wall clock is the host's. */
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
