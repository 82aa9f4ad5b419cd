import { type Kysely, Migrator, type Migration } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  CancelledError,
  ExecutorDeathError,
  HandedOverError,
  JobTimeoutError,
  type SettledOutcome,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { ALL_JOBS } from '../../../libs/elastic-job/src/tracing/sql/own-row.js';
import { RowSource } from '../../../libs/elastic-job/src/tracing/sql/row-source.js';
import { StatRecorder } from '../../../libs/elastic-job/src/tracing/sql/stat-recorder.js';
import { dialectOf, traceDialect } from '../../../libs/elastic-job/src/tracing/sql/trace-dialect.js';
import { TraceRecorder } from '../../../libs/elastic-job/src/tracing/sql/trace-recorder.js';
import { TraceRetention } from '../../../libs/elastic-job/src/tracing/sql/trace-retention.js';
import { asTraceDb, type TraceRow } from '../../../libs/elastic-job/src/tracing/sql/trace-row.js';
import { TraceStore } from '../../../libs/elastic-job/src/tracing/sql/trace-store.js';
import { dropTables, HastyClock, type HistoryDatabase, never, rowsOf, run } from './history-database.js';
import { FIRE_TIME, INSTANCE, JOB, toldRun, type ToldRun } from './told-runs.js';

const DAY_MS = 86_400_000;
const FACTS = { version: '1.43.1', epoch: 7 };

/** A clock whose wall time stays as it was set; all other time is real. */
class SteppedClock extends SystemClock {
  wall = FIRE_TIME;

  override wallNow(): number {
    return this.wall;
  }
}

