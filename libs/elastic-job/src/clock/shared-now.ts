/**
 * Milliseconds on the monotonic clock of this host, which all of its processes share. `Clock.monotonicNow` has a start
 * of its own in each process.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
