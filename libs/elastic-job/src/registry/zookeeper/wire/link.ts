import type { BackOff } from '../../../repeat/index.js';
import { RegistryUnavailableError } from '../../registry.errors.js';
import type { SessionTicket } from './frames.js';
import type { Answer, Request } from './request.js';

/** Outcome of an attempt to connect. `expired`: the session of the ticket is over. */
export type Opening =
  | { readonly kind: 'connected'; readonly ticket: SessionTicket }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** Receives the events of a link, for its session. Must not throw. */
export interface LinkListener {
  /** A watch has fired. Called in the order of replies and events. @param type ZooKeeper's event number */
  watched(type: number, path: string): void;
  /** @returns false if the session is no longer believed in: received messages are dropped and the link is given up */
  mayDeliver(): boolean;
  /** The link has ended. Afterwards each request without an answer is dropped. */
  dropped(): void;
}

/** One connection to one server, as its session uses it, from the first attempt to the end. Never reused. */
export interface Link {
  /** False as soon as no request can be sent any more. */
  readonly isOpen: boolean;
  /** Latest transaction of this session that the server has named. */
  readonly lastZxid: bigint;
  /** Resolves with the reason once the link has ended. */
  readonly ended: Promise<unknown>;
  /** Connects and asks for the session. Called once. Never rejects. */
  open(): Promise<Opening>;
  /** Sends a request. `receive` is called once, never before this returns, in the order of replies and events. */
  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void;
  /** Sends a request. Never rejects. */
  ask<T>(request: Request<T>): Promise<Answer<T>>;
  /** Ends the session and then the link. Waits at most `timeoutMs` milliseconds for the server. Never rejects. */
  close(timeoutMs: number): Promise<void>;
  /** Ends the link at once. The session lives on until its timeout. */
  abandon(): void;
}

/** Source of a session's links, one after the other. */
export interface LinkSource {
  /** Creates a link that is not open yet. @param ticket the session to continue; undefined: a new one */
  dial(ticket: SessionTicket | undefined, listener: LinkListener): Link;
  /** Marks the session of the latest link as in use: from now on it is worth continuing. */
  hold(): void;
  /** Pauses after failed and short-lived connections; undefined while the source itself waits before it dials. */
  readonly backOff: BackOff | undefined;
  /** Frees all resources until the next call of `dial`. Never rejects. */
  release(): Promise<void>;
}

/** Error of a request whose connection ended before the answer. */
export function connectionBroke(
  operation: string,
  { wasSent, cause }: { readonly wasSent: boolean; readonly cause: unknown },
): RegistryUnavailableError {
  const detail = `the connection broke before the answer came: ${reasonOf(cause)}`;
  return new RegistryUnavailableError(operation, wasSent ? 'unknown' : 'not-applied', detail, { cause });
}

/** Reason why a connection ended. If all addresses of a name fail together, the error has a code but no message. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
