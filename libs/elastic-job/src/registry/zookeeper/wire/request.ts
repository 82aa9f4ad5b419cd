import type { JutePayload } from './client-library.js';
import type { ReplyReader } from './reply-reader.js';

/** Body of a request. Paths are the server's. */
export interface RequestBody {
  readonly opCode: number;
  readonly payload: JutePayload | null;
}

/** A request and the decoder of its reply. */
export interface Request<T> extends RequestBody {
  /** @throws {RangeError} if the reply is malformed */
  readonly read: (reply: ReplyReader) => T;
  /** Called when the request is handed to a connection. `answered` follows once, in any case. Must not throw. */
  readonly sending?: () => void;
  /** Called when all earlier requests are answered, so that the next reply is its own. Must not throw. */
  readonly comesNext?: () => void;
  /** Called in the order of replies and events, before the caller gets the answer. Must not throw. */
  readonly answered?: (answer: Answer<T>) => void;
}

/** Reply of the server. */
export type Reply<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly code: number };

/**
 * Outcome of a request. `dropped`: the connection ended first. If the request was sent, it may or may not have been
 * applied.
 */
export type Answer<T> = Reply<T> | { readonly kind: 'dropped'; readonly wasSent: boolean; readonly cause: unknown };

/** Writes a text in ZooKeeper's format. @returns the number of bytes written */
export function writeText(text: string, buffer: Buffer, offset: number): number {
  const bytes = buffer.write(text, offset + 4);
  buffer.writeInt32BE(bytes, offset);
  return 4 + bytes;
}

/** The size of a text in ZooKeeper's format. */
export function textBytes(text: string): number {
  return 4 + Buffer.byteLength(text);
}
