import type { SessionTicket } from './handshake.js';
import type { Answer, Request } from './request.js';

/** How an attempt to connect ended. `expired`: the session of the ticket is over. */
export type Opening =
  | { readonly kind: 'connected'; readonly ticket: SessionTicket }
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** What a link tells its session of. Must not throw. */
export interface LinkListener {
  /** A watch has fired; called in the order of replies and events. @param type ZooKeeper's number of the event */
  watched(type: number, path: string): void;
  /**
   * @returns whether what has arrived may be delivered. If not, the link is given up: the session is not believed in
   */
  mayDeliver(): boolean;
  /** The link has ended. Every request without an answer is told so afterwards. */
  dropped(): void;
}

/** One connection to one server, as its session uses it: from the attempt to its end, and never again. */
export interface Link {
  /** False as soon as nothing more can be sent. */
  readonly isOpen: boolean;
  /** The latest transaction that the server has told of, in this session. */
  readonly lastZxid: bigint;
  /** Resolves with the reason when the link has ended. */
  readonly ended: Promise<unknown>;
  /** Connects and asks for the session. Called once. Never rejects. */
  open(): Promise<Opening>;
  /** Sends a request. `receive` is called once, never before this returns, in the order of replies and events. */
  send<T>(request: Request<T>, receive: (answer: Answer<T>) => void): void;
  /** Sends a request. Never rejects. */
  ask<T>(request: Request<T>): Promise<Answer<T>>;
  /** Ends the session and then the link; waits no longer than `limitMs` milliseconds for the server. Never rejects. */
  close(limitMs: number): Promise<void>;
  /** Ends the link at once; the session lives on for its timeout. */
  abandon(): void;
}

/** Where a session gets its links from, one after the other. */
export interface LinkSource {
  /** A link that is not opened yet. @param ticket the session to go on with; undefined: a new one */
  dial(ticket: SessionTicket | undefined, listener: LinkListener): Link;
  /** The session of the latest link is in use: from now on it is worth to be gone on with. */
  hold(): void;
  /** The last attempt came to nothing, or not to much: the next one waits longer. */
  failed(): void;
  succeeded(): void;
  /** Waits before the next attempt, as long as there is reason to. Never rejects. */
  pause(signal: AbortSignal): Promise<void>;
  /** No link is needed any more, until the next call of `dial`. Never rejects. */
  release(): Promise<void>;
}
