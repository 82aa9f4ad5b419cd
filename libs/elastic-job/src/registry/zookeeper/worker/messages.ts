import type { Credentials, JutePayload, SessionTicket, TlsSettings } from '../wire/index.js';
import type { DialOptions } from '../session/index.js';

/** Start data of the worker thread. */
export interface WorkerSettings {
  readonly dialing: Omit<DialOptions, 'credentials'>;
  /** `tls` is `'asked'` if a function of the main thread has the options. */
  readonly credentials: Omit<Credentials, 'tls'> & { readonly tls: TlsSettings | 'asked' | undefined };
  readonly maxBlockedMs: number;
  /** Memory of the `SharedLease`. */
  readonly lease: SharedArrayBuffer;
}

/**
 * Orders to the worker thread. `begin`: forget the present session and connect for a new one, which gets this number;
 * `hold`: the session is in use, so keep it over further links; `alive`: answer to `alive?`;
 * `tls` and `no-tls`: answers to `tls?`.
 */
export type WorkerOrder =
  | { readonly kind: 'begin'; readonly session: number }
  | { readonly kind: 'hold'; readonly session: number }
  | { readonly kind: 'requests'; readonly link: number; readonly requests: readonly PackedRequest[] }
  | { readonly kind: 'abandon'; readonly link: number }
  | { readonly kind: 'alive' }
  | { readonly kind: 'tls'; readonly options: TlsSettings }
  | { readonly kind: 'no-tls'; readonly problem: string };

export interface PackedRequest {
  readonly opCode: number;
  readonly payload: Uint8Array;
}

/**
 * Reports from the worker thread. `lastZxid`: as in `Link`; `alive?`: asks if the main thread's event loop still runs;
 * `tls?`: asks for the options of the next connection.
 */
export type WorkerReport =
  | { readonly kind: 'news'; readonly news: readonly News[]; readonly lastZxid: bigint }
  | { readonly kind: 'alive?' | 'tls?' };

/**
 * Events of the worker thread, in its order. An attempt to connect ends with one of the first three; each link has its
 * own number. `refused`: the reason, if the servers refused this client's credentials. `sent`: how many requests
 * without a reply had left.
 */
export type News =
  | { readonly kind: 'opened'; readonly session: number; readonly link: number; readonly ticket: SessionTicket }
  | { readonly kind: 'failed'; readonly session: number; readonly problem: string; readonly refused?: string }
  | { readonly kind: 'expired'; readonly session: number }
  | { readonly kind: 'reply'; readonly link: number; readonly code: number; readonly body: Uint8Array }
  | { readonly kind: 'event'; readonly link: number; readonly type: number; readonly path: string }
  | { readonly kind: 'dropped'; readonly link: number; readonly sent: number; readonly problem: string };

/** A payload that is already in ZooKeeper's format. */
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
 * Encodes payloads into one piece of memory that a message can transfer. Views on shared memory would be sent with all
 * of it.
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
