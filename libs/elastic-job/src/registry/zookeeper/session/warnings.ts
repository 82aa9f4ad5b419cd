import { type Clock, isLoopbackName, type Timer } from '../../../clock/index.js';
import type { SessionInfo } from '../../registry-center.js';
import { leaseLengthMs } from '../../session-lease.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** A session of which an operator is warned. */
interface WatchedSession {
  readonly info: SessionInfo;
  onChange(listener: (session: SessionInfo) => void): unknown;
}

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

/** Warns at the first connection if the digest goes beyond this host in clear, or to a server that is not checked. */
export function warnOfPlainText(
  session: Pick<WatchedSession, 'onChange'>,
  { credentials, servers }: Pick<ResolvedZooKeeperOptions, 'credentials' | 'servers'>,
  warn: (message: string) => void,
): void {
  const { digest, tls } = credentials.reveal();
  const beyond = servers.filter(({ host }) => !isLoopbackName(host));
  const isUnchecked = typeof tls === 'object' && tls.rejectUnauthorized === false;
  if (digest === undefined || (tls && !isUnchecked) || beyond.length === 0) return;
  const hosts = beyond.map(({ host }) => host).join(', ');
  const warning = isUnchecked
    ? `The registry's digest goes to ${hosts}, and tls has rejectUnauthorized: false: anyone who answers in place of ` +
      'the server has the password and can write to the registry. Name your authority as tls.ca, and set requireTls.'
    : `The registry's digest goes to ${hosts} without TLS: anyone who reads the connection has the password and can ` +
      'write to the registry. Set the option tls; requireTls refuses to connect without it.';
  session.onChange(({ state }) => {
    if (state === 'CONNECTED') warn(warning);
  });
}

/** Number of checks of the loop within the limit. */
const LOOKS = 8;

/** Notices, afterwards, that this thread's event loop was blocked. Nothing was heard, answered or aborted meanwhile. */
export class LoopWatch {
  private timer?: Timer;

  /** @param report receives the milliseconds for which the loop was blocked, at least */
  constructor(
    private readonly clock: Clock,
    private readonly report: (stillMs: number) => void,
  ) {}

  /** Starts watching. @param limitMs blocks that are shorter, or little longer, are ignored */
  start(limitMs: number): void {
    this.stop();
    const waitMs = limitMs / LOOKS;
    const due = this.clock.monotonicNow() + waitMs;
    this.timer = this.clock.setTimer(waitMs, () => {
      const stillMs = this.clock.monotonicNow() - due;
      this.start(limitMs);
      if (stillMs >= limitMs) this.report(stillMs);
    });
  }

  stop(): void {
    this.timer?.cancel();
  }
}

/**
 * Warns, while there is a session, if the event loop was blocked for a third of the time that would cost the session.
 */
export function warnOfStandstill(
  session: WatchedSession,
  { connection, maxBlockedMs, serverTickMs }: ResolvedZooKeeperOptions,
  clock: Clock,
  warn: (message: string) => void,
): void {
  const inProcess = connection === 'in-process';
  const costlyMs = () => {
    const { timeoutMs } = session.info;
    return inProcess ? leaseLengthMs(timeoutMs, serverTickMs) : maxBlockedMs;
  };
  const advice = inProcess ? "or connect with connection: 'worker-thread'" : 'or raise maxBlockedMs';
  const watch = new LoopWatch(clock, (stillMs) =>
    warn(
      `The event loop stood still for ${Math.round(stillMs)} ms; ${Math.round(costlyMs())} ms cost the session, and ` +
        `other instances then take over its items. Compute in smaller steps or in a worker thread, ${advice}.`,
    ),
  );
  session.onChange(({ state }) => {
    if (state === 'CONNECTED') watch.start(costlyMs() / 3);
    if (state === undefined) watch.stop();
  });
}
