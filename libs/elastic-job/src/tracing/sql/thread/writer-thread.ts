import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TraceStore } from '../trace-store.js';
import type { RowStore } from '../trace-writer.js';
import type { ThreadAnswer, ThreadOrder, ThreadSettings } from './messages.js';

/** Place of the thread's entry, unless a bundler has moved this file. */
const ENTRY = new URL('./history-thread.js', import.meta.url);

export interface WriterThreadParts {
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
 * death of a thread fails its write; the next write starts another thread.
 */
export class WriterThread implements RowStore {
  private worker: Worker | undefined;
  private asked: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(private readonly parts: WriterThreadParts) {}

  get isOpen(): boolean {
    return this.parts.store.isOpen;
  }

  open(): Promise<void> {
    return this.parts.store.open();
  }

  write(rows: Extract<ThreadOrder, { kind: 'write' }>['rows']): Promise<void> {
    return this.ask({ kind: 'write', rows });
  }

  ping(): Promise<void> {
    return this.ask({ kind: 'ping' });
  }

  /** Resolves when the thread has closed its connection and has ended; it is killed as soon as `signal` aborts. */
  async close(signal: AbortSignal): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker === undefined) return;
    worker.ref();
    send(worker, { kind: 'close' });
    await once(worker, 'exit', { signal }).catch(() => {}); // Too late, or it has failed at its end.
    await worker.terminate();
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
      else asked?.reject(Object.assign(new Error(failure.message), { stack: failure.stack }));
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
    const why = cause instanceof Error ? cause.message : String(cause);
    const error = new Error(`The writer thread is gone: ${why}`, { cause });
    if (asked === undefined) this.parts.onDeath(error);
    else asked.reject(error);
  }
}

function send(worker: Worker, order: ThreadOrder): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
  worker.postMessage(order);
}
