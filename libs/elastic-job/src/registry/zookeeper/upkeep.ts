import type { Clock } from '../../clock/index.js';
import type { Connection } from './connection.js';
import type { Dialer } from './dialer.js';
import type { SessionTicket } from './handshake.js';

/** Who needs to be connected. None of its methods may reject or throw. */
export interface ConnectionUser {
  /** A connection that is not opened yet. */
  dial(): Connection;
  /** The connection has a session. @returns whether it is used now */
  adopt(connection: Connection, ticket: SessionTicket): Promise<boolean>;
  /** The session that was asked for is over. */
  expired(): void;
  /** No session came of the attempt. */
  failed(cause: unknown): void;
}

/** A connection that held for less counts as a failed attempt, so that a server that drops us is not stormed. */
const STABLE_MS = 1_000;

/** Connects again and again, until the signal aborts. */
export async function keepConnected(
  user: ConnectionUser,
  dialer: Dialer,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const begun = clock.monotonicNow();
    const outcome = await useOneConnection(user);
    const wasStable = outcome === 'used' && clock.monotonicNow() - begun > STABLE_MS;
    if (wasStable || outcome === 'expired') dialer.succeeded();
    else dialer.failed();
    await dialer.pause(signal);
  }
}

/** Opens one connection and stays with it to its end. */
async function useOneConnection(user: ConnectionUser): Promise<'used' | 'expired' | 'failed'> {
  const connection = user.dial();
  const opening = await connection.open();
  switch (opening.kind) {
    case 'failed':
      user.failed(opening.cause);
      return 'failed';
    case 'expired':
      user.expired();
      return 'expired';
    case 'connected':
      if (!(await user.adopt(connection, opening.ticket))) return 'failed';
      await connection.ended;
      return 'used';
    default:
      return opening satisfies never;
  }
}
