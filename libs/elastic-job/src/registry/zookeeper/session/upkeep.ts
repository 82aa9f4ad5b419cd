import type { Clock } from '../../../clock/index.js';
import type { Link, LinkSource, SessionTicket } from '../wire/index.js';

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
