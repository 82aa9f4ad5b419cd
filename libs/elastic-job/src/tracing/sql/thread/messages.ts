/**
 * Messages between the main thread and the thread that writes a history's rows. Each order is answered once, before the
 * next one is sent; `close` is answered by the thread's end.
 */
import type { TraceDialectName } from '../trace-dialect.js';
import type { TraceRow } from '../trace-row.js';
import type { codesOf } from '../write-fault.js';

/** The thread's settings. */
export interface ThreadSettings {
  /** URL of the module that makes its dialect. */
  readonly dialectModule: string;
  readonly dialect: TraceDialectName;
}

export type ThreadOrder =
  | { readonly kind: 'write'; readonly rows: readonly TraceRow[] }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close' };

/** The clonable part of a failure; undefined if there was none. */
export interface ThreadAnswer {
  readonly failure?: {
    readonly message: string;
    readonly stack: string | undefined;
    readonly codes: ReturnType<typeof codesOf>;
  };
}
