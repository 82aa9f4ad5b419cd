import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/**
 * Warns of a session with another timeout than was asked for, and of one that is short for the servers' ticks: the
 * margin of the lease is a third of the timeout at most, and an ensemble may know of our last request a tick late.
 */
export function warnOfGrantedTimeout(
  timeoutMs: number,
  { sessionTimeoutMs: askedMs, serverTickMs = 0 }: ResolvedZooKeeperOptions,
  warn: (message: string) => void,
): void {
  if (timeoutMs !== askedMs) {
    const limit = timeoutMs < askedMs ? 'maxSessionTimeout' : 'minSessionTimeout';
    warn(
      `The servers have granted a session of ${timeoutMs} ms instead of ${askedMs} ms: a crash is noticed after that time. ` +
        `Ask for as much, or change their ${limit}.`,
    );
  }
  if (serverTickMs <= timeoutMs / 3) return;
  warn(
    `A session of ${timeoutMs} ms has fewer than three ticks of ${serverTickMs} ms: if a ZooKeeper server dies, the session ` +
      'may expire before this client knows. Ask for a longer sessionTimeoutMs, or give the servers a shorter tickTime.',
  );
}
