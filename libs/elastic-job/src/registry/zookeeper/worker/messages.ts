import type { Credentials, JutePayload, SessionTicket } from '../wire/index.js';
import type { DialOptions } from '../session/index.js';

/** What the worker thread is started with. */
export interface WorkerSettings {
  readonly dialing: Omit<DialOptions, 'credentials'>;
  readonly credentials: Credentials;
  readonly maxBlockedMs: number;
  /** The memory of the `SharedLease`. */
  readonly lease: SharedArrayBuffer;
}

/**
 * To the worker thread. `begin`: forget the session so far and connect for a new one, which has this number here;
 * `hold`: it is in use, so go on with it over further links; `alive`: the answer to `alive?`.
 */
export type WorkerOrder =
  | { readonly kind: 'begin'; readonly session: number }
  | { readonly kind: 'hold'; readonly session: number }
  | { readonly kind: 'requests'; readonly link: number; readonly requests: readonly PackedRequest[] }
  | { readonly kind: 'abandon'; readonly link: number }
  | { readonly kind: 'alive' };

export interface PackedRequest {
  readonly opCode: number;
  readonly payload: Uint8Array;
}

/** From the worker thread. `lastZxid`: as `Link` has it; `alive?`: whether the main thread still turns. */
export type WorkerReport =
  { readonly kind: 'news'; readonly news: readonly News[]; readonly lastZxid: bigint } | { readonly kind: 'alive?' };

/**
 * What happened in the worker thread, in its order. An attempt to connect ends with one of the first three; each link
 * has a number of its own. `refused`: why the servers do not know this client, if that is it. `sent`: so many of the
 * requests without a reply have left.
 */
export type News =
  | { readonly kind: 'opened'; readonly session: number; readonly link: number; readonly ticket: SessionTicket }
  | { readonly kind: 'failed'; readonly session: number; readonly problem: string; readonly refused?: string }
  | { readonly kind: 'expired'; readonly session: number }
  | { readonly kind: 'reply'; readonly link: number; readonly code: number; readonly body: Uint8Array }
  | { readonly kind: 'event'; readonly link: number; readonly type: number; readonly path: string }
  | { readonly kind: 'dropped'; readonly link: number; readonly sent: number; readonly problem: string };

/** What is already in ZooKeeper's format. */
export class RawPayload implements JutePayload {
  constructor(private readonly bytes: Uint8Array) {}

  byteLength(): number {
    return this.bytes.length;
  }

  serialize(buffer: Buffer, offset: number): number {
    buffer.set(this.bytes, offset);
    return this.bytes.length;
  }
}

/**
 * Writes payloads into one piece of memory, which a message can hand over; views on memory that is shared with others
 * would be sent with all of it.
 */
export function pack(payloads: readonly (JutePayload | null)[]): {
  readonly parts: readonly Uint8Array[];
  readonly memory: ArrayBuffer;
} {
  const sizes = payloads.map((payload) => payload?.byteLength() ?? 0);
  const memory = new ArrayBuffer(sizes.reduce((sum, size) => sum + size, 0));
  const buffer = Buffer.from(memory);
  let end = 0;
  const parts = payloads.map((payload, index) => {
    const start = end;
    end += sizes[index]!;
    payload?.serialize(buffer, start);
    return new Uint8Array(memory, start, sizes[index]);
  });
  return { parts, memory };
}
