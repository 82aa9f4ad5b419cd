import {
  ConfigurationError,
  ElasticJob,
  type ElasticJobModuleOptions,
  type JobEvent,
  type ShardingContext,
} from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { SqlHistory, type SqlHistoryOptions } from '@app/elastic-job/tracing/sql';
import { DummyDriver, Kysely, MssqlAdapter, MssqlIntrospector, MssqlQueryCompiler, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SwitchedSqlite } from '@test/support/databases/switched-sqlite.js';
import { EVERY_SECOND, type JobApplication, startJobs, whileTimePasses } from './support/job-application.js';

const ITEMS = 30;

let database: SwitchedSqlite;
let latenessMs: number[];
let clock: VirtualClock;
beforeEach(() => {
  database = new SwitchedSqlite();
  latenessMs = [];
  clock = new VirtualClock();
});
afterEach(() => database.db.destroy());

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: ITEMS })
  settle({ fireTime }: ShardingContext): void {
    latenessMs.push(clock.wallNow() - fireTime.getTime());
  }
}

describe('a history of an application', () => {
  it('writes every row before the application has closed', async () => {
    const { jobs, history } = await start({ gatherMs: 60_000 });
    await jobs.tick();
    expect(database.value('select count(*) from JOB_EXECUTION_LOG')).toBe(0);

    await whileTimePasses(clock, jobs.close());

    expect(database.value('select count(*) from JOB_EXECUTION_LOG where is_success = 1')).toBe(ITEMS);
    expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells of each run the fire time, the instance, the release of the application, and its token', async () => {
    const { jobs } = await start({}, { version: '1.43.1', tokenEpoch: 7 });
    await jobs.tick();
    await whileTimePasses(clock, jobs.close());

    const { rows } = await sql<Record<string, unknown>>`select * from ELASTIC_JOB_RUN order by sharding_item`.execute(
      database.db,
    );
    const begun = jobs.events.find((event) => event.kind === 'begun')!;
    expect(rows).toHaveLength(ITEMS);
    expect(rows[3]).toMatchObject({
      job_name: 'settle-orders',
      sharding_item: 3,
      fire_time: begun.trigger.fireTime,
      origin: 'schedule',
      source: 'NORMAL_TRIGGER',
      outcome: 'succeeded',
      run: begun.begins!.get(3)!.run,
      token: begun.begins!.get(3)!.token,
      epoch: 7,
      instance: begun.taskId.split('@-@READY@-@')[1],
      version: '1.43.1',
      attempts: 1,
    });
    expect(count('JOB_EXECUTION_LOG join ELASTIC_JOB_RUN using (id)')).toBe(ITEMS);
  });

  it('makes no job late while the database is away, and counts the missing rows afterwards', async () => {
    const { jobs, history } = await start({ queueRows: 1_000 });
    await clock.advance(5_000);

    database.isAway = true;
    await clock.advance(60_000);
    expect(history.status).toMatchObject({ queuedRows: 1_000, failingSince: expect.any(Number) });
    expect(history.status.droppedRows).toBeGreaterThan(500);
    database.isAway = false;
    await clock.advance(15_500);

    const { droppedRows } = history.status;
    expect(history.status).toEqual({ queuedRows: 0, droppedRows, failingSince: undefined });
    expect(latenessMs).toHaveLength(80 * ITEMS);
    expect(Math.max(...latenessMs)).toBeLessThan(100);
    const missing = 2 * 80 * ITEMS - completed() - settled() + (80 * 2 - count('JOB_STATUS_TRACE_LOG'));
    // The others are rows of events, and of sums, which come again.
    expect(droppedRows).toBeGreaterThanOrEqual(missing);
    expect(droppedRows).toBeLessThan(missing + 20);
    expect(told(jobs)).toBe(droppedRows);
    const errors = jobs.events.filter(({ kind }) => kind === 'error');
    expect(errors).toMatchObject([{ message: 'history "sql": the database takes nothing; trying again' }]);
  });

  it('begins with the earlier events if the database is away at the start', async () => {
    database.isAway = true;
    const { history } = await start();
    await clock.advance(5_000);

    database.isAway = false;
    await clock.advance(15_500);

    expect(history.status.queuedRows).toBe(0);
    expect(completed()).toBe(20 * ITEMS);
  });

  it('lets the application close in time if the database never comes, and counts the lost rows', async () => {
    database.isAway = true;
    const { jobs, history } = await start();
    await jobs.tick();
    const before = clock.monotonicNow();

    await whileTimePasses(clock, jobs.close());

    expect(clock.monotonicNow() - before).toBeLessThan(6_000);
    const { droppedRows, queuedRows } = history.status;
    expect(queuedRows).toBe(0);
    expect(droppedRows).toBeGreaterThanOrEqual(2 * ITEMS + 2);
    expect(told(jobs)).toBe(droppedRows);
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops only the row that the database refuses, and counts it', async () => {
    const { jobs, history } = await start();
    const next = Math.ceil((clock.wallNow() + 1) / 1_000) * 1_000;
    database.exec(`create trigger refuse before insert on JOB_EXECUTION_LOG
      when new.sharding_item = 7 and new.start_time between ${next} and ${next + 999}
      begin select raise(abort, 'Incorrect string value'); end`);

    await clock.advance(30_500);

    expect(completed()).toBe(latenessMs.length - 1);
    expect(history.status).toMatchObject({ droppedRows: 1, failingSince: undefined });
    expect(told(jobs)).toBe(1);
    expect(jobs.events).toContainEqual(
      expect.objectContaining({
        kind: 'error',
        message: 'history "sql": the database refuses a row of job "settle-orders", which is dropped',
      }),
    );
  });

  it.each([
    ['locked', Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })],
    ['full', new Error('database or disk is full')],
    ['without the right to write', Object.assign(new Error('permission denied'), { code: '42501' })],
    ['without its table', Object.assign(new Error('does not exist'), { code: '42P01' })],
  ])('loses no row to a database that is %s, and says since when it is so', async (_, refusal) => {
    const { jobs, history } = await start();
    await clock.advance(2_000);

    database.refusal = refusal;
    await clock.advance(60_000);
    expect(history.status).toMatchObject({ droppedRows: 0, failingSince: expect.any(Number) });
    database.refusal = undefined;
    await clock.advance(15_500);

    expect(completed()).toBe(latenessMs.length);
    expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
    const errors = jobs.events.filter(({ kind }) => kind === 'error');
    expect(errors).toMatchObject([{ message: 'history "sql": the database takes nothing; trying again' }]);
  });

  it("writes ElasticJob's tables where it may not create the others, and says so once", async () => {
    database.forbidden = 'CREATE TABLE IF NOT EXISTS ELASTIC_JOB_';
    const heard: JobEvent[] = [];
    const { jobs, history } = await start(
      {},
      { tracing: [{ name: 'heard', hear: (event) => void heard.push(event) }] },
    );
    await clock.advance(30_500);
    await whileTimePasses(clock, jobs.close());

    expect(completed()).toBe(latenessMs.length);
    expect(database.value("select count(*) from sqlite_master where name like 'ELASTIC_JOB_RUN%'")).toBe(0);
    expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
    expect(heard.filter(({ kind }) => kind === 'error')).toMatchObject([
      { message: expect.stringContaining("only ElasticJob's two are written"), error: { code: '42501' } },
    ]);
  });

  it('refuses to start with a second application until the first is gone', async () => {
    const { jobs, history } = await start();
    const again = () => startJobs({ clock, options: { tracing: [history] } });

    await expect(again()).rejects.toThrow('SqlHistory: "sql" is given to two applications; make one for each');
    await jobs.tick();
    await whileTimePasses(clock, jobs.close());
    expect(completed()).toBe(ITEMS);

    await again();
  });

  it.each<[SqlHistoryOptions, string]>([
    [{ keepDays: 0 }, 'keepDays must be a whole number from 1, but is 0'],
    [{ keepRows: 1.5 }, 'keepRows must be a whole number from 1, but is 1.5'],
    [{ queueRows: 10 }, 'queueRows must be a whole number from 1000, but is 10'],
    [{ gatherMs: -1 }, 'gatherMs must be a whole number from 0, but is -1'],
    [{ name: '' }, 'name must be a text, but is ""'],
  ])('is refused with %j', (options, problem) => {
    expect(() => new SqlHistory(database.db, options)).toThrow(new ConfigurationError('SqlHistory', [problem]));
  });

  it('names the known kinds in the error for a database of another kind', async () => {
    const db = new Kysely<unknown>({
      dialect: {
        createAdapter: () => new MssqlAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (at) => new MssqlIntrospector(at),
        createQueryCompiler: () => new MssqlQueryCompiler(),
      },
    });

    expect(() => new SqlHistory(db)).toThrow('must be "sqlite", "postgres", "mysql"; give it');
  });
});

async function start(options: SqlHistoryOptions = {}, more: Partial<ElasticJobModuleOptions> = {}) {
  const history = new SqlHistory(database.db, options);
  const module: ElasticJobModuleOptions = { ...more, tracing: [history, ...(more.tracing ?? [])] };
  return { history, jobs: await startJobs({ clock, providers: [OrderJobs], options: module }) };
}

function completed(): number {
  return Number(database.value('select count(*) from JOB_EXECUTION_LOG where complete_time is not null'));
}

function settled(): number {
  return Number(database.value('select count(*) from ELASTIC_JOB_RUN where settled_at is not null'));
}

function count(table: string): number {
  return Number(database.value(`select count(*) from ${table}`));
}

/** The number of lost rows according to the events of a history. */
function told({ events }: JobApplication): number {
  return events.reduce((sum, event) => sum + (event.kind === 'history-dropped' ? event.count : 0), 0);
}
