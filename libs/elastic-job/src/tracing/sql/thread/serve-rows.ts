import type { MessagePort } from 'node:worker_threads';
import { type Dialect, Kysely } from 'kysely';
import { asTraceDb } from '../trace-database.js';
import { traceDialect } from '../trace-dialect.js';
import { TraceStore } from '../trace-store.js';
import { codesOf } from '../write-fault.js';
import type { ThreadAnswer, ThreadOrder, ThreadSettings } from './messages.js';

/**
 * The thread's side: writes the rows that it gets, over a connection of its own.
 * @throws if the module makes no dialect
 */
export async function serveRows(port: MessagePort, { dialectModule, dialect }: ThreadSettings): Promise<void> {
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
    const codes = codesOf(error);
    if (!(error instanceof Error)) return { failure: { message: String(error), stack: undefined, codes } };
    return { failure: { message: error.message, stack: error.stack, codes } };
  }
}
