import type { Clock } from '../../clock/index.js';
import type { ClientLibrary } from './client-library.js';
import { Connection, type ConnectionListener, type SessionTicket } from './connection.js';
import type { Protocol } from './protocol.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Decides which server is tried next, how long it may take, and how long to wait before another attempt. */
export class Dialer {
  private readonly start: number;
  private attempts = 0;

  constructor(
    private readonly library: ClientLibrary,
    private readonly protocol: Protocol,
    private readonly options: ResolvedZooKeeperOptions,
    private readonly clock: Clock,
  ) {
    // Clients begin at different servers, so that they spread over the ensemble.
    this.start = Math.floor(clock.random() * options.servers.length);
  }

  /** A connection to the next server, not opened yet. @param ticket the session to go on with; undefined: a new one */
  dial(ticket: SessionTicket | undefined, listener: ConnectionListener): Connection {
    const { servers, sessionTimeoutMs, connectionTimeoutMs, digest } = this.options;
    const server = servers[(this.start + this.attempts) % servers.length]!;
    this.attempts += 1;
    // Short enough to try every server within the time for the first session, and some within a session's timeout.
    const handshakeTimeoutMs = Math.min(sessionTimeoutMs / 3, connectionTimeoutMs / servers.length);
    const options = { server, digest, sessionTimeoutMs, handshakeTimeoutMs, ticket };
    return new Connection(this.library, this.protocol, this.clock, options, listener);
  }

  /** Waits after so many failures in a row: longer with each, up to a second, and at random, so that clients spread. */
  async pause(failures: number, signal: AbortSignal): Promise<void> {
    if (failures === 0) return;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
    const ms = longest * (0.5 + this.clock.random() / 2);
    await this.clock.sleep(ms, signal).catch(() => {});
  }
}
