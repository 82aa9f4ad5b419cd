import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunQuery, TracePage } from '../../../libs/elastic-job/src/tracing/index.js';
import { SqlHistory } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { dropTables, type HistoryDatabase, type JavaTables, run } from './history-database.js';
import { HOUR, INSTANCE, JOB, MINUTE, NOON, PlantedHistory } from './planted-history.js';

const DAY = 24 * HOUR;
const OTHER = '10.0.0.2@-@18-s2';
const QUOTES = `'; drop table ELASTIC_JOB_RUN; -- " \` \\' %_ \\`;

/** The rules of a `JobHistory` for every database. @param javaTables the tables that ElasticJob creates there */
export function describeJobHistoryContract(
  name: string,
  open: () => Promise<HistoryDatabase>,
  javaTables?: JavaTables,
): void {
  describe(`the answers of a history in ${name}`, () => {
    let database: HistoryDatabase;
    let db: Kysely<unknown>;
    let history: SqlHistory<unknown>;
    let planted: PlantedHistory;

    beforeEach(async () => {
      database = await open();
      db = database.connect();
      await dropTables(db);
      history = new SqlHistory(db);
      planted = new PlantedHistory(db);
    });
    afterEach(() => database.close());

    /** The ids of all pages, each with that many rows. */
    async function pagesOf<Query extends object>(
      read: (query: Query & { limit: number; cursor?: string }) => Promise<TracePage<{ readonly id: string }>>,
      query: Query,
      limit: number,
    ): Promise<string[][]> {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await read({ ...query, limit, cursor });
        pages.push(page.rows.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return pages;
    }
    const runIds = async (query: RunQuery) => (await history.runs(query)).rows.map(({ id }) => id);

    it('name a table that is missing, and how to create it', async () => {
      const window = { jobName: JOB, from: 0, to: 1, shardingTotalCount: 1, changedAt: 0, now: 1 };
      const asked = [
        () => history.runs(),
        () => history.run('one'),
        () => history.events(),
        () => history.missed(),
        () => history.fireTimes(window),
        () => history.doubles(),
        () => history.pulses({ jobNames: [JOB] }),
        () => history.statistics({ from: 0, to: 1 }),
      ];
      for (const ask of asked) {
        const message = expect.stringMatching(/ELASTIC_JOB_(RUN|EVENT).*migrate\(\)/);
        await expect(ask()).rejects.toMatchObject({ code: 'MISSING_HISTORY_TABLE', message });
      }
    });

    describe('about runs', () => {
      beforeEach(() => history.migrate());

      it('are every run once, the newest first, whatever the size of a page and whoever has written it', async () => {
        const times = Array.from({ length: 12 }, (_, index) => NOON + index * MINUTE);
        const ours = await planted.runs(...times.map((begunAt) => ({ begunAt, instance: INSTANCE })));
        const others = await planted.runs(...times.map((begunAt) => ({ begunAt: begunAt + 20_000, instance: OTHER })));
        await planted.logged(...ours.map((id, index) => ({ id, at: times[index]! + 1_000 })));
        const old = await planted.logged(...times.map((at) => ({ at: at - HOUR })));
        const java = await planted.logged(...times.map((at) => ({ at: at + 40_000 })));
        const inOrder = [
          ...times.flatMap((_, index) => [ours[index]!, others[index]!, java[index]!]).toReversed(),
          ...old.toReversed(),
        ];

        for (const limit of [1, 5, 100]) {
          const pages = await pagesOf((query: RunQuery) => history.runs(query), { jobName: JOB }, limit);
          expect(pages.flat()).toEqual(inOrder);
          expect(pages.every((page) => page.length <= limit)).toBe(true);
        }
      });

      it('have what our table knows of them, with the error of their row in the other one', async () => {
        const [id] = await planted.runs({
          shardingItem: 3,
          fireTime: NOON - 5,
          origin: 'manual:a-1',
          source: 'FAILOVER',
          outcome: 'failed',
          cause: 'exhausted',
          run: 'r-1',
          token: '3026418951671',
          epoch: 7,
          version: '1.43.1',
          launch: 2,
          latenessMs: 12,
          attempts: 3,
        });
        await planted.logged({ id: id!, isSuccess: false, failureCause: 'Error: out of stock' });

        expect((await history.runs()).rows).toEqual([
          {
            id,
            jobName: JOB,
            shardingItem: 3,
            fireTime: NOON - 5,
            origin: 'manual:a-1',
            source: 'FAILOVER',
            outcome: 'failed',
            cause: 'exhausted',
            error: 'Error: out of stock',
            run: 'r-1',
            token: '3026418951671',
            epoch: 7,
            instance: INSTANCE,
            ip: '10.0.0.1',
            version: '1.43.1',
            taskId: `${JOB}@-@0@-@READY@-@${INSTANCE}`,
            launch: 2,
            begunAt: NOON,
            settledAt: NOON + 1_000,
            latenessMs: 12,
            attempts: 3,
          },
        ]);
      });

      it('are those without a fire time, if they are from before the upgrade or of a Java peer', async () => {
        const causes = [
          'JobTimeoutError: it took longer than 5 s',
          'moved: it belongs to another instance',
          'CancelledError: x',
          'The lease is over: y',
        ];
        await planted.logged(
          ...causes.map((failureCause, item) => ({
            shardingItem: item,
            isSuccess: false,
            failureCause,
            at: NOON - item * MINUTE,
          })),
        );

        const { rows } = await history.runs();

        expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'aborted', 'aborted', 'fenced']);
        expect(rows.map(({ cause }) => cause)).toEqual(['timed-out', 'moved', 'cancelled', undefined]);
        expect(rows[0]).toMatchObject({
          fireTime: undefined,
          origin: undefined,
          instance: '10.0.0.9@-@4711',
          ip: '10.0.0.9',
          begunAt: NOON,
          settledAt: NOON + 1_000,
          attempts: 1,
        });
        for (const { outcome, id } of rows) expect(await runIds({ outcome })).toContain(id);
        expect(await runIds({ outcome: 'failed' })).toEqual([rows[0]!.id]);
      });

      it('run until a later run of the item has begun: then their end was lost', async () => {
        const unsettled = { outcome: null };
        const [lost, running, beforeJava] = await planted.runs(
          { ...unsettled, shardingItem: 0, begunAt: NOON },
          { ...unsettled, shardingItem: 0, begunAt: NOON + MINUTE },
          { ...unsettled, shardingItem: 1, begunAt: NOON },
        );
        await planted.logged({ id: beforeJava!, shardingItem: 1, at: NOON, endsAt: null });
        const [ended, stillOpen] = await planted.logged(
          { shardingItem: 1, at: NOON + MINUTE },
          { shardingItem: 2, at: NOON, endsAt: null },
        );

        const outcomes = new Map((await history.runs()).rows.map(({ id, outcome }) => [id, outcome]));

        expect(outcomes).toEqual(
          new Map([
            [lost, 'lost'],
            [running, 'running'],
            [beforeJava, 'lost'],
            [ended, 'succeeded'],
            [stillOpen, 'running'],
          ]),
        );
        expect(new Set(await runIds({ outcome: 'lost' }))).toEqual(new Set([lost, beforeJava]));
        expect(new Set(await runIds({ outcome: 'running' }))).toEqual(new Set([running, stillOpen]));
      });

      it('are those that each filter selects', async () => {
        const [plain, other] = await planted.runs(
          { begunAt: NOON, fireTime: NOON },
          {
            begunAt: NOON + MINUTE,
            jobName: 'Settle-Orders',
            shardingItem: 4,
            fireTime: NOON + 1,
            origin: 'rerun:7',
            source: 'MISFIRE',
            outcome: 'aborted',
            instance: OTHER,
            version: '2.0.0',
          },
        );
        const [java] = await planted.logged({ at: NOON + 2 * MINUTE, jobName: 'bill', shardingItem: 2 });
        const expected: readonly (readonly [RunQuery, readonly (string | undefined)[]])[] = [
          [{}, [java, other, plain]],
          [{ jobName: JOB }, [plain]],
          [{ jobName: 'Settle-Orders' }, [other]],
          [{ jobPrefix: 'Settle' }, [other]],
          [{ jobPrefix: 's' }, [plain]],
          [{ jobPrefix: '_' }, []],
          [{ shardingItem: 4 }, [other]],
          [{ shardingItem: 2 }, [java]],
          [{ fireTime: NOON + 1 }, [other]],
          [{ origin: 'schedule' }, [plain]],
          [{ origin: 'rerun' as const }, [other]],
          [{ source: 'MISFIRE' }, [other]],
          [{ source: 'NORMAL_TRIGGER' }, [java, plain]],
          [{ outcome: 'aborted' }, [other]],
          [{ outcome: 'succeeded' }, [java, plain]],
          [{ instance: OTHER }, [other]],
          [{ instance: '10.0.0.9@-@4711' }, [java]],
          [{ version: '2.0.0' }, [other]],
          [{ from: NOON + MINUTE }, [java, other]],
          [{ to: NOON + MINUTE }, [plain]],
        ];

        for (const [query, ids] of expected) expect([query, await runIds(query)]).toEqual([query, ids]);
      });

      it('go on behind a page that has looked at as many rows as it may', async () => {
        const count = 10_500;
        const ours = Array.from({ length: count }, (_, index) => ({ begunAt: NOON + index }));
        await planted.runs({ begunAt: NOON - MINUTE, version: 'rare' }, ...ours);

        const pages = await pagesOf((query: RunQuery) => history.runs(query), { version: 'rare' }, 10);

        expect(pages.map((page) => page.length)).toEqual([0, 1]);
      });

      it('are one, with its attempts, the runs of its target, and its neighbours', async () => {
        const target = { fireTime: NOON, shardingItem: 3 };
        const [before, , first, second, after] = await planted.runs(
          { ...target, begunAt: NOON - HOUR, fireTime: NOON - HOUR },
          { ...target, begunAt: NOON + 500, shardingItem: 4 },
          { ...target, begunAt: NOON, outcome: null },
          { ...target, begunAt: NOON + MINUTE, source: 'FAILOVER', outcome: 'failed', attempts: 2 },
          { ...target, begunAt: NOON + HOUR, fireTime: NOON + HOUR },
        );
        const [java] = await planted.logged(
          { at: NOON + 30 * MINUTE, shardingItem: 3 },
          { id: second!, at: NOON + MINUTE, shardingItem: 3, isSuccess: false, failureCause: 'Error: no' },
        );
        await planted.attempts(
          { runId: second!, attempt: 1, startedAt: NOON + MINUTE, endedAt: NOON + MINUTE + 5, error: 'Error: not yet' },
          { runId: second!, attempt: 2, startedAt: NOON + MINUTE + 9 },
        );

        const told = await history.run(second!);

        expect(told?.run).toMatchObject({ id: second, outcome: 'failed', error: 'Error: no' });
        expect(told?.attempts).toEqual([
          { attempt: 1, startedAt: NOON + MINUTE, endedAt: NOON + MINUTE + 5, error: 'Error: not yet' },
          { attempt: 2, startedAt: NOON + MINUTE + 9, endedAt: undefined, error: undefined },
        ]);
        expect(told?.ofTarget.map(({ id, outcome }) => [id, outcome])).toEqual([
          [first, 'lost'],
          [second, 'failed'],
        ]);
        expect([told?.previous?.id, told?.next?.id]).toEqual([first, java]);
        const ofJava = await history.run(java!);
        expect(ofJava?.ofTarget).toEqual([ofJava?.run]);
        expect([ofJava?.previous?.id, ofJava?.next?.id]).toEqual([second, after]);
        expect((await history.run(before!))?.previous).toBeUndefined();
        expect((await history.run(after!))?.next).toBeUndefined();
        expect(await history.run('no-such-run')).toBeUndefined();
      });
    });

    it.each(javaTables?.['Java 3.0.4'] ? ['about runs are those in tables that Java has created'] : [])(
      '%s',
      async () => {
        for (const statement of javaTables!['Java 3.0.4']) await run(db, statement);
        await planted.logged({ at: NOON });
        await history.migrate();
        const [ours] = await planted.runs({ begunAt: NOON + MINUTE });
        await planted.logged({ id: ours!, at: NOON + MINUTE });

        expect((await history.runs()).rows.map(({ fireTime }) => fireTime)).toEqual([NOON + MINUTE, undefined]);
      },
      60_000,
    );

    it('about events are those that each filter selects, the newest first', async () => {
      await history.migrate();
      const [first, second, third, ofProcess] = await planted.events(
        { kind: 'joined', toldAt: NOON, items: ',3,12,', detail: '{"isNew":true}' },
        { kind: 'hung', toldAt: NOON + 1, items: '*', instance: OTHER, detail: '{"broken' },
        { kind: 'hung', toldAt: NOON + 2, jobName: 'bill', fireTime: NOON },
        { kind: 'session', toldAt: NOON + 3, jobName: null },
      );
      const ids = async (query: Parameters<typeof history.events>[0]) =>
        (await history.events(query)).rows.map(({ id }) => id);

      expect((await history.events({ jobName: JOB })).rows).toEqual([
        { ...quietEvent(second!, 'hung', NOON + 1), instance: OTHER },
        { ...quietEvent(first!, 'joined', NOON), items: [3, 12], detail: { isNew: true } },
      ]);
      expect(await ids({})).toEqual([ofProcess, third, second, first]);
      expect(await ids({ kinds: ['hung'] })).toEqual([third, second]);
      expect(await ids({ kinds: ['hung', 'session'] })).toEqual([ofProcess, third, second]);
      expect(await ids({ kinds: [] })).toEqual([]);
      expect(await ids({ jobPrefix: 'b' })).toEqual([third]);
      expect(await ids({ jobPrefix: '' })).toEqual([third, second, first]);
      expect(await ids({ jobName: JOB, shardingItem: 12 })).toEqual([second, first]);
      expect(await ids({ jobName: JOB, shardingItem: 2 })).toEqual([second]);
      expect(await ids({ instance: OTHER })).toEqual([second]);
      expect(await ids({ from: NOON + 1, to: NOON + 3 })).toEqual([third, second]);
      const pages = await pagesOf((query) => history.events(query), {}, 3);
      expect(pages.map((page) => page.length)).toEqual([3, 1]);
    });

    it('about missed fire times are those of the events that tell of them', async () => {
      await history.migrate();
      await planted.events(
        { kind: 'joined', toldAt: NOON },
        {
          kind: 'missed',
          toldAt: NOON + HOUR,
          items: ',0,2,',
          fireTime: NOON,
          sinceAt: NOON - HOUR,
          detail: '{"count":61,"reason":"limit"}',
        },
        { kind: 'missed', toldAt: NOON - DAY, items: ',1,', fireTime: NOON - DAY, sinceAt: NOON - DAY },
      );

      const first = await history.missed({ limit: 1 });
      const rest = await history.missed({ limit: 1, cursor: first.cursor! });

      expect(first.rows).toEqual([
        {
          jobName: JOB,
          items: [0, 2],
          since: NOON - HOUR,
          fireTime: NOON,
          count: 61,
          reason: 'limit',
          at: NOON + HOUR,
        },
      ]);
      expect(rest).toMatchObject({ rows: [{ items: [1], count: 1 }], cursor: undefined });
    });

    it('about fire times say what became of each item', async () => {
      await history.migrate();
      const at = (hour: number) => NOON + hour * HOUR;
      const [good, , failed, rerun, running] = await planted.runs(
        { fireTime: at(1), begunAt: at(1), shardingItem: 0 },
        { fireTime: at(1), begunAt: at(1), shardingItem: 1, outcome: 'failed' },
        { fireTime: at(2), begunAt: at(2), shardingItem: 0, outcome: 'failed', cause: 'exhausted' },
        { fireTime: at(1), begunAt: at(4) + 1, shardingItem: 1, origin: 'rerun:1' },
        { fireTime: at(4), begunAt: at(4), shardingItem: 0, outcome: null },
        { fireTime: at(4) + 5, begunAt: at(4) + 5, shardingItem: 1, origin: 'manual:1' },
        { fireTime: at(0), begunAt: at(0), shardingItem: 0, jobName: 'bill' },
      );
      await planted.events({
        kind: 'missed',
        toldAt: at(4),
        items: ',0,',
        fireTime: at(3),
        sinceAt: at(3),
        detail: '{"count":1,"reason":"superseded"}',
      });

      const answer = await history.fireTimes({
        jobName: JOB,
        from: at(0),
        to: at(9),
        shardingTotalCount: 2,
        nextFireTime: (after) => (Math.floor(after / HOUR) + 1) * HOUR,
        changedAt: at(0),
        now: at(4) + MINUTE,
      });

      expect(answer).toMatchObject({ expectedFrom: at(0), isCut: false });
      expect(answer.columns.map(({ fireTime, isExpected }) => [fireTime, isExpected])).toEqual(
        [0, 1, 2, 3, 4].map((hour) => [at(hour), true]),
      );
      expect(answer.columns.map(({ items }) => items)).toEqual([
        [unwritten(), unwritten()],
        [
          { fate: 'done', run: good },
          { fate: 'done', run: rerun, isRerun: true },
        ],
        [{ fate: 'failed', run: failed, reason: 'exhausted' }, unwritten()],
        [{ fate: 'missed', reason: 'superseded' }, unwritten()],
        [{ fate: 'running', run: running }, unwritten()],
      ]);
    });

    it('about fire times are cut to the newest ones, by the schedule and by rows alone', async () => {
      await history.migrate();
      const times = Array.from({ length: 30 }, (_, index) => NOON + index * MINUTE);
      await planted.runs(...times.map((fireTime) => ({ fireTime, begunAt: fireTime })));
      const window = { jobName: JOB, from: NOON, to: NOON + DAY, shardingTotalCount: 1, now: NOON + HOUR, limit: 10 };

      const alone = await history.fireTimes({ ...window, changedAt: NOON + DAY });
      const all = await history.fireTimes({ ...window, changedAt: NOON + DAY, limit: 30 });
      const nextFireTime = (after: number) => (Math.floor(after / MINUTE) + 1) * MINUTE;
      const expected = await history.fireTimes({ ...window, changedAt: NOON, nextFireTime, now: times.at(-1)! });

      for (const { columns, isCut } of [alone, expected]) {
        expect(columns.map(({ fireTime }) => fireTime)).toEqual(times.slice(-10));
        expect(isCut).toBe(true);
      }
      expect(alone.columns.every(({ isExpected }) => !isExpected)).toBe(true);
      expect(all).toMatchObject({ isCut: false, columns: { length: 30 } });
    });

    it('about targets that have succeeded twice are none of a run that was repeated and failed once', async () => {
      await history.migrate();
      const twice = { fireTime: NOON, shardingItem: 3 };
      const [first, second] = await planted.runs(
        { ...twice, begunAt: NOON },
        { ...twice, begunAt: NOON + MINUTE, source: 'FAILOVER', instance: OTHER },
        { ...twice, begunAt: NOON + HOUR, origin: 'rerun:1' },
        { fireTime: NOON, shardingItem: 4, begunAt: NOON, outcome: 'failed' },
        { fireTime: NOON, shardingItem: 4, begunAt: NOON + MINUTE },
      );

      const doubles = await history.doubles();

      expect(doubles).toMatchObject([
        { jobName: JOB, shardingItem: 3, fireTime: NOON, origin: 'schedule', runs: [{ id: first }, { id: second }] },
      ]);
      expect(await history.doubles({ jobName: 'bill' })).toEqual([]);
      expect(await history.doubles({ jobName: JOB, from: NOON + 1 })).toEqual([]);
    });

    it('about how jobs have done lately count each item once, and say since when one fails', async () => {
      await history.migrate();
      const at = (minute: number) => NOON + minute * MINUTE;
      const failed = { outcome: 'failed' };
      await planted.runs(
        ...Array.from({ length: 30 }, (_, minute) => ({
          fireTime: at(minute),
          begunAt: at(minute),
          settledAt: at(minute) + minute,
        })),
        { fireTime: at(27), begunAt: at(27), shardingItem: 1 },
        { fireTime: at(28), begunAt: at(28), shardingItem: 1, ...failed },
        { fireTime: at(29), begunAt: at(29), shardingItem: 1, ...failed },
        { fireTime: at(29), begunAt: at(29) + 5, shardingItem: 2, ...failed },
        { fireTime: at(29), begunAt: at(29) + 9, shardingItem: 2, source: 'FAILOVER', outcome: null },
        { fireTime: at(29), begunAt: at(29), jobName: 'resident', origin: 'resident' },
      );

      const pulses = await history.pulses({ jobNames: [JOB, 'resident', 'nobody', JOB], fireTimes: 3 });

      expect(pulses).toHaveLength(2);
      expect(pulses.find(({ jobName }) => jobName === JOB)).toEqual({
        jobName: JOB,
        fireTimes: [
          { fireTime: at(27), succeeded: 2, failed: 0, running: 0 },
          { fireTime: at(28), succeeded: 1, failed: 1, running: 0 },
          { fireTime: at(29), succeeded: 1, failed: 1, running: 1 },
        ],
        lastGoodAt: at(29) + 29,
        failedSince: at(28) + 1_000,
        p95DurationMs: 1_000,
      });
      expect(pulses.find(({ jobName }) => jobName === 'resident')).toMatchObject({
        fireTimes: [],
        lastGoodAt: at(29) + 1_000,
        failedSince: undefined,
        p95DurationMs: undefined,
      });
    });

    it('about statistics add up the sums of all writers', async () => {
      await history.migrate();
      const sum = { succeeded: 90, failed: 9, aborted: 1, longestMs: 980, latestMs: 40 };
      const [fast, slow] = [Math.ceil(Math.log(100) / Math.log(1.05)), Math.ceil(Math.log(900) / Math.log(1.05))];
      await planted.sums(
        { ...sum, durations: `{"${fast}":95,"${slow}":5}`, latenesses: '{"0":100}' },
        { ...sum, writer: OTHER, durations: `{"${fast}":98,"${slow}":2}`, latenesses: '{"0":100}' },
        { ...sum, sinceAt: NOON + HOUR, durations: 'broken' },
        { ...sum, jobName: 'bill' },
      );

      const buckets = await history.statistics({ jobName: JOB, from: NOON, to: NOON + 2 * HOUR, buckets: 2 });

      expect(buckets).toMatchObject([
        { from: NOON, to: NOON + HOUR, succeeded: 180, failed: 18, aborted: 2, lateness: { p50: 0, max: 40 } },
        { from: NOON + HOUR, succeeded: 90, duration: undefined },
      ]);
      const { p50, p95, p99, max } = buckets[0]!.duration!;
      expect(Math.abs(p50 / 100 - 1)).toBeLessThan(0.05);
      expect(Math.abs(p95 / 100 - 1)).toBeLessThan(0.05);
      expect(Math.abs(p99 / 900 - 1)).toBeLessThan(0.05);
      expect(max).toBe(980);
    });

    it('about statistics of all jobs are those of the writers, where these sum up all of their jobs', async () => {
      await history.migrate();
      await planted.sums({ succeeded: 1 }, { jobName: 'bill', succeeded: 2 });
      const ask = async (query: { jobPrefix?: string }) =>
        (await history.statistics({ from: NOON, to: NOON + HOUR, buckets: 1, ...query }))[0]?.succeeded;

      expect(await ask({})).toBe(3);
      await planted.sums({ jobName: '', succeeded: 3 }, { jobName: '', writer: OTHER, succeeded: 4 });
      expect(await ask({})).toBe(7);
      expect(await ask({ jobPrefix: '' })).toBe(3);
    });

    it('about statistics are of single runs for buckets that are finer than sums, or have none', async () => {
      await history.migrate();
      const durations = [100, 200, 300, 400];
      await planted.runs(
        ...durations.map((ms, index) => ({ begunAt: NOON + index, settledAt: NOON + index + ms, latenessMs: index })),
        { begunAt: NOON + 9 * MINUTE, outcome: 'failed' },
        { begunAt: NOON + 9 * MINUTE, outcome: null },
      );

      const fine = await history.statistics({ from: NOON, to: NOON + 10 * MINUTE, buckets: 10 });
      const coarse = await history.statistics({ jobPrefix: 'settle', from: NOON - DAY, to: NOON + DAY, buckets: 2 });

      expect(fine).toHaveLength(10);
      expect(fine[0]).toEqual({
        from: NOON,
        to: NOON + MINUTE,
        succeeded: 4,
        failed: 0,
        aborted: 0,
        duration: { p50: 200, p95: 400, p99: 400, max: 400 },
        lateness: { p50: 1, p95: 3, p99: 3, max: 3 },
      });
      expect(fine[9]).toMatchObject({ succeeded: 0, failed: 1, duration: { p50: 1_000 } });
      expect(coarse).toMatchObject([
        { succeeded: 0, duration: undefined },
        { succeeded: 4, failed: 1 },
      ]);
    });

    it('take any text as what it is, in each filter, and in a cursor', async () => {
      await history.migrate();
      const [id] = await planted.runs({ jobName: QUOTES, instance: QUOTES, version: QUOTES.slice(0, 64) });
      await planted.events({ kind: QUOTES.slice(0, 40), jobName: QUOTES, instance: QUOTES });
      const position = (kind: string, ...rest: readonly unknown[]) =>
        Buffer.from(JSON.stringify([kind, ...rest])).toString('base64url');

      expect(await runIds({ jobName: QUOTES, instance: QUOTES, version: QUOTES.slice(0, 64) })).toEqual([id]);
      expect(await runIds({ jobPrefix: QUOTES })).toEqual([id]);
      expect(await runIds({ jobName: QUOTES, origin: `manual:${QUOTES}` })).toEqual([]);
      const found = await history.events({ jobName: QUOTES, kinds: [QUOTES.slice(0, 40)], instance: QUOTES });
      expect(found.rows).toHaveLength(1);
      expect((await history.events({ jobPrefix: QUOTES, kinds: [QUOTES, QUOTES.slice(0, 40)] })).rows).toHaveLength(1);
      expect(await history.run(QUOTES)).toBeUndefined();
      expect(await history.pulses({ jobNames: [QUOTES, `${QUOTES}x`] })).toHaveLength(1);
      expect(await history.doubles({ jobName: QUOTES, origin: `manual:${QUOTES}` })).toEqual([]);
      expect(await history.missed({ jobName: QUOTES, jobPrefix: QUOTES })).toMatchObject({ rows: [] });
      for (const cursor of [QUOTES, '', 'e30', position('runs', NOON, QUOTES), position('runs', "1' or '1", 'a')]) {
        await expect(history.runs({ cursor })).rejects.toThrow(/cursor must be the cursor of a page of runs/);
      }
      expect(await runIds({ cursor: position('runs', NOON + 1, '') })).toEqual([id]);
    });

    it('refuse options that are wrong or unknown, and a cursor of another query', async () => {
      await history.migrate();
      await planted.runs({}, { begunAt: NOON + 1 });
      const { cursor } = await history.runs({ limit: 1 });
      const window = { jobName: JOB, from: 0, to: 1, shardingTotalCount: 1, changedAt: 0, now: 1 };
      const wrong: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
        [() => history.events({ cursor: cursor! }), /cursor must be the cursor of a page of events/],
        [() => history.missed({ cursor: cursor! }), /cursor must be the cursor of a page of missed/],
        [() => history.runs({ limit: 0 }), /SqlHistory\.runs: limit must be a whole number from 1 to 1000/],
        [() => history.runs({ from: Number.NaN }), /from must be an instant in milliseconds since the epoch/],
        [() => history.runs({ to: Infinity }), /to must be an instant/],
        [() => history.runs({ jobName: 'a\0' }), /jobName must be a text without NUL/],
        [() => history.runs(JSON.parse('{"origin":"other"}')), /origin must be "schedule", /],
        [() => history.runs(JSON.parse('{"outcome":"done"}')), /outcome must be "succeeded", /],
        [() => history.runs(JSON.parse('{"shardingitem":1}')), /did you mean shardingItem/],
        [() => history.events({ kinds: Array.from({ length: 41 }, String) }), /kinds must be a list of at most 40/],
        [() => history.pulses({ jobNames: Array.from({ length: 201 }, String) }), /jobNames must be a list of at most/],
        [() => history.pulses({ jobNames: [], fireTimes: 51 }), /fireTimes must be a whole number from 1 to 50/],
        [() => history.fireTimes({ ...window, limit: 1_001 }), /limit must be a whole number from 1 to 1000/],
        [() => history.fireTimes(JSON.parse('{}')), /jobName must be/],
        [() => history.statistics({ from: 0, to: 1, buckets: 201 }), /buckets must be a whole number from 1 to 200/],
        [() => history.doubles(JSON.parse('{"outcome":"failed"}')), /outcome is not an option of the query/],
      ];

      for (const [ask, message] of wrong) {
        await expect(ask()).rejects.toMatchObject({ code: 'CONFIGURATION', message: expect.stringMatching(message) });
      }
    });
  });
}

function quietEvent(id: string, kind: string, at: number) {
  return { id, at, kind, jobName: JOB, items: undefined, fireTime: undefined, instance: INSTANCE, detail: {} };
}

function unwritten() {
  return { fate: 'unknown', reason: expect.stringMatching(/^(?:not-kept|not-written|recent)$/) };
}
