import { expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { collectGarbage } from '@test/support/databases/collect-garbage.js';
import type { TraceRow } from './trace-row.js';
import { TraceWriter } from './trace-writer.js';

const ROW: TraceRow = {
  table: 'status',
  id: 'a',
  number: 1,
  jobName: 'settle-orders',
  taskId: 't',
  slaveId: '10.0.0.1',
  shardingItem: '[0]',
  state: 'TASK_RUNNING',
  message: '',
  creationTime: 0,
};

/** A statement of libsql, which ends only when it is collected. */
class Statement {
  run(): never {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  }
}

it('keeps no statement that the database has refused, though it tries again and its error is kept', async () => {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const statements: WeakRef<Statement>[] = [];
  const write = async (): Promise<void> => {
    const statement = new Statement();
    statements.push(new WeakRef(statement));
    try {
      statement.run();
    } catch (cause) {
      throw Object.assign(new Error('the transaction has failed', { cause }), { code: 'SQLITE_BUSY' });
    }
  };
  const store = { ownTablesRefusal: undefined, open: async () => {}, ping: async () => {}, write };
  const onError = (_message: string, error: unknown): void => void errors.push(error);
  const writer = new TraceWriter({ store, clock, queueRows: 1_000, gatherMs: 0, onDropped: () => {}, onError });

  writer.start();
  writer.offer([ROW]);
  await clock.advance(60_000);
  collectGarbage();

  expect(errors).toHaveLength(1);
  expect(statements.length).toBeGreaterThan(3);
  expect(statements.filter((statement) => statement.deref() !== undefined)).toEqual([]);
  await writer.stop(AbortSignal.abort());
});
