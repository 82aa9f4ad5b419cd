import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../domain/index.js';
import { type codesOf, writeFaultOf } from '../row-delivery.js';
import type { TraceDialectName } from '../trace-dialect.js';
import type { TraceRow } from '../trace-row.js';
import type { TraceStore } from '../trace-store.js';
import type { RowStore } from '../trace-writer.js';

/** Place of the thread's entry, unless a bundler has moved this file. */
const ENTRY = new URL('./history-thread.js', import.meta.url);

interface WriterThreadParts {
  /** Creates the tables, in the main thread. */
  readonly store: TraceStore;
  readonly settings: ThreadSettings;
  /** Place of the thread's entry after bundling. */
  readonly entry: URL | undefined;
  /** Called for a thread that has died between two writes. */
  readonly onDeath: (error: Error) => void;
}

/**
 * Writes rows in a thread, one write at a time: further rows wait in the writer's queue, and may be dropped there. The
 * death of a thread fails its write. After a failed write another thread goes on, since a connection may refuse all
 * further commits (TraceStore.write), unless the contents of a row were at fault.
 */
export class WriterThread implements RowStore {
  private worker: Worker | undefined;
  /** Threads that are ending after a failure. */
  private readonly retired = new Set<Worker>();
  private asked: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(private readonly parts: WriterThreadParts) {}

  get ownTablesRefusal(): unknown {
    return this.parts.store.ownTablesRefusal;
  }

  open(): Promise<void> {
    return this.parts.store.open();
  }

  async write(rows: Extract<ThreadOrder, { kind: 'write' }>['rows']): Promise<void> {
    try {
      await this.ask({ kind: 'write', rows: this.parts.store.writable(rows) });
    } catch (error) {
      if (this.asked === undefined && writeFaultOf(error) !== 'row') this.retire();
      throw error;
    }
  }

  ping(): Promise<void> {
    return this.ask({ kind: 'ping' });
  }

  /** Resolves when all threads have closed their connections and ended; they are killed as soon as `signal` aborts. */
  async close(signal: AbortSignal): Promise<void> {
    this.retire();
    await Promise.all([...this.retired].map((worker) => endOf(worker, signal)));
  }

  private retire(): void {
    const { worker } = this;
    if (worker === undefined) return;
    this.worker = undefined;
    this.retired.add(worker);
    worker.once('exit', () => this.retired.delete(worker));
    send(worker, { kind: 'close' });
  }

  // A write that was given up as too slow is still with the thread, so no other may follow it.
  private async ask(order: ThreadOrder): Promise<void> {
    if (this.asked !== undefined) throw new Error('The writer thread has not done yet what it was asked for before.');
    const worker = (this.worker ??= this.start());
    await new Promise<void>((resolve, reject) => {
      this.asked = { resolve, reject };
      send(worker, order);
    });
  }

  private start(): Worker {
    const { entry = ENTRY, settings } = this.parts;
    const worker = new Worker(entry, { name: 'history', workerData: settings });
    worker.on('message', ({ failure }: ThreadAnswer) => {
      const { asked } = this;
      this.asked = undefined;
      if (failure === undefined) asked?.resolve();
      else asked?.reject(Object.assign(new Error(failure.message), failure.codes, { stack: failure.stack }));
    });
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', (code) => this.lose(worker, `it ended with code ${code}`));
    // A pending write keeps the process alive only by its own time limit.
    worker.unref();
    return worker;
  }

  private lose(worker: Worker, cause: unknown): void {
    if (worker !== this.worker) return;
    const { asked } = this;
    this.worker = undefined;
    this.asked = undefined;
    const error = new Error(`The writer thread is gone: ${messageOf(cause)}`, { cause });
    if (asked === undefined) this.parts.onDeath(error);
    else asked.reject(error);
  }
}

async function endOf(worker: Worker, signal: AbortSignal): Promise<void> {
  worker.ref();
  await once(worker, 'exit', { signal }).catch(() => {}); // Too late, or it has failed at its end.
  await worker.terminate();
}

function send(worker: Worker, order: ThreadOrder): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
  worker.postMessage(order);
}

/** The thread's settings. */
export interface ThreadSettings {
  /** URL of the module that makes its dialect. */
  readonly dialectModule: string;
  readonly dialect: TraceDialectName;
}

/** Each order is answered once, before the next one is sent; `close` is answered by the thread's end. */
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
