import type { JutePayload } from './client-library.js';
import type { ReplyReader } from './reply-reader.js';

/** What is sent. Paths are the server's. */
export interface RequestBody {
  readonly opCode: number;
  readonly payload: JutePayload | null;
}

/** A request, and how its reply is read. */
export interface Request<T> extends RequestBody {
  /** @throws {RangeError} if the reply is not of the right form */
  readonly read: (reply: ReplyReader) => T;
  /** Called when the request is handed to a connection; `answered` follows once, in any case. Must not throw. */
  readonly sending?: () => void;
  /** Called in the order of replies and events, before whoever waits for the answer. Must not throw. */
  readonly answered?: (answer: Answer<T>) => void;
}

/** What the server replied. */
export type Reply<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly code: number };

/**
 * How a request ended. `dropped`: the connection ended first; if the request was sent, nobody knows whether it was
 * applied.
 */
export type Answer<T> = Reply<T> | { readonly kind: 'dropped'; readonly wasSent: boolean; readonly cause: unknown };

/** Writes a text as ZooKeeper's format has it. @returns the number of bytes written */
export function writeText(text: string, buffer: Buffer, offset: number): number {
  const bytes = buffer.write(text, offset + 4);
  buffer.writeInt32BE(bytes, offset);
  return 4 + bytes;
}

/** The size of a text in ZooKeeper's format. */
export function textBytes(text: string): number {
  return 4 + Buffer.byteLength(text);
}
