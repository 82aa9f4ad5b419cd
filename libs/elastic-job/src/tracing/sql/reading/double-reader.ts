import { sql } from 'kysely';
import type { DoubleRun, JobHistory, JobRun } from '../../job-history.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { TraceDb } from '../trace-row.js';
import { all, floorOf, greatest, isText, within } from './paged-scan.js';
import { OWN_RUNS, ownConditions, readOwn, scopeOf } from './run-rows.js';

/** Most runs that are looked at, the newest ones of the job, or of all jobs. */
const MOST_RUNS = 20_000;

type Query = Parameters<JobHistory['doubles']>[0];

/** Targets that have succeeded more than once. */
export class DoubleReader {
  constructor(private readonly dialect: TraceDialect) {}

  async doubles(db: TraceDb, query: Query): Promise<readonly DoubleRun[]> {
    const { from, limit = 100, to, ...filter } = query;
    const job = scopeOf(this.dialect, filter);
    const floor = await floorOf(db, OWN_RUNS, [...job, ...within(OWN_RUNS, { from, to })], MOST_RUNS);
    const scope = [...job, ...within(OWN_RUNS, { from: greatest(from, floor), to })];
    const targets = await db
      .selectFrom((eb) =>
        eb
          .selectFrom('elasticJobRun')
          .select(['jobName', 'fireTime', 'shardingItem', 'origin', 'begunAt', 'outcome', 'instance', 'version'])
          .where(all(scope))
          // With a limit it is read by itself, and so by time. SQLite would read the whole index of targets.
          .limit(2 * MOST_RUNS)
          .as('newest'),
      )
      .select(['jobName', 'fireTime', 'shardingItem', 'origin'])
      .select(({ fn }) => fn.max('begunAt').as('latest'))
      .where(all(ownConditions(this.dialect, { ...filter, outcome: 'succeeded' })))
      .where('fireTime', 'is not', null)
      .groupBy(['jobName', 'fireTime', 'shardingItem', 'origin'])
      .having(sql<boolean>`count(*) > 1`)
      .orderBy('latest', 'desc')
      .limit(limit)
      .execute();
    const doubles: DoubleRun[] = [];
    for (const target of targets)
      doubles.push(...(await this.double(db, { ...target, fireTime: Number(target.fireTime) })));
    return doubles;
  }

  /** A target, with its runs that have succeeded. */
  private async double(db: TraceDb, target: Target): Promise<DoubleRun[]> {
    const { fireTime, jobName, origin, shardingItem } = target;
    const where = [
      ...scopeOf(this.dialect, { jobName, shardingItem }),
      ...ownConditions(this.dialect, { fireTime, outcome: 'succeeded' }),
      isText(this.dialect, 'origin', origin),
    ];
    const runs = await readOwn(db, { where, limit: 1_000, order: 'asc' });
    const [first] = runs;
    if (first?.origin === undefined) return [];
    return [{ jobName, shardingItem, fireTime, origin: first.origin, runs }];
  }
}

type Target = Pick<JobRun, 'jobName' | 'shardingItem'> & { readonly fireTime: number; readonly origin: string };
