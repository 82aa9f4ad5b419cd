/**
 * Messages between the thread of the event loop and the one that writes a history's rows. Each order is answered
 * once, before the next one is sent; only `close` is answered by the thread's end.
 */
import type { TraceDialectName } from '../trace-dialect.js';
import type { TraceRow } from '../trace-row.js';

/** The thread's settings. */
export interface ThreadSettings {
  /** The module that makes its dialect, as a URL. */
  readonly dialectModule: string;
  readonly dialect: TraceDialectName;
}

export type ThreadOrder =
  | { readonly kind: 'write'; readonly rows: readonly TraceRow[] }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close' };

/** The part of a failure that can be cloned; undefined: there was none. */
export interface ThreadAnswer {
  readonly failure?: { readonly message: string; readonly stack: string | undefined };
}
