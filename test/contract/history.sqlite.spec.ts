import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, Kysely, sql, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../../libs/elastic-job/src/tracing/sql/index.js';
import type { Bundle } from '@test/support/bundle/bundle.js';
import { collectGarbage } from '@test/support/databases/collect-garbage.js';
import { bundleHistoryThread, inThread } from '@test/support/databases/history-thread.js';
import { describeHistoryContract } from './history/history.contract.js';
import { HastyClock, type HistoryDatabase, never, rowsOf } from './history/history-database.js';
import { toldRun } from './history/told-runs.js';

let threads: Bundle;
beforeAll(async () => {
  threads = await bundleHistoryThread();
});
afterAll(() => threads.remove());

describeHistoryContract('SQLite, in a file', () => openFile(() => ({})));

describeHistoryContract('SQLite, in a file that a thread writes', () =>
  openFile((path) => inThread(threads, 'sqlite', path)),
);

describeHistoryContract('SQLite, in memory', async () => {
  const clients: Kysely<unknown>[] = [];
  // Another connection would be another database, so all clients share this one.
  const shared = client(clients, ':memory:');
  const database: HistoryDatabase = {
    connect: () => shared,
    close: () => shared.destroy(),
  };
  return database;
});

describe('the runs of one item', () => {
  it('are found by an index of their own, so that no run of another item is read', async () => {
    const asked: CompiledQuery[] = [];
    const dialect = new SqliteDialect({ database: new Libsql(':memory:') });
    const db = new Kysely<unknown>({ dialect, log: ({ query }) => void asked.push(query) });
    onTestFinished(() => db.destroy());
    const history = new SqlHistory(db);
    await history.migrate();

    await history.executions({ jobName: 'settle', shardingItem: 3 });
    const { parameters, sql: text } = asked.at(-1)!;
    const { rows } = await db.executeQuery(CompiledQuery.raw(`explain query plan ${text}`, [...parameters]));

    const index = 'EXECUTION_ITEM_TIME_INDEX (job_name=? AND sharding_item=? AND start_time>?)';
    expect(rows[0]).toMatchObject({ detail: `SEARCH JOB_EXECUTION_LOG USING INDEX ${index}` });
  });
});

describe('a history in a file of SQLite that a thread writes', () => {
  it(
    'has every row after a lock of another connection, however often it was refused',
    { timeout: 60_000 },
    async () => {
      const { history, db, clock, heard } = await openHistory((path) => inThread(threads, 'sqlite', path));

      await sql`begin immediate`.execute(db);
      for (const item of [0, 1]) tellRun(history, item, new Error('out of stock'));
      await until(() => clock.pauses >= 7);
      expect(history.status.failingSince).toEqual(expect.any(Number));
      await sql`rollback`.execute(db);
      await history.stop(never());

      const rows = await rowsOf(db, 'JOB_EXECUTION_LOG', 'sharding_item');
      expect(rows.map((row) => row['sharding_item'])).toEqual([0, 1]);
      expect(rows[0]!['failure_cause']).toContain('out of stock');
      expect(history.status).toMatchObject({ droppedRows: 0, failingSince: undefined });
      expect(messages(heard)).toEqual(['history "sql": the database takes nothing; trying again']);
    },
  );
});

describe('a history in a file of SQLite whose connection does not wait for locks', () => {
  it.each(['before its tables are there', 'while it writes'])(
    'loses no row, locks nobody out, and says what helps, if a lock is refused %s',
    { timeout: 60_000 },
    async (time) => {
      const { history, clock, database, heard, statements } = await openHistory(() => ({}), time === 'while it writes');
      const other = database.connect();

      await sql`begin immediate`.execute(other);
      tellRun(history, 0, new Error('out of stock'));
      await until(() => clock.pauses >= 1);
      await sql`rollback`.execute(other);
      await until(() => messages(heard).length >= 2);

      expect(history.status).toMatchObject({ queuedRows: 6, droppedRows: 0, failingSince: expect.any(Number) });
      expect(messages(heard)).toEqual([
        'history "sql": the database takes nothing; trying again',
        'history "sql": the connection commits nothing; trying again',
      ]);
      expect(errorsOf(heard).at(-1)).toMatchObject({
        code: 'STUCK_CONNECTION',
        message: expect.stringContaining('{ timeout: 5_000 }'),
      });
      const reads = [() => history.executions(), () => history.statuses(), () => history.countExecutions()];
      for (const read of [...reads, () => history.countStatuses()])
        expect(await codeOf(read())).toBe('STUCK_CONNECTION');
      await sql`create table others (id int)`.execute(other);

      await untilWritten(history, statements);
      expect(await rowsOf(other, 'JOB_EXECUTION_LOG', 'sharding_item')).toHaveLength(1);
      expect(history.status).toMatchObject({ droppedRows: 0, failingSince: undefined });
    },
  );

  it('says once what helps if another statement of its connection was refused', { timeout: 60_000 }, async () => {
    const { history, database, db, heard, statements } = await openHistory(() => ({}));
    const other = database.connect();
    await sql`begin immediate`.execute(other);
    expect(await codeOf(sql`create table others (id int)`.execute(db))).toBe('SQLITE_BUSY');
    await sql`rollback`.execute(other);

    tellRun(history, 0, new Error('out of stock'));
    await until(() => messages(heard).length > 0);
    await untilWritten(history, statements);

    expect(messages(heard)).toEqual(['history "sql": the connection commits nothing; trying again']);
  });
});