/** The rules for our own tables, in every database. */
export function describeOwnRowsContract(name: string, open: () => Promise<HistoryDatabase>): void {
  describe(`runs, attempts, events and sums in ${name}`, () => {
    let database: HistoryDatabase;
    let db: Kysely<unknown>;
    let heard: JobEvent[];

    beforeEach(async () => {
      database = await open();
      db = database.connect();
      heard = [];
      await dropTables(db);
    });
    afterEach(() => database.close());

    function start(options: SqlHistoryOptions = {}, at: Kysely<unknown> = db, clock: Clock = new SteppedClock()) {
      const history = new SqlHistory(at, { gatherMs: 1, ...database.options, ...options });
      const emit = (event: JobEvent): void => {
        heard.push(event);
        history.hear(event);
      };
      history.start({ clock, emit, version: FACTS.version, tokenEpoch: FACTS.epoch });
      return history;
    }

    async function record(events: readonly JobEvent[], history = start()) {
      for (const event of events) history.hear(event);
      await history.stop(never());
      return history;
    }

    const readAll = async (table: string, order = 'id') => (await rowsOf(db, table, order)).map(withNumbers);
    /** Without the sums of all jobs. */
    const read = async (table: string, order?: string) =>
      (await readAll(table, order)).filter((row) => row['job_name'] !== ALL_JOBS);

    it('tells of a run what its begin and its end have told', async () => {
      await record(wholeRun({ items: [0, 1], isRecorded: true }));

      const runs = await read('ELASTIC_JOB_RUN', 'sharding_item');
      const executions = await read('JOB_EXECUTION_LOG', 'sharding_item');
      expect(runs).toHaveLength(2);
      expect(runs[1]).toEqual({
        id: executions[1]!['id'],
        job_name: JOB,
        sharding_item: 1,
        fire_time: FIRE_TIME,
        origin: 'schedule',
        source: 'NORMAL_TRIGGER',
        outcome: 'succeeded',
        cause: null,
        run: 'run-1',
        token: '9007199254740994',
        epoch: 7,
        instance: INSTANCE,
        version: '1.43.1',
        task_id: toldRun({ items: [0, 1] }).taskId,
        launch: 1,
        begun_at: FIRE_TIME + 3,
        started_at: FIRE_TIME,
        settled_at: FIRE_TIME,
        lateness_ms: 7,
        attempts: 1,
      });
      expect(await read('ELASTIC_JOB_ATTEMPT')).toEqual([]);
      expect(heard).toEqual([]);
    });

    it('knows no begin of the registry without monitorExecution', async () => {
      await record(wholeRun({}));

      const [run1] = await read('ELASTIC_JOB_RUN');
      expect(run1).toMatchObject({ run: null, token: null, launch: null, begun_at: FIRE_TIME, outcome: 'succeeded' });
    });

    it('has a run from its begin on, also if its handler is never called', async () => {
      const { begin, trigger, taskId } = toldRun({ items: [0, 1], isRecorded: true });
      const history = start();
      await record([begin[0]!], history);
      const [running] = await read('ELASTIC_JOB_RUN', 'sharding_item');

      const outcome = { kind: 'aborted', reason: new CancelledError(JOB, 0) } as const;
      const settled = { kind: 'settled', trigger, taskId, item: 0, outcome, durationMs: 40 } as const;
      await record([begin[0]!, settled]);

      expect(running).toMatchObject({ outcome: null, started_at: null, settled_at: null, attempts: 0 });
      const rows = (await read('ELASTIC_JOB_RUN')).filter((row) => row['outcome'] !== null);
      expect(rows).toMatchObject([{ outcome: 'aborted', cause: 'cancelled', started_at: null, attempts: 0 }]);
      expect((await read('JOB_EXECUTION_LOG')).map(({ id }) => id)).toEqual([rows[0]!['id']]);
    });

    it.each<[string, SettledOutcome, string | null]>([
      ['failed', { kind: 'failed', error: new Error('out of stock') }, null],
      ['failed', { kind: 'failed', error: new JobTimeoutError(JOB, 0, 5) }, 'timed-out'],
      ['failed', { kind: 'failed', error: new ExecutorDeathError('KILLED', 'signal 9') }, 'KILLED'],
      ['aborted', { kind: 'aborted', reason: new HandedOverError(JOB, 'moved') }, 'moved'],
      ['fenced', { kind: 'fenced', unrecorded: 'succeeded' }, 'succeeded'],
      ['fenced', { kind: 'fenced' }, null],
    ])('says of a run that has %s why, in a word: %j', async (outcome, settled, cause) => {
      await record(wholeRun({ outcomes: new Map([[0, settled]]) }));

      expect(await read('ELASTIC_JOB_RUN')).toMatchObject([{ outcome, cause }]);
    });

    it('has each call of a handler that was retried', async () => {
      await record(wholeRun({ failedCalls: [new Error('no answer'), new Error('no line')] }));

      const [only] = await read('ELASTIC_JOB_RUN');
      expect(only).toMatchObject({ attempts: 3, outcome: 'succeeded' });
      expect(await read('ELASTIC_JOB_ATTEMPT', 'attempt')).toMatchObject([
        {
          id: `${String(only!['id'])}-1`,
          run_id: only!['id'],
          attempt: 1,
          error: expect.stringContaining('no answer'),
        },
        { attempt: 2, error: expect.stringContaining('no line'), ended_at: FIRE_TIME },
        { attempt: 3, error: null, started_at: FIRE_TIME, ended_at: FIRE_TIME },
      ]);
      expect(await read('ELASTIC_JOB_STAT')).toMatchObject([{ succeeded: 1, retried: 2 }]);
    });

    it('keeps the latest versions, in whatever order they are written, and as often as one likes', async () => {
      const clock = new SteppedClock();
      const source = new RowSource(clock);
      const recorder = new TraceRecorder(source, FACTS);
      const versions: TraceRow[] = [];
      const sums = new StatRecorder({ rows: source, clock, offer: (rows) => void versions.push(...rows) });
      for (const event of wholeRun({ failedCalls: [new Error('no answer')], isRecorded: true })) {
        const made = recorder.rowsOf(event);
        sums.hear(event, made);
        versions.push(...made);
      }
      sums.stop();
      const store = new TraceStore(asTraceDb(db), traceDialect(dialectOf(db)!));
      await store.open();

      const tables = ['JOB_EXECUTION_LOG', 'ELASTIC_JOB_RUN', 'ELASTIC_JOB_ATTEMPT', 'ELASTIC_JOB_STAT'];
      const all = () => Promise.all(tables.map((table) => read(table)));
      for (const row of versions) await store.write([row]);
      const inOrder = await all();
      for (const row of versions.toReversed()) await store.write([row]);

      expect(await all()).toEqual(inOrder);
      expect(inOrder.map((rows) => rows.length)).toEqual([1, 1, 2, 1]);
      expect(inOrder[1]).toMatchObject([{ attempts: 2, outcome: 'succeeded' }]);
      for (const table of tables) await run(db, `DELETE FROM ${table}`);
      for (const row of versions.toReversed()) await store.write([row]);
      expect(await all()).toEqual(inOrder);
    });

    it('keeps the events that no row of a run tells, with their items, and no others', async () => {
      const { trigger } = toldRun();
      await record([
        { kind: 'joined', jobName: JOB, instanceId: INSTANCE },
        ...wholeRun({}),
        {
          kind: 'missed',
          jobName: JOB,
          items: [3, 5],
          fireTime: FIRE_TIME,
          since: FIRE_TIME - 60_000,
          count: 2,
          reason: 'skipped',
        },
        { kind: 'hung', trigger, item: 4, since: FIRE_TIME, reason: new Error('too slow'), isReleased: false },
        {
          kind: 'resharded',
          jobName: JOB,
          assignment: new Map(),
          moves: new Map([[2, { from: 'a', to: 'b' }]]),
          cause: 'crashed',
        },
        { kind: 'warning', jobName: undefined, message: 'look' },
      ]);

      const rows = await read('ELASTIC_JOB_EVENT', 'id');
      expect(rows.map(({ kind }) => kind)).toEqual(['joined', 'missed', 'hung', 'resharded', 'warning']);
      const [joined, missed, hung, resharded, warning] = rows.map((row) => ({
        ...row,
        detail: JSON.parse(String(row['detail'])),
      }));
      expect(joined).toMatchObject({
        job_name: JOB,
        items: null,
        told_at: FIRE_TIME,
        detail: { instanceId: INSTANCE },
      });
      expect(missed).toMatchObject({
        items: ',3,5,',
        fire_time: FIRE_TIME,
        since_at: FIRE_TIME - 60_000,
        instance: INSTANCE,
        detail: { count: 2, reason: 'skipped' },
      });
      expect(hung).toMatchObject({ items: ',4,', job_name: JOB, fire_time: FIRE_TIME });
      expect(hung!.detail).toMatchObject({ origin: 'schedule', reason: expect.stringContaining('too slow') });
      expect(resharded).toMatchObject({
        items: ',2,',
        detail: { moves: { 2: { from: 'a', to: 'b' } }, cause: 'crashed' },
      });
      expect(warning).toMatchObject({ job_name: null, detail: { message: 'look' } });
    });

    it('cuts long lists and texts of an event so that it stays JSON, and says how long they were', async () => {
      const items = Array.from({ length: 5_000 }, (_, item) => item);
      const moves = new Map(items.map((item) => [item, { from: INSTANCE, to: '10.0.0.2@-@18-s2' }]));
      await record([
        { kind: 'resharded', jobName: JOB, assignment: new Map(), moves, cause: 'joined' },
        { kind: 'error', jobName: JOB, message: 'broken', error: new Error('\u0001"x"'.repeat(5_000)) },
      ]);

      const [resharded, error] = await read('ELASTIC_JOB_EVENT');
      expect(resharded).toMatchObject({ items: '*' });
      const { moves: kept, movesCut } = JSON.parse(String(resharded!['detail']));
      expect(movesCut).toBe(5_000);
      expect(Object.keys(kept).length).toBeGreaterThan(30);
      expect(JSON.parse(String(error!['detail']))).toMatchObject({ message: 'broken', errorCut: expect.any(Number) });
    });

    it('sums up ten minutes of a job in one row, and begins another one after that', async () => {
      const clock = new SteppedClock();
      const history = start({}, db, clock);
      const failed = new Map([[0, { kind: 'failed', error: 'no' }]] as const);
      await record([...wholeRun({ items: [0, 1], outcomes: failed }), ...wholeRun({ source: 'FAILOVER' })], history);
      const later = start({}, db, clock);
      clock.wall += 600_000;
      await record(
        [
          ...wholeRun({}),
          { kind: 'missed', jobName: JOB, items: [3, 5], fireTime: 0, since: 0, count: 2, reason: 'skipped' },
        ],
        later,
      );

      const rows = await read('ELASTIC_JOB_STAT', 'since_at');
      expect(rows).toMatchObject([
        { since_at: FIRE_TIME, writer: INSTANCE, succeeded: 2, failed: 1, failed_over: 1, missed: 0, duration_ms: 15 },
        { since_at: FIRE_TIME + 600_000, succeeded: 1, failed: 0, missed: 4, longest_ms: 5, latest_ms: 7 },
      ]);
      // 5 ms are below 1.05 to the power of 33, and 7 ms below that of 40.
      expect(rows.map(({ durations, latenesses }) => [durations, latenesses])).toEqual([
        ['{"33":3}', '{"40":3}'],
        ['{"33":1}', '{"40":1}'],
      ]);
      const ofAll = (await readAll('ELASTIC_JOB_STAT', 'since_at')).filter((row) => row['job_name'] === ALL_JOBS);
      expect(ofAll.map(withoutName)).toEqual(rows.map(withoutName));
    });

    it('is read back by the questions of a history', async () => {
      const failed = new Map([[1, { kind: 'failed', error: new Error('no answer') }]] as const);
      const missed = { kind: 'missed', jobName: JOB, items: [2], fireTime: FIRE_TIME, since: FIRE_TIME } as const;
      const history = await record([
        ...wholeRun({ items: [0, 1], outcomes: failed, isRecorded: true }),
        { ...missed, count: 1, reason: 'skipped' },
      ]);
      const hour = { from: FIRE_TIME - 1_800_000, to: FIRE_TIME + 1_800_000 };

      const { rows: runs } = await history.runs({ jobName: JOB });
      expect(runs.toSorted((a, b) => a.shardingItem - b.shardingItem)).toMatchObject([
        { shardingItem: 0, fireTime: FIRE_TIME, outcome: 'succeeded', version: '1.43.1' },
        { shardingItem: 1, fireTime: FIRE_TIME, outcome: 'failed', version: '1.43.1' },
      ]);
      const today = { changedAt: 0, now: FIRE_TIME + 60_000, shardingTotalCount: 3 };
      const { columns } = await history.fireTimes({ jobName: JOB, ...hour, ...today });
      expect(columns.map(({ items }) => items.map(({ fate }) => fate))).toEqual([['done', 'failed', 'missed']]);
      expect((await history.missed({ jobName: JOB })).rows).toMatchObject([{ items: [2], reason: 'skipped' }]);
      expect(await history.statistics({ ...hour, buckets: 1 })).toContainEqual(
        expect.objectContaining({ succeeded: 1, failed: 1 }),
      );
      expect(await history.pulses({ jobNames: [JOB] })).toMatchObject([{ fireTimes: [{ failed: 1, succeeded: 1 }] }]);
    });

    it('keeps the rows of two instances that write at once', async () => {
      const histories = [start(), start({ name: 'other' }, database.connect())];

      await Promise.all(histories.map((history) => record([...wholeRun({}), ...wholeRun({})], history)));

      expect(await read('ELASTIC_JOB_RUN')).toHaveLength(4);
      const sums = await read('ELASTIC_JOB_STAT');
      expect(sums.map(({ succeeded }) => succeeded)).toEqual([2, 2]);
      expect(histories.map(({ status }) => status.droppedRows)).toEqual([0, 0]);
    });

    it('tells in one row of all rows that an outage has cost, and from when on', async () => {
      const clock = new HastyClock();
      const history = start({ queueRows: 1_000 }, db, clock);
      await history.migrate();
      await run(db, 'DROP TABLE ELASTIC_JOB_RUN');
      const from = Date.now();
      for (let count = 0; count < 400; count += 1) for (const event of wholeRun({})) history.hear(event);
      while (clock.pauses < 3) await new SystemClock().sleep(5);
      await new SqlHistory(database.connect()).migrate();
      await history.stop(never());

      const dropped = heard.flatMap((event) => (event.kind === 'history-dropped' ? [event] : []));
      const rows = (await read('ELASTIC_JOB_EVENT')).filter(({ kind }) => kind === 'history-dropped');
      expect(rows).toHaveLength(1);
      const total = dropped.reduce((sum, { count }) => sum + count, 0);
      expect(total).toBe(history.status.droppedRows);
      expect(total).toBeGreaterThan(500);
      expect(JSON.parse(String(rows[0]!['detail']))).toMatchObject({ sink: 'sql' });
      expect(Number(rows[0]!['since_at'])).toBeGreaterThanOrEqual(from);
      expect(Number(rows[0]!['since_at'])).toBeLessThanOrEqual(Number(rows[0]!['told_at']));
    });

    it('deletes what is beyond the limits in every table', async () => {
      const clock = new SteppedClock();
      const history = start({}, db, clock);
      const warning = { kind: 'warning', jobName: JOB, message: 'look' } as const;
      for (const at of [FIRE_TIME, FIRE_TIME + DAY_MS, FIRE_TIME + 2 * DAY_MS]) {
        clock.wall = at;
        for (const event of [...wholeRun({ failedCalls: ['no'] }), warning]) history.hear(event);
      }
      await history.stop(never());
      const store = new TraceStore(asTraceDb(db), traceDialect(dialectOf(db)!));
      const parts = { store, clock, keepDays: undefined, keepRows: undefined, onError: () => {} };
      const counts = async () =>
        Promise.all(
          ['RUN', 'ATTEMPT', 'EVENT', 'STAT'].map(async (table) => (await read(`ELASTIC_JOB_${table}`)).length),
        );

      expect(await counts()).toEqual([3, 6, 3, 3]);
      clock.wall = FIRE_TIME + 2 * DAY_MS;
      await new TraceRetention({ ...parts, keepDays: 1 }).prune();
      expect(await counts()).toEqual([2, 4, 2, 2]);
      await new TraceRetention({ ...parts, keepRows: 1 }).prune();
      // Rows of one instant stay together.
      expect(await counts()).toEqual([1, 2, 1, 1]);
    });

    it('lets a history of the release before start and write beside it, and takes its tables over', async () => {
      await record(wholeRun({}));

      await migrateAsBefore(db);
      expect(await rowsOf(db, 'elastic_job_migration', 'name')).toHaveLength(1);

      for (const table of ['RUN', 'ATTEMPT', 'EVENT', 'STAT']) await run(db, `DROP TABLE ELASTIC_JOB_${table}`);
      await record(wholeRun({}), start({}, database.connect()));
      expect(await read('JOB_EXECUTION_LOG')).toHaveLength(2);
      expect(await read('ELASTIC_JOB_RUN')).toHaveLength(1);
      expect(heard).toEqual([]);
    });
  });
}

/** The start of a history of the release before: its migrator knows ElasticJob's tables alone. */
async function migrateAsBefore(db: Kysely<unknown>): Promise<void> {
  const known: Record<string, Migration> = { '001-elasticjob': { up: async () => {} } };
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableName: 'elastic_job_migration',
    migrationLockTableName: 'elastic_job_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/**
 * PostgreSQL's driver returns large numbers as texts, as the token is one. Rows of MySQL have numbers of their own,
 * `auto_id`.
 */
function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  const isNumber = (name: string, value: unknown) =>
    name !== 'token' && typeof value === 'string' && /^\d+$/.test(value);
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'auto_id')
      .map(([name, value]) => [name, isNumber(name, value) ? Number(value) : value]),
  );
}

/** Without what tells a sum of a job from that of all jobs. */
function withoutName({ id: _id, job_name: _name, ...sums }: Record<string, unknown>): Record<string, unknown> {
  return sums;
}

function wholeRun(told: ToldRun): readonly JobEvent[] {
  const { begin, end } = toldRun(told);
  return [...begin, ...end];
}
