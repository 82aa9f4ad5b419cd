import type { Clock } from '../../../clock/index.js';
import type { Link, LinkSource, SessionTicket } from '../wire/index.js';

/** Who needs to be connected. None of its methods may reject or throw. */
export interface ConnectionUser {
  /** A link that is not opened yet. */
  dial(): Link;
  /** The link has a session. @returns whether it is used now */
  adopt(link: Link, ticket: SessionTicket): Promise<boolean>;
  /** The session that was asked for is over. */
  expired(): void;
  /** No session came of the attempt. */
  failed(cause: unknown): void;
}

/** A link that held for less counts as a failed attempt, so that a server that drops us is not stormed. */
const STABLE_MS = 1_000;

/** Connects again and again, until the signal aborts. Never rejects. */
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
    if (wasStable || outcome === 'expired') links.succeeded();
    else links.failed();
    await links.pause(signal);
  }
  await links.release();
}

/** Opens one link and stays with it to its end. */
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
