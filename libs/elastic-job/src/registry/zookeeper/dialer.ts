import type { Clock } from '../../clock/index.js';
import type { SessionLease } from '../session-lease.js';
import { Connection, type ConnectionListener } from './connection.js';
import type { FrameWriter, SessionTicket } from './handshake.js';
import type { Protocol } from './protocol.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
const FIRST_LIMIT_MS = 1_000;

/** Decides which server is tried next, how long it may take, and how long to wait before another attempt. */
export class Dialer {
  private readonly start: number;
  private attempts = 0;
  private failures = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly writer: FrameWriter,
    private readonly options: ResolvedZooKeeperOptions,
    private readonly clock: Clock,
    private readonly lease: SessionLease,
  ) {
    // Clients begin at different servers, so that they spread over the ensemble.
    this.start = Math.floor(clock.random() * options.servers.length);
  }

  /** A connection to the next server, not opened yet. @param ticket the session to go on with; undefined: a new one */
  dial(ticket: SessionTicket | undefined, lastZxid: bigint, listener: ConnectionListener): Connection {
    const { servers, sessionTimeoutMs, tls, digest } = this.options;
    const attempt = this.start + this.attempts;
    this.attempts += 1;
    const options = {
      server: servers[attempt % servers.length]!,
      turn: Math.floor(attempt / servers.length),
      tls,
      digest,
      sessionTimeoutMs,
      limitMs: this.limitMs(),
      ticket,
      lastZxid,
    };
    return new Connection(this.protocol, this.writer, this.clock, this.lease, options, listener);
  }

  /** The last attempt came to nothing, or not to much: the next one waits longer. */
  failed(): void {
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** Waits before the next attempt: longer with each failure, up to a second, and at random, so that clients spread. */
  async pause(signal: AbortSignal): Promise<void> {
    if (this.failures === 0) return;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.failures, 10));
    const ms = longest * (0.5 + this.clock.random() / 2);
    await this.clock.sleep(ms, signal).catch(() => {});
  }

  /**
   * Short enough to try every server, and at least three times, while the session lives. A server that starts may accept
   * a connection and forget it, so a first attempt is given up even sooner.
   */
  private limitMs(): number {
    const { servers, sessionTimeoutMs, connectionTimeoutMs } = this.options;
    const longest = Math.min(sessionTimeoutMs / 3, Math.min(sessionTimeoutMs, connectionTimeoutMs) / servers.length);
    return Math.min(longest, FIRST_LIMIT_MS * 2 ** Math.min(this.failures, 10));
  }
}
