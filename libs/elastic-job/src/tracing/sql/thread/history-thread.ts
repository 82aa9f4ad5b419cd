/**
 * Entry of the thread that `dialectModule` of `SqlHistory` starts, published as `nestjs-elastic-job/history-thread`. It
 * acts when it is loaded.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Dialect, Kysely } from 'kysely';
import { messageOf, stackOf } from '../../../domain/index.js';
import { codesOf } from '../row-delivery.js';
import { traceDialect } from '../trace-dialect.js';
import { asTraceDb } from '../trace-row.js';
import { TraceStore } from '../trace-store.js';
import type { ThreadAnswer, ThreadOrder, ThreadSettings } from './writer-thread.js';

if (!parentPort) throw new Error('nestjs-elastic-job/history-thread is loaded by a thread; see the option threadUrl.');
// A rejection ends the thread, which the history notices.
void serveRows(parentPort, workerData);

/**
 * The thread's side: writes the rows that it gets, over a connection of its own.
 * @throws if the module makes no dialect
 */
async function serveRows(port: MessagePort, { dialectModule, dialect }: ThreadSettings): Promise<void> {
  const db = new Kysely<unknown>({ dialect: await makeDialect(dialectModule) });
  const store = new TraceStore(asTraceDb(db), traceDialect(dialect));
  port.on('message', (order: ThreadOrder) => {
    if (order.kind === 'close') void db.destroy().finally(() => process.exit());
    else void answer(order, store).then((answered) => port.postMessage(answered));
  });
}

async function makeDialect(module: string): Promise<Dialect> {
  const exported: { readonly createDialect?: unknown } = await import(module);
  if (typeof exported.createDialect !== 'function') throw new TypeError(`${module} exports no function createDialect.`);
  return exported.createDialect();
}

async function answer(order: Exclude<ThreadOrder, { kind: 'close' }>, store: TraceStore): Promise<ThreadAnswer> {
  try {
    await (order.kind === 'write' ? store.write(order.rows) : store.ping());
    return {};
  } catch (error) {
    return { failure: { message: messageOf(error), stack: stackOf(error), codes: codesOf(error) } };
  }
}
