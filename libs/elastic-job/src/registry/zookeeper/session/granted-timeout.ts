import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/**
 * Warns if the granted timeout differs from the requested one, and if it is short for the servers' ticks: the margin of
 * the lease is at most a third of the timeout, and an ensemble may learn of our last request a tick late.
 */
export function warnOfGrantedTimeout(
  timeoutMs: number,
  { sessionTimeoutMs: askedMs, serverTickMs = 0 }: ResolvedZooKeeperOptions,
  warn: (message: string) => void,
): void {
  if (timeoutMs !== askedMs) {
    const limit = timeoutMs < askedMs ? 'maxSessionTimeout' : 'minSessionTimeout';
    warn(
      `The servers have granted a session of ${timeoutMs} ms instead of ${askedMs} ms: a crash is noticed only after ` +
        `that time. Set sessionTimeoutMs to ${timeoutMs}, or change the servers' ${limit}.`,
    );
  }
  if (serverTickMs <= timeoutMs / 3) return;
  warn(
    `A session of ${timeoutMs} ms has fewer than three ticks of ${serverTickMs} ms: if a ZooKeeper server dies, the ` +
      'session may expire before this client knows. Set a longer sessionTimeoutMs, or a shorter tickTime there.',
  );
}
