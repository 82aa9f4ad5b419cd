import { sql } from 'kysely';
import { type FireTimeEvidence, type FireTimeRun, judgeFireTimes } from '../../fire-time-fates.js';
import { expectedFireTimes, scheduleSince } from '../../fire-time-schedule.js';
import type { FireTimesAnswer, FireTimesQuery, JobHistoryEvent } from '../../job-history.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { TraceDb } from '../trace-row.js';
import { eventOf, isAboutMany, missedOf, select } from './event-reader.js';
import { all, begins, type Condition, isText } from './paged-scan.js';
import { IS_PASSED, ownOutcomeOf } from './run-rows.js';

/** Most events of a kind, the newest ones. */
const MOST_EVENTS = 1_000;
/** Most runs. Columns beyond are cut. */
const MOST_RUNS = 50_000;
/** Time by which the clock of an instance that tells an event may be behind. */
const CLOCK_MS = 3_600_000;
const STATES = ['joined', 'left', 'mixed', 'server-switched', 'skipped'];
const RERUN = 'rerun:';

/** Reads what the history has on a window of fire times, for `judgeFireTimes`. */
export class FireTimeReader {
  constructor(private readonly dialect: TraceDialect) {}

  async fireTimes(db: TraceDb, query: FireTimesQuery): Promise<FireTimesAnswer> {
    const { changedAt, from, limit = 200, nextFireTime, now, shardingTotalCount } = query;
    const to = Math.min(query.to, now + 1);
    const isOfJob = isText(this.dialect, 'jobName', query.jobName);
    const events = (kind: string, ...more: Condition[]) =>
      select(db, [isOfJob, sql`${sql.ref('kind')} = ${kind}`, ...more], MOST_EVENTS);
    const toldUntil = sql<boolean>`${sql.ref('toldAt')} <= ${to}`;
    const changes = (await events('configuration-changed')).map(eventOf);
    const expectedFrom = scheduleSince(changes, changedAt);
    const expected = expectedFireTimes({ from: Math.max(from, expectedFrom), to, nextFireTime, limit });
    const least = expected.isCut ? expected.times[0]! : from;
    const missed = await events('missed', sql`${sql.ref('toldAt')} >= ${least - CLOCK_MS}`);
    const states: JobHistoryEvent[] = [];
    for (const kind of STATES) states.push(...(await events(kind, toldUntil)).map(eventOf));
    const read = await this.runs(db, isOfJob, await this.floor(db, isOfJob, [least, to], limit), to);
    const evidence: FireTimeEvidence = {
      from: read.from,
      to,
      expected: expected.times,
      expectedFrom,
      shardingTotalCount,
      runs: read.runs,
      missed: missed.map((row) => ({ ...missedOf(row), isOfMany: isAboutMany(row) })),
      events: [...states, ...(await dropped(db, least, to))],
      keptFrom: await oldestRun(db),
      now,
      limit,
    };
    const { columns, isCut } = judgeFireTimes(evidence);
    return { columns, expectedFrom, isCut: isCut || expected.isCut || read.from > from };
  }

  /** The fire time of the oldest column that rows ask for; fire times that no row has need none. */
  private async floor(
    db: TraceDb,
    isOfJob: Condition,
    [from, to]: readonly [number, number],
    limit: number,
  ): Promise<number> {
    const fireTime = sql.ref('fireTime');
    const query = sql<{ at: unknown }>`select distinct ${fireTime} as ${sql.ref('at')}
      from ${sql.table('elasticJobRun')} where ${isOfJob} and ${fireTime} >= ${from} and ${fireTime} < ${to}
      order by ${fireTime} desc limit 1 offset ${sql.lit(limit)}`;
    const [row] = (await query.execute(db)).rows;
    return row === undefined ? from : Number(row.at) + 1;
  }

  private async runs(db: TraceDb, isOfJob: Condition, from: number, to: number) {
    const isRerun = begins(this.dialect, 'origin', RERUN);
    const isPassed = sql<number>`case when ${sql.ref('outcome')} is null and ${IS_PASSED} then 1 else 0 end`;
    const rows = await db
      .selectFrom('elasticJobRun')
      .select(['id', 'shardingItem', 'fireTime', 'origin', 'outcome', 'cause', 'begunAt', isPassed.as('isPassed')])
      .where(all([isOfJob, sql`(${sql.ref('origin')} = 'schedule' or ${isRerun})`]))
      .where('fireTime', '>=', from)
      .where('fireTime', '<', to)
      .orderBy('fireTime', 'desc')
      .limit(MOST_RUNS)
      .execute();
    const runs = rows.map(({ begunAt, cause, fireTime, id, origin, shardingItem, ...end }): FireTimeRun => ({
      id,
      shardingItem,
      fireTime: Number(fireTime),
      isRerun: origin.startsWith(RERUN),
      outcome: ownOutcomeOf(end),
      cause: cause ?? undefined,
      begunAt: Number(begunAt),
    }));
    // The oldest fire time may lack some of its runs.
    const whole = runs.length < MOST_RUNS ? from : runs.at(-1)!.fireTime + 1;
    return { runs: runs.filter(({ fireTime }) => fireTime >= whole), from: whole };
  }
}

async function dropped(db: TraceDb, from: number, to: number): Promise<JobHistoryEvent[]> {
  const isDrop = sql<boolean>`${sql.ref('kind')} = ${'history-dropped'}`;
  const isNear = sql<boolean>`${sql.ref('toldAt')} >= ${from} and ${sql.ref('toldAt')} <= ${to + CLOCK_MS}`;
  return (await select(db, [isDrop, isNear], MOST_EVENTS)).map(eventOf);
}

async function oldestRun(db: TraceDb): Promise<number | undefined> {
  const row = await db
    .selectFrom('elasticJobRun')
    .select('begunAt')
    .orderBy('begunAt', 'asc')
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.begunAt);
}
