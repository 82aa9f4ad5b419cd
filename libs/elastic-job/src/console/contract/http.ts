import type { ConsoleCaller } from './roles.js';

/** A request as the console reads it, whatever HTTP server has taken it. */
export interface ConsoleRequest {
  /** Unique; answers, audit and log name it. */
  readonly id: string;
  readonly method: string;
  /** Path and query as they were sent, below the path of the console: `/api/v1/jobs?q=settle`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Reads the body as it was sent, or as a parser of the host has left it. */
  readonly body: (maxBytes: number) => Promise<Buffer | { readonly parsed: unknown }>;
  /** Address of the other end of the connection. */
  readonly peer: string;
  /** True if the connection itself is encrypted. */
  readonly isEncrypted: boolean;
  /** The request as the host's framework has it, for the host's own function of `auth`. */
  readonly raw: unknown;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Arguments of a route's code: who asks for what, all of it checked. */
export interface ConsoleCall<Query extends object = object, Body extends object = object> {
  readonly caller: ConsoleCaller;
  /** Decoded parts of the path, such as `{ job: 'settle-orders' }`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly ifMatch: string | undefined;
  readonly requestId: string;
  readonly address: string;
  readonly signal: AbortSignal;
}

/** A whole answer, or a stream of server-sent events. */
export type ConsoleAnswer = WholeAnswer | StreamAnswer;

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** JSON, or a text or the bytes of the content type that the headers name; undefined: no body. */
  readonly body: object | string | Buffer | undefined;
}

interface StreamAnswer {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Opens the stream. @param sink takes frames, and tells when the client takes no more */
  readonly open: (sink: FrameSink) => void;
}

/** One end of a stream of server-sent events. */
export interface FrameSink {
  /** @returns false while the client takes nothing more; `onDrain` follows */
  write(frame: string): boolean;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  end(): void;
}
