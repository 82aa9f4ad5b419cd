import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ConfigurationError } from '../../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { never } from '../../contract/history/history-database.js';
import { toldRun } from '../../contract/history/told-runs.js';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';

/** Real time, but no test waits for much of it. */
class HastyClock extends SystemClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(Math.min(ms, 1), signal);
  }
}

let threads: Bundle;
let directory: string;
let path: string;
let db: Kysely<unknown>;
/** The requests of the event loop's thread to the database. */
let statements: string[];
let heard: JobEvent[];
let history: SqlHistory<unknown>;
beforeAll(async () => {
  threads = await bundle({
    thread: 'libs/elastic-job/src/tracing/sql/thread/history-thread.ts',
    mortal: 'test/integration/history-thread/mortal-dialect.fixture.ts',
  });
});
afterAll(() => threads.remove());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'history-'));
  path = join(directory, 'history.db');
  statements = [];
  heard = [];
  const log = ({ query }: { readonly query: { readonly sql: string } }) => void statements.push(query.sql);
  db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(path) }), log });
});
afterEach(async () => {
  await history.stop(AbortSignal.timeout(1_000));
  await db.destroy();
  await rm(directory, { recursive: true });
});

describe('a history that a thread writes', () => {
  it('is written by the thread alone, which closes its connection at the stop', async () => {
    start();
    tell('bill', 'bill');

    await history.stop(never());

    expect(await jobsWritten()).toEqual(['bill', 'bill']);
    expect(statements.filter((text) => text.startsWith('insert into JOB_'))).toEqual([]);
    expect(existsSync(`${path}.closed`)).toBe(true);
    expect(heard).toEqual([]);
  });

  it('has every row although its thread dies during a write, and reports the death', async () => {
    start();
    tell('bill', 'dies-once', 'ship');
    await untilWritten();

    expect(await jobsWritten()).toEqual(['bill', 'dies-once', 'ship']);
    expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
    expect(errors()).toEqual([
      ['the database takes nothing; trying again', 'The writer thread is gone: it ended with code 3'],
    ]);
  });

  it('has every row although its thread dies between writes, and reports the death', async () => {
    start();
    tell('bill');
    await untilWritten();

    const channel = new BroadcastChannel(path);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
    channel.postMessage('end');
    await vi.waitFor(() => expect(errors()).toHaveLength(1), { timeout: 10_000, interval: 10 });
    channel.close();
    tell('ship');
    await untilWritten();

    expect(await jobsWritten()).toEqual(['bill', 'ship']);
    expect(errors()).toEqual([
      ['the writer thread has died; another one goes on', 'The writer thread is gone: it ended with code 3'],
    ]);
  });

  it('drops only the row that kills the thread each time, and counts it', async () => {
    start();
    tell('bill', 'dies', 'ship');
    await untilWritten();

    expect(await jobsWritten()).toEqual(['bill', 'ship']);
    expect((await history.statuses({ jobName: 'dies' })).rows).toHaveLength(2);
    expect(history.status.droppedRows).toBe(1);
    const told = heard.flatMap((event) => (event.kind === 'history-dropped' ? [event.count] : []));
    expect(told).toEqual([1]);
  });

  it('drops the oldest rows of a full queue while the thread hangs, and stops in time', async () => {
    start({ queueRows: 1_000 });
    tell('bill');
    await untilWritten();
    tell('hangs');
    await vi.waitFor(() => expect(existsSync(`${path}.hangs`)).toBe(true), { timeout: 10_000, interval: 10 });
    tell(...Array<string>(1_000).fill('ship'));

    expect(history.status.queuedRows).toBe(1_000);
    const { droppedRows, queuedRows } = history.status;
    await history.stop(AbortSignal.timeout(100));

    // The sums of the three jobs come again at the stop.
    const lost = history.status.droppedRows - droppedRows - queuedRows;
    expect([0, 1, 2, 3]).toContain(lost);
    expect(history.status.queuedRows).toBe(0);
    expect(existsSync(`${path}.closed`)).toBe(false);
  });

  it.each([
    ['a module that is not there', { dialectModule: new URL('file:///nowhere/dialect.js') }],
    ['what is not the URL of a file', { dialectModule: new URL('https://example.org/dialect.js') }],
  ])('is refused with %s, and the error names the option', (_, options) => {
    history = new SqlHistory(db);
    expect(() => new SqlHistory(db, options)).toThrow(ConfigurationError);
    expect(() => new SqlHistory(db, options)).toThrow(/dialectModule must be the URL of an existing file, but is /);
  });

  it('names the module in its error, and what it lacks, if that makes no dialect', async () => {
    start({ dialectModule: threads.url('thread') });

    await vi.waitFor(() => expect(errors()).toHaveLength(1), { timeout: 10_000, interval: 10 });
    expect(errors()[0]![1]).toMatch(/The writer thread is gone: .*thread\.mjs exports no function createDialect/);
  });
});

function start(options: SqlHistoryOptions = {}): void {
  const dialectModule = threads.url('mortal');
  dialectModule.searchParams.set('sqlite', path);
  history = new SqlHistory(db, { gatherMs: 1, dialectModule, threadUrl: threads.url('thread'), ...options });
  history.start({ clock: new HastyClock(), emit: (event) => void heard.push(event) });
}

/** A run of each job, from its begin to its end. */
function tell(...jobNames: readonly string[]): void {
  for (const jobName of jobNames) {
    const { begin, end } = toldRun({ jobName });
    for (const event of [...begin, ...end]) history.hear(event);
  }
}

async function jobsWritten(): Promise<string[]> {
  const { rows } = await history.executions();
  return rows.map(({ jobName }) => jobName).toSorted();
}

function errors(): [string, string][] {
  return heard.flatMap((event): [string, string][] =>
    event.kind === 'error'
      ? [[event.message.replace('history "sql": ', ''), String(Reflect.get(Object(event.error), 'message'))]]
      : [],
  );
}

/** A history has no event for an empty queue, so this polls. */
async function untilWritten(): Promise<void> {
  await vi.waitFor(() => expect(history.status.queuedRows).toBe(0), { timeout: 20_000, interval: 10 });
}
