import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  HandedOverError,
  InstanceRemovedError,
  ResidentStoppedError,
  type SettledOutcome,
} from '../../../libs/elastic-job/src/domain/index.js';
import { type Clock, SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory, type SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { RowSource } from '../../../libs/elastic-job/src/tracing/sql/row-source.js';
import { TraceRecorder } from '../../../libs/elastic-job/src/tracing/sql/trace-recorder.js';
import { TraceRetention } from '../../../libs/elastic-job/src/tracing/sql/trace-retention.js';
import { asTraceDb } from '../../../libs/elastic-job/src/tracing/sql/trace-row.js';
import { dialectOf, traceDialect } from '../../../libs/elastic-job/src/tracing/sql/trace-dialect.js';
import { TraceStore } from '../../../libs/elastic-job/src/tracing/sql/trace-store.js';
import { readBlocks } from '../../docs/blocks/blocks.js';
import {
  allowOnly,
  dropTables,
  HastyClock,
  type HistoryDatabase,
  type JavaTables,
  never,
  rowsOf,
  run,
} from './history-database.js';
import { describeOwnRowsContract } from './own-rows.contract.js';
import { FIRE_TIME, JOB, toldRun, type ToldRun } from './told-runs.js';

const DAY_MS = 86_400_000;

/** A clock whose wall time stays as it was set; all other time is real. */
class SteppedClock extends SystemClock {
  wall = FIRE_TIME;

  override wallNow(): number {
    return this.wall;
  }
}

/**
 * The rules for every database. @param java the tables that ElasticJob itself would create there, if it knows the
 * database
 */
export function describeHistoryContract(name: string, open: () => Promise<HistoryDatabase>, java?: JavaTables): void {
  describeOwnRowsContract(name, open);

  describe(`a history in ${name}`, () => {
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

    /** A history that is started; its events get real time. */
    function start(options: SqlHistoryOptions = {}, at: Kysely<unknown> = db, clock: Clock = new SystemClock()) {
      const history = new SqlHistory(at, { gatherMs: 1, ...database.options, ...options });
      history.start({ clock, emit: (event) => void heard.push(event) });
      return history;
    }

    /** Tells a history the events of runs, in order, and stops it. */
    async function record(runs: readonly ToldRun[], history = start()) {
      for (const told of runs) for (const event of wholeRun(told)) history.hear(event);
      await history.stop(never());
      return history;
    }

    /** One run after the other, each a second of wall time after the last one. */
    async function recordEachSecond(count: number, { from = FIRE_TIME, perSecond = 1 } = {}) {
      const clock = new SteppedClock();
      const history = start({}, db, clock);
      for (let index = 0; index < count; index += 1) {
        clock.wall = from + Math.floor(index / perSecond) * 1_000;
        for (const event of wholeRun({})) history.hear(event);
      }
      await history.stop(never());
      return history;
    }

    function prune(keep: { keepDays?: number; keepRows?: number }, now = FIRE_TIME, at: Kysely<unknown> = db) {
      const store = new TraceStore(asTraceDb(at), traceDialect(dialectOf(at)!));
      const clock = Object.assign(new SteppedClock(), { wall: now });
      const onError = () => {};
      return new TraceRetention({ store, clock, keepDays: undefined, keepRows: undefined, ...keep, onError }).prune();
    }

    const errors = () => heard.flatMap((event) => (event.kind === 'error' ? [event.message] : []));
    const executions = () => rowsOf(db, 'JOB_EXECUTION_LOG', 'sharding_item, start_time');
    const statuses = async () =>
      (await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'task_id')).map(({ state, message, sharding_item }) => [
        state,
        message,
        sharding_item,
      ]);

    it('names each missing table and how to create it', async () => {
      const history = new SqlHistory(db);

      for (const [table, read] of [
        ['JOB_EXECUTION_LOG', () => history.executions()],
        ['JOB_STATUS_TRACE_LOG', () => history.statuses()],
      ] as const) {
        const message = expect.stringMatching(`${table}.*migrate\\(\\)`);
        await expect(read()).rejects.toMatchObject({ code: 'MISSING_HISTORY_TABLE', table, message });
      }

      await history.migrate();
      expect(await history.executions()).toMatchObject({ rows: [] });
    });

    it('writes the rows of a run with a failed item as Java would', async () => {
      const broken = new Error('out of stock', { cause: new Error('no such article') });
      const history = await record([{ items: [0, 1], outcomes: new Map([[1, { kind: 'failed', error: broken }]]) }]);

      const [succeeded, failed] = await executions();
      expect(succeeded).toMatchObject({
        job_name: JOB,
        task_id: `${JOB}@-@0,1@-@READY@-@10.0.0.1@-@17-s1`,
        ip: '10.0.0.1',
        hostname: new SystemClock().hostName(),
        sharding_item: 0,
        execution_source: 'NORMAL_TRIGGER',
        failure_cause: null,
      });
      expect([succeeded!['is_success'], failed!['is_success']].map(Boolean)).toEqual([true, false]);
      expect(failed!['failure_cause']).toMatch(/^Error: out of stock\n[^]*\nCaused by: Error: no such article\n/);
      expect(await statuses()).toEqual(
        expect.arrayContaining([
          ['TASK_RUNNING', '', '[0, 1]'],
          ['TASK_ERROR', expect.stringMatching(/^\{1=Error: out of stock\n[^]*\}$/), '[0, 1]'],
        ]),
      );
      expect(await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'id')).toHaveLength(2);
      const [status] = await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'id');
      expect(status).toMatchObject({
        original_task_id: '',
        slave_id: '10.0.0.1',
        source: 'LITE_EXECUTOR',
        execution_type: 'READY',
      });
      expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
      expect(heard).toEqual([]);
    });

    it('records the begin and the end of a run in the same row', async () => {
      const told = toldRun();
      const history = start();
      for (const event of told.begin) history.hear(event);
      await untilWritten(history);

      const [running] = (await history.executions()).rows;
      for (const event of told.end) history.hear(event);
      await history.stop(never());
      const [ended, ...others] = (await history.executions()).rows;

      expect(running).toMatchObject({ isSuccess: false, completeTime: undefined });
      expect(ended).toEqual({ ...running, isSuccess: true, completeTime: expect.any(Date) });
      expect(others).toEqual([]);
    });

    it('keeps the end of a run that is written before its start', async () => {
      const store = new TraceStore(asTraceDb(db), traceDialect(dialectOf(db)!));
      await store.open();
      const { begin, end } = toldRun({ outcomes: new Map([[0, { kind: 'failed', error: 'no' }]]) });
      const recorder = new TraceRecorder(new RowSource(new SystemClock()), { version: null, epoch: null });
      const [started, ended] = [begin, end].map((events) => events.flatMap((event) => recorder.rowsOf(event)));

      for (const rows of [ended!, started!]) await store.write(rows);

      expect(await executions()).toEqual([expect.objectContaining({ failure_cause: 'no' })]);
      expect((await executions())[0]!['complete_time']).not.toBeNull();
    });

    it('records failovers, misfires and triggers without items as what they are', async () => {
      const { trigger } = toldRun();
      const history = start();
      const taskId = `${JOB}@-@@-@READY@-@10.0.0.1@-@17-s1`;
      history.hear({ kind: 'triggered', trigger, taskId, items: [] });
      history.hear({ kind: 'triggered', trigger, taskId: `${JOB}@-@3@-@READY@-@10.0.0.1@-@17-s1`, items: [3] });
      history.hear({ kind: 'misfired', jobName: JOB, taskId: `${JOB}@-@3@-@READY@-@10.0.0.1@-@17-s1`, items: [3] });
      await record([{ source: 'FAILOVER' }, { source: 'MISFIRE', items: [1] }], history);

      expect((await executions()).map(({ execution_source }) => execution_source)).toEqual(['FAILOVER', 'MISFIRE']);
      const told = await statuses();
      expect(told).toContainEqual(['TASK_FINISHED', `Sharding item for job '${JOB}' is empty.`, '[]']);
      expect(told).toContainEqual([
        'TASK_FINISHED',
        `Previous job '${JOB}' - shardingItems '[3]' is still running, ` +
          'misfired job will start after previous job completed.',
        '[3]',
      ]);
      expect(told).toHaveLength(6);
    });

    it('writes a row with the reason for an item that was aborted before it started', async () => {
      const { trigger, taskId } = toldRun();
      const outcome = { kind: 'aborted', reason: new Error('drained') } as const;
      const history = start();
      history.hear({ kind: 'settled', trigger, taskId, item: 0, outcome, durationMs: 40 });
      await history.stop(never());

      expect((await history.executions()).rows).toMatchObject([
        { isSuccess: false, failureCause: expect.stringContaining('Error: drained'), completeTime: expect.any(Date) },
      ]);
    });

    it('begins the cause of a run that was handed over with a word, by which a query leaves it out', async () => {
      const reasons = [
        new ResidentStoppedError(JOB, 0, 'moved'),
        new ResidentStoppedError(JOB, 1, 'disabled'),
        new DrainDeadlineError(JOB, 30_000),
        new InstanceRemovedError(JOB, '10.0.0.1@-@17-s1', 5_000),
        new HandedOverError(JOB, 'moved'),
        new CancelledError(JOB, 5),
      ];
      const failed = { kind: 'failed', error: 'moved: a text that a handler has thrown' } as const;
      const outcomes = new Map<number, SettledOutcome>([
        ...reasons.map((reason, item) => [item, { kind: 'aborted', reason }] as const),
        [6, { kind: 'fenced' }],
        [7, failed],
        [8, { kind: 'succeeded' }],
      ]);
      await record([{ items: whole(9), outcomes }]);

      const rows = await executions();
      const words = rows.map((row) => /^\w+(?=: )/.exec(String(row['failure_cause']))?.[0]);
      expect(words).toEqual([
        'moved',
        'disabled',
        'leaving',
        'leaving',
        'moved',
        'CancelledError',
        undefined,
        'failed',
        undefined,
      ]);
      expect(rows.map((row) => Boolean(row['is_success']))).toEqual(whole(9).map((item) => item === 8));
      expect(await statuses()).toContainEqual([
        'TASK_ERROR',
        expect.stringMatching(/^\{0=moved: Item 0 of [^\n]*, 1=disabled: Item 1 of /),
        expect.any(String),
      ]);
      const query = readBlocks('docs/operate/history.md').find(({ text }) => text.includes("NOT LIKE 'moved:%'"));
      const found = await run(db, query!.text.replace(/;\s*$/, ''));
      expect(new Set(found.map((row) => Number(row['sharding_item'])))).toEqual(new Set([5, 6, 7]));
    });

    it('cuts texts that are too long for a column, and refuses none', async () => {
      const items = Array.from({ length: 500 }, (_, item) => item);
      const error = `${'x'.repeat(3_999)}😀\0${'y'.repeat(100)}`;
      const jobName = 'j'.repeat(200);
      await record([{ jobName, items, outcomes: new Map([[0, { kind: 'failed', error }]]) }]);

      const rows = await executions();
      expect(rows).toHaveLength(500);
      expect(rows[0]).toMatchObject({ failure_cause: 'x'.repeat(3_999), job_name: 'j'.repeat(100) });
      expect(String(rows[0]!['task_id'])).toHaveLength(255);
      expect(heard).toEqual([]);
    });

    it('writes a row with less of its text where the database refuses the text, and every row beside it', async () => {
      const history = start();
      await history.migrate();
      await allowOnly(db, 'failure_cause', `NOT LIKE '%中%'`);
      const outcomes = failing([3, 40, 77], '中国 out of stock');

      await record([{ items: whole(80), outcomes }], history);

      const rows = await executions();
      expect(rows).toHaveLength(80);
      expect(rows.flatMap((row) => row['failure_cause'] ?? [])).toEqual(Array(3).fill('?? out of stock'));
      expect(history.status).toEqual({ queuedRows: 0, droppedRows: 0, failingSince: undefined });
      expect(errors()).toEqual([
        `history "sql": the database refuses the text of a row of job "${JOB}"; the row is written with less of it`,
      ]);
    });

    it('writes a row without its text where the database refuses all of that', async () => {
      const history = start();
      await history.migrate();
      await allowOnly(db, 'failure_cause', `NOT LIKE '%stock%'`);

      await record([{ items: whole(3), outcomes: failing([1], 'out of stock') }], history);

      expect((await executions()).map((row) => row['failure_cause'])).toEqual([
        null,
        'The database has refused this text.',
        null,
      ]);
      expect(history.status.droppedRows).toBe(0);
    });

    it('loses the refused rows alone of 10 a second beside 15 good ones, without a pause', async () => {
      const clock = new HastyClock();
      const history = start({}, db, clock);
      await history.migrate();
      await allowOnly(db, 'job_name', `<> 'refused'`);
      const seconds = whole(10);

      for (const second of seconds) {
        const good: ToldRun = { items: whole(15).map((item) => second * 15 + item) };
        for (const told of [good, { jobName: 'refused', items: whole(10) }]) {
          for (const event of wholeRun(told)) history.hear(event);
        }
      }
      await history.stop(never());

      expect(clock.pauses).toBe(0);
      expect((await executions()).map((row) => row['sharding_item'])).toEqual(whole(150));
      expect(await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'id')).toHaveLength(4 * seconds.length);
      expect(history.status.droppedRows).toBe(100);
      expect(errors()).toEqual(['history "sql": the database refuses a row of job "refused", which is dropped']);
    });

    it('keeps all rows of two instances that start at once on an empty database', async () => {
      const histories = [start(), start({}, database.connect())];

      await Promise.all(histories.map((history, index) => record([{ items: [index] }, { items: [index] }], history)));

      expect((await executions()).map(({ sharding_item }) => sharding_item)).toEqual([0, 0, 1, 1]);
      expect(await rowsOf(db, 'elastic_job_migration', 'name')).toHaveLength(1);
      expect(histories.map(({ status }) => status.droppedRows)).toEqual([0, 0]);
    });

    it('changes nothing if it migrates again', async () => {
      await record([{}]);
      await record([{}], start({}, database.connect()));

      expect(await executions()).toHaveLength(2);
      expect(heard).toEqual([]);
    });

    it('pages over rows, newest first and each older row once, while new rows come in', async () => {
      // Two rows of the same instant each.
      const history = await recordEachSecond(25, { perSecond: 2 });
      const before = await history.executions({ limit: 1_000 });

      const pages = [await history.executions({ limit: 10 })];
      await recordEachSecond(1, { from: FIRE_TIME + 3_600_000 });
      for (let { cursor } = pages[0]!; cursor !== undefined; cursor = pages.at(-1)!.cursor) {
        pages.push(await history.executions({ limit: 10, cursor }));
      }

      expect(pages.map(({ rows }) => rows.length)).toEqual([10, 10, 5]);
      expect(pages.flatMap(({ rows }) => rows)).toEqual(before.rows);
      const times = before.rows.map(({ startTime }) => startTime.getTime());
      expect(times).toEqual(times.toSorted((x, y) => y - x));
      expect(times.at(-1)).toBe(FIRE_TIME);
    });

    it.each([{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { cursor: '' }, { cursor: 'WzFd' }])(
      'names the problem of a query with %j',
      async (query) => {
        const history = new SqlHistory(db);

        await expect(history.executions(query)).rejects.toThrow(/^SqlHistory\S*: (limit|cursor) must be /);
      },
    );

    it('answers with the rows of the jobs that were asked for, and no others', async () => {
      const failed = new Map([[0, { kind: 'failed', error: 'no' }]] as const);
      const history = await record([
        {},
        { jobName: 'bill', outcomes: failed },
        { jobName: 'bill', source: 'FAILOVER' },
      ]);
      const count = async (query: Parameters<typeof history.executions>[0]) =>
        (await history.executions(query)).rows.length;
      const now = Date.now();

      expect(await count({ jobName: 'bill' })).toBe(2);
      expect(await count({ jobName: 'bill', isSuccess: false })).toBe(1);
      expect(await count({ source: 'FAILOVER' })).toBe(1);
      expect(await count({ taskId: toldRun().taskId })).toBe(1);
      expect(await count({ from: new Date(now + 60_000) })).toBe(0);
      expect(await count({ from: new Date(now - 60_000), to: new Date(now + 60_000) })).toBe(3);
      const told = (await history.statuses({ jobName: 'bill' })).rows.map(({ state }) => state);
      // The newest first, also those of one instant.
      expect(told).toEqual(['TASK_FINISHED', 'TASK_RUNNING', 'TASK_ERROR', 'TASK_RUNNING']);
    });

    it('answers with the runs of one item, by pages, and counts them', async () => {
      const items = [0, 1, 10];
      const history = await record([{ items }, { items: [1] }, { jobName: 'bill', items }]);
      const ofItem = { jobName: JOB, shardingItem: 1 };

      const newest = await history.executions({ ...ofItem, limit: 1 });
      const older = await history.executions({ ...ofItem, limit: 1, cursor: newest.cursor });

      expect([newest, older].map(({ rows }) => rows.length)).toEqual([1, 1]);
      expect(older.cursor).toBeUndefined();
      expect([...newest.rows, ...older.rows]).toMatchObject([
        { jobName: JOB, shardingItem: 1 },
        { jobName: JOB, shardingItem: 1 },
      ]);
      expect(await history.countExecutions(ofItem)).toEqual({ executions: 2, jobs: 1 });
      expect((await history.executions({ jobName: JOB, shardingItem: 2 })).rows).toEqual([]);
    });

    it('counts the runs that were asked for, ended or running', async () => {
      const failed = new Map([[0, { kind: 'failed', error: 'no' }]] as const);
      const history = start();
      for (const told of [{}, { jobName: 'bill', outcomes: failed }]) {
        for (const event of wholeRun(told)) history.hear(event);
      }
      for (const event of toldRun({ jobName: 'ship', items: [0, 1] }).begin) history.hear(event);
      await history.stop(never());
      const soon = new Date(Date.now() + 60_000);

      expect(await history.countExecutions()).toEqual({ executions: 4, jobs: 3 });
      expect(await history.countExecutions({ isComplete: true })).toEqual({ executions: 2, jobs: 2 });
      expect(await history.countExecutions({ isComplete: true, isSuccess: false })).toEqual({ executions: 1, jobs: 1 });
      expect(await history.countExecutions({ runningAt: soon })).toEqual({ executions: 2, jobs: 1 });
      expect(await history.countExecutions({ runningAt: new Date(0) })).toEqual({ executions: 0, jobs: 0 });
      expect(await history.countExecutions({ from: soon })).toEqual({ executions: 0, jobs: 0 });
      expect((await history.executions({ isComplete: false })).rows.map(({ jobName }) => jobName)).toEqual([
        'ship',
        'ship',
      ]);
      expect(await history.countStatuses({ jobName: 'bill' })).toBe(2);
      expect(await history.countStatuses({ to: new Date(0) })).toBe(0);
    });

    it('keeps the newest rows with keepRows, and no others', async () => {
      const history = await recordEachSecond(2_300);

      await prune({ keepRows: 101 });

      const times = (await history.executions({ limit: 1_000 })).rows.map(({ startTime }) => startTime.getTime());
      expect(times).toHaveLength(101);
      expect([times.at(0), times.at(-1)]).toEqual([FIRE_TIME + 2_299_000, FIRE_TIME + 2_199_000]);
      // Two of each run; those of one instant stay together.
      expect(await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'id')).toHaveLength(102);
    });

    it('deletes exactly the older rows with keepDays, even if two instances delete at once', async () => {
      await recordEachSecond(1_500);
      const history = await recordEachSecond(10, { from: FIRE_TIME + DAY_MS });

      const now = FIRE_TIME + DAY_MS + 1_499_001;
      await Promise.all([db, database.connect()].map((at) => prune({ keepDays: 1 }, now, at)));

      const times = (await history.executions({ limit: 1_000 })).rows.map(({ startTime }) => startTime.getTime());
      expect(times).toHaveLength(10);
      expect(times.at(-1)).toBe(FIRE_TIME + DAY_MS);
    });

    for (const [creator, statements] of Object.entries(java ?? {})) {
      it(`cuts texts to the columns of ${creator}, and reads what it has written`, async () => {
        for (const statement of statements) await run(db, statement);
        const jobName = 'j'.repeat(200);
        const outcomes = failing([1], 'x'.repeat(5_000));

        const history = await record([{ jobName, items: [0, 1], outcomes }]);

        const isNarrow = creator.includes('console');
        const [failed] = (await history.executions({ isSuccess: false })).rows;
        expect(failed).toMatchObject({ isSuccess: false, failureCause: 'x'.repeat(isNarrow ? 255 : 4_000) });
        expect((await history.executions({ isSuccess: true })).rows).toMatchObject([{ isSuccess: true }]);
        expect((await history.executions()).rows.filter(({ isSuccess }) => isSuccess)).toHaveLength(1);
        expect(await history.countStatuses()).toBe(2);
        expect(history.status.droppedRows).toBe(0);
        expect(heard).toEqual([]);
      });

      it(`takes rows of both Javas in tables of ${creator}`, async () => {
        for (const statement of statements) await run(db, statement);

        await record([{}]);
        await run(db, insertOfJava('java-3.0.4', true));
        await run(db, insertOfJava('java-3.0.5', false));

        const rows = await rowsOf(db, 'JOB_STATUS_TRACE_LOG', 'id');
        expect(rows.map(({ source }) => source)).toEqual(Array(4).fill('LITE_EXECUTOR'));
        expect(await executions()).toHaveLength(1);
        expect(heard).toEqual([]);
      });
    }
  });
}

function insertOfJava(id: string, hasSource: boolean): string {
  const [column, value] = hasSource ? ['source, ', "'LITE_EXECUTOR', "] : ['', ''];
  return (
    `INSERT INTO JOB_STATUS_TRACE_LOG (id, job_name, original_task_id, task_id, slave_id, ${column}execution_type, ` +
    `sharding_item, state, message, creation_time) VALUES ('${id}', 'j', '', 't', '10.0.0.2', ${value}'READY', ` +
    `'[0]', 'TASK_STAGING', '', NULL)`
  );
}

function whole(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function failing(items: readonly number[], error: string): ToldRun['outcomes'] {
  return new Map(items.map((item) => [item, { kind: 'failed', error }]));
}

function wholeRun(told: ToldRun): readonly JobEvent[] {
  const { begin, end } = toldRun(told);
  return [...begin, ...end];
}

/** A history has no event for an empty queue, so this polls. */
async function untilWritten(history: SqlHistory<unknown>): Promise<void> {
  await vi.waitFor(() => expect(history.status.queuedRows).toBe(0), { timeout: 20_000, interval: 10 });
}
