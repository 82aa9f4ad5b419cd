import type { Clock } from '../../../clock/index.js';
import { BackOff } from '../../../repeat/index.js';
import { type Lease, SessionLease } from '../../session-lease.js';
import {
  Connection,
  type FrameWriter,
  type Link,
  type LinkListener,
  type LinkSource,
  type Protocol,
  type SessionTicket,
} from '../wire/index.js';
import type { ResolvedZooKeeperOptions } from '../zookeeper-options.js';

/** Options that dialing needs. */
export type DialOptions = Pick<
  ResolvedZooKeeperOptions,
  'servers' | 'credentials' | 'sessionTimeoutMs' | 'connectionTimeoutMs' | 'serverTickMs'
>;

const FIRST_LIMIT_MS = 1_000;
/** Pauses between attempts to connect, in milliseconds. */
export const DIAL_PAUSES = { firstMs: 100, longestMs: 500 };

/** Links kept by this thread, and their lease. */
export function linksOfThisThread(
  protocol: Protocol,
  writer: FrameWriter,
  options: DialOptions,
  clock: Clock,
): { readonly links: Dialer; readonly lease: SessionLease } {
  const lease = new SessionLease(clock, options.serverTickMs);
  return { links: new Dialer(protocol, writer, options, clock, lease), lease };
}

/** Decides which server to try next, how long the attempt may take, and how long to wait before another one. */
export class Dialer implements LinkSource {
  private readonly start: number;
  readonly backOff: BackOff;
  private attempts = 0;
  private latest?: Connection;

  constructor(
    private readonly protocol: Protocol,
    private readonly writer: FrameWriter,
    private readonly options: DialOptions,
    private readonly clock: Clock,
    private readonly lease: Lease,
  ) {
    this.backOff = new BackOff(clock, DIAL_PAUSES);
    // Clients start at different servers, so that they spread over the ensemble.
    this.start = Math.floor(clock.random() * options.servers.length);
  }

  dial(ticket: SessionTicket | undefined, listener: LinkListener): Connection {
    const { servers, sessionTimeoutMs, serverTickMs, credentials } = this.options;
    const attempt = this.start + this.attempts;
    this.attempts += 1;
    const options = {
      server: servers[attempt % servers.length]!,
      round: Math.floor(attempt / servers.length),
      credentials,
      sessionTimeoutMs,
      serverTickMs,
      openTimeoutMs: this.limitMs(),
      ticket,
      lastZxid: ticket && this.latest ? this.latest.lastZxid : 0n,
    };
    this.latest = new Connection(this.protocol, this.writer, this.clock, this.lease, options, listener);
    return this.latest;
  }

  /** Only the session itself dials here, so it needs no notice. */
  hold(): void {}

  async release(): Promise<void> {}

  /**
   * Short enough to try every server, and at least three times, while the session lives. A server that is starting may
   * accept a connection and forget it, so a first attempt is given up even sooner.
   */
  private limitMs(): number {
    const { servers, sessionTimeoutMs, connectionTimeoutMs } = this.options;
    const longest = Math.min(sessionTimeoutMs / 3, Math.min(sessionTimeoutMs, connectionTimeoutMs) / servers.length);
    return Math.min(longest, FIRST_LIMIT_MS * 2 ** Math.min(this.backOff.failures, 10));
  }
}

/** The user of a connection. None of its methods may reject or throw. */
export interface ConnectionUser {
  /** Creates a link that is not open yet. */
  dial(): Link;
  /** Receives a link with a session. @returns true if it is used now */
  adopt(link: Link, ticket: SessionTicket): Promise<boolean>;
  /** The requested session is over. */
  expired(): void;
  /** The attempt gave no session. */
  failed(cause: unknown): void;
}

/** A shorter connection counts as a failed attempt, so that clients do not storm a server that drops them. */
const STABLE_MS = 1_000;

/** Keeps connecting until the signal aborts. Never rejects. */
export async function keepConnected(
  user: ConnectionUser,
  links: LinkSource,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const begun = clock.monotonicNow();
    const outcome = await useOneLink(user, links);
    const wasStable = outcome === 'used' && clock.monotonicNow() - begun > STABLE_MS;
    const { backOff } = links;
    if (wasStable || outcome === 'expired') backOff?.succeeded();
    else backOff?.failed();
    await backOff?.pause(signal);
  }
  await links.release();
}

/** Opens one link and uses it until it ends. */
async function useOneLink(user: ConnectionUser, links: LinkSource): Promise<'used' | 'expired' | 'failed'> {
  const link = user.dial();
  const opening = await link.open();
  switch (opening.kind) {
    case 'failed':
      user.failed(opening.cause);
      return 'failed';
    case 'expired':
      user.expired();
      return 'expired';
    case 'connected':
      if (!(await user.adopt(link, opening.ticket))) return 'failed';
      links.hold();
      await link.ended;
      return 'used';
    default:
      return opening satisfies never;
  }
}
