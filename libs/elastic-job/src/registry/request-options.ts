export interface CloseOptions {
  /**
   * Longest wait for the server, in milliseconds. Without its answer the session ends by its timeout.
   * @default 2_000
   */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /**
   * Abandons the request, which may still be applied if it was already sent. The call rejects with the signal's reason.
   */
  readonly signal?: AbortSignal;
  /** Longest wait for the answer, in milliseconds. @default the adapter's `requestTimeoutMs` */
  readonly timeoutMs?: number;
}

export interface SyncOptions extends RequestOptions {
  /**
   * Moment on the monotonic clock: commits before it are enough. A sync that left after it, up to 200 ms ago, then
   * answers this call too, without a request. @default now
   */
  readonly asOf?: number | undefined;
}

export interface TransactionOptions extends RequestOptions {
  /**
   * Instant, in milliseconds since the epoch, at which the transaction is due. It lets the transaction share a request
   * with others of this session: those of one turn of the event loop leave together, ordered by this instant, the
   * smallest first. Each one is answered as if it had left alone. If not all of them are committed, each is still all
   * or nothing by itself.
   * @default sent alone and at once
   */
  readonly dueAt?: number;
  /** True if `calm` need not wait for this transaction. @default false */
  readonly isPatient?: boolean;
}
