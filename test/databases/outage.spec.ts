import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { EventSinks, type JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { DatabaseServer } from './support/database-server.js';
import { KINDS } from './support/kinds.js';
import { MARIADB_KIND, MARIADB_LACK, mariadbClient, mariadbUrl } from './support/mariadb.js';

/** The full minute: DATABASE_OUTAGE_MS=60000 npm run test:databases. */
const OUTAGE_MS = Number(process.env['DATABASE_OUTAGE_MS'] ?? 8_000);
const QUEUE_ROWS = 1_000;
const ITEMS = 300;
/** Rows of a run of all items: two for each item, and two for the task. */
const ROWS = 2 * ITEMS + 2;
/** More rows than there are of events and sums. */
const MOST_OTHERS = 100;
/** Lateness that a busy machine may add. A job that waits for its history would be late by the whole outage. */
const LATE_MS = 1_000;

/** Conditions for rows that are complete. */
const COMPLETE = {
  JOB_EXECUTION_LOG: 'complete_time is not null',
  JOB_STATUS_TRACE_LOG: '1 = 1',
  ELASTIC_JOB_RUN: 'settled_at is not null',
};

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

// These tests stop servers, so they start their own instead of the one that a variable names.
for (const { name, lack, start, client } of KINDS) {
  describe.skipIf(lack)(`a history in ${name}${lack ?? ''}`, () => {
    it(
      `makes no job late, counts lost rows, and goes on after an outage of ${OUTAGE_MS} ms`,
      { timeout: OUTAGE_MS + 120_000 },
      async () => {
        const server = await start();
        open.push(() => server.remove());
        const db = client(server.url);
        open.push(() => db.destroy());
        const app = await startApplication(db);
        await until(() => app.runs >= 2 * ITEMS);

        await server.stop();
        const runsBefore = app.runs;
        await sleep(OUTAGE_MS); // The outage lasts in real time, because the server and the history both use it.
        const { failingSince } = app.history.status;
        const runsMeanwhile = app.runs - runsBefore;
        await server.start();
        await until(() => app.history.status.failingSince === undefined && app.history.status.queuedRows < ROWS);
        await app.stop();

        expect(failingSince).toEqual(expect.any(Number));
        expect(runsMeanwhile).toBeGreaterThanOrEqual((Math.floor(OUTAGE_MS / 1_000) - 2) * ITEMS);
        expect(app.fireTimes.toSorted((a, b) => a - b)).toEqual(everySecond(app.fireTimes));
        expect(Math.max(...app.latenessMs)).toBeLessThan(LATE_MS);
        const { droppedRows } = app.history.status;
        expect(droppedRows).toBeGreaterThan(0);
        expect(app.dropped).toBe(droppedRows);
        const tables = ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG', 'ELASTIC_JOB_RUN'] as const;
        const rows = await Promise.all(tables.map((table) => rowsIn(db, table)));
        const missing = 2 * app.runs + 2 * app.fireTimes.length - rows.reduce((sum, count) => sum + count, 0);
        const others = droppedRows - missing;
        expect([others >= 0, others < MOST_OTHERS, others]).toEqual([true, true, others]);
      },
    );
  });
}

describe.skipIf(MARIADB_LACK)(`a history in MariaDB${MARIADB_LACK ?? ''}`, () => {
  it('makes no job late and has every run after a server that hangs answers again', async () => {
    const server = await DatabaseServer.create(MARIADB_KIND);
    open.push(() => server.remove());
    const db = mariadbClient(mariadbUrl(server.port));
    open.push(() => db.destroy());
    const app = await startApplication(db, 100_000);
    await until(() => app.runs >= 2 * ITEMS);

    server.pause();
    await until(() => app.history.status.failingSince !== undefined);
    server.resume();
    await until(() => app.history.status.failingSince === undefined && app.history.status.queuedRows < ROWS);
    await app.stop();

    expect(app.fireTimes.toSorted((a, b) => a - b)).toEqual(everySecond(app.fireTimes));
    expect(Math.max(...app.latenessMs)).toBeLessThan(LATE_MS);
    expect(app.history.status.droppedRows).toBe(0);
    expect(await rowsIn(db, 'JOB_EXECUTION_LOG')).toBe(app.runs);
  });
});

async function startApplication(db: Kysely<unknown>, queueRows = QUEUE_ROWS) {
  const clock = new SystemClock();
  const registry = new MemoryRegistry(clock).center({
    namespace: 'outage',
    clock,
    sessionTimeoutMs: 30_000,
    requestTimeoutMs: 5_000,
  });
  const runtime = new ElasticJobRuntime({ registry, clock });
  const history = new SqlHistory(db, { queueRows });
  const sinks = new EventSinks([history], runtime.events, clock);
  const latenessMs: number[] = [];
  const events: JobEvent[] = [];
  runtime.events.on((event) => void events.push(event));
  await runtime.registrar.register({
    className: 'outage',
    place: 'outage',
    configuration: resolveJobOptions(
      { name: 'outage', cron: '* * * * * ?', shardingTotalCount: ITEMS },
      { place: 'outage' },
    ),
    handler: ({ fireTime }) => latenessMs.push(clock.wallNow() - fireTime.getTime()),
  });
  sinks.start();
  await runtime.start();
  const stop = async () => {
    await runtime.stop();
    await sinks.stop();
  };
  open.push(stop);
  const begun = () => events.flatMap((event) => (event.kind === 'begun' ? [event.trigger.fireTime] : []));
  return {
    history,
    latenessMs,
    stop,
    get runs() {
      return latenessMs.length;
    },
    get fireTimes() {
      return begun();
    },
    get dropped() {
      return events.reduce((sum, event) => sum + (event.kind === 'history-dropped' ? event.count : 0), 0);
    },
  };
}

/** Rows that are complete: a run whose end was dropped is missing as well. */
async function rowsIn(db: Kysely<unknown>, table: keyof typeof COMPLETE): Promise<number> {
  const query = sql<{
    n: number | string;
  }>`select count(*) as n from ${sql.raw(table)} where ${sql.raw(COMPLETE[table])}`;
  return Number((await query.execute(db)).rows[0]!.n);
}

function everySecond(times: readonly number[]): number[] {
  const first = Math.min(...times);
  return times.map((_, index) => first + index * 1_000);
}

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: 45_000, interval: 20 });
}