/** Only its code, since the stack of an error refers to the statement. */
async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => undefined,
    (error: unknown) => Reflect.get(Object(error), 'code'),
  );
}

/**
 * libsql ends refused statements when JavaScript's garbage is collected.
 * @param statements kept the refused ones until now, so that the garbage was not collected at a time of its own
 */
async function untilWritten(history: SqlHistory<unknown>, statements: unknown[]): Promise<void> {
  statements.length = 0;
  await until(() => {
    collectGarbage();
    return history.status.queuedRows === 0;
  });
  await history.stop(never());
}

describe('a history in a file of SQLite that is full', () => {
  it('has every row once there is space, and says since when there is none', { timeout: 60_000 }, async () => {
    const { history, db, clock, heard } = await openHistory(() => ({}));
    const [{ pages } = { pages: 0 }] = (
      await sql<{ pages: number }>`select page_count as pages from pragma_page_count`.execute(db)
    ).rows;

    await sql.raw(`pragma max_page_count = ${pages}`).execute(db);
    for (let item = 0; item < 50; item += 1) tellRun(history, item, new Error('x'.repeat(3_000)));
    await until(() => clock.pauses >= 12);
    expect(history.status.failingSince).toEqual(expect.any(Number));
    await sql.raw(`pragma max_page_count = 100000`).execute(db);
    await history.stop(never());

    expect(await rowsOf(db, 'JOB_EXECUTION_LOG', 'sharding_item')).toHaveLength(50);
    expect(history.status).toMatchObject({ droppedRows: 0, failingSince: undefined });
    expect(messages(heard)).toEqual(['history "sql": the database takes nothing; trying again']);
  });
});

/** A history that is started. @param hasTables true if its tables are there before */
async function openHistory(optionsOf: (path: string) => SqlHistoryOptions, hasTables = true) {
  const statements: unknown[] = [];
  const database = await openFile(optionsOf, statements);
  onTestFinished(() => database.close());
  const db = database.connect();
  const history = new SqlHistory(db, { gatherMs: 1, ...database.options });
  if (hasTables) await history.migrate();
  const clock = new HastyClock();
  const heard: JobEvent[] = [];
  const emit = (event: JobEvent): void => {
    heard.push(event);
    // A log writes the stack as well. Until somebody reads it, it keeps the refused statement from being collected.
    if (event.kind === 'error') Reflect.get(Object(event.error), 'stack');
  };
  history.start({ clock, emit });
  return { clock, database, db, heard, history, statements };
}

function messages(heard: readonly JobEvent[]): string[] {
  return heard.flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}

function errorsOf(heard: readonly JobEvent[]): unknown[] {
  return heard.flatMap((event) => (event.kind === 'error' ? [event.error] : []));
}

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: 45_000, interval: 5 });
}

function tellRun(history: SqlHistory<unknown>, item: number, error: Error): void {
  const { begin, end } = toldRun({ items: [item], outcomes: new Map([[item, { kind: 'failed', error }]]) });
  for (const event of [...begin, ...end]) history.hear(event);
}

/** @param statements receives the statements of the clients @default they are garbage once they have run */
async function openFile(
  optionsOf: (path: string) => SqlHistoryOptions,
  statements?: unknown[],
): Promise<HistoryDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'history-'));
  const path = join(directory, 'history.db');
  const clients: Kysely<unknown>[] = [];
  return {
    options: optionsOf(path),
    connect: () => client(clients, path, statements),
    close: async () => {
      await Promise.all(clients.map((db) => db.destroy()));
      await rm(directory, { recursive: true });
    },
  };
}

function client(clients: Kysely<unknown>[], path: string, statements?: unknown[]): Kysely<unknown> {
  const connection = new Libsql(path);
  const prepare = (source: string) => {
    const statement = connection.prepare(source);
    statements?.push(statement);
    return statement;
  };
  const database = { prepare, close: () => void connection.close() };
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  clients.push(db);
  return db;
}
