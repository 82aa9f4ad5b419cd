import { type RawBuilder, sql } from 'kysely';
import type { JobAttempt, JobRun, JobRunDetail, RunFilter, RunQuery } from '../../job-history.js';
import type { TracePage } from '../../trace-query.js';
import type { TraceDialect } from '../trace-dialect.js';
import type { TraceDb } from '../trace-row.js';
import {
  type Bounds,
  type Condition,
  floorOf,
  greatest,
  newestFirst,
  pageOf,
  type Position,
  positionOf,
  type TimedTable,
  within,
} from './paged-scan.js';
import { loggedConditions, loggedRuns, OWN_RUNS, ownConditions, readLogged, readOwn, scopeOf } from './run-rows.js';

/** Outcomes by which an index finds runs in the order of time. */
const INDEXED_OUTCOMES: readonly (string | undefined)[] = ['failed'];
/** Most ids of a statement. */
const MOST_IDS = 500;

/**
 * Runs of our table, and among them those that only ElasticJob's has: they were written before the upgrade, by an older
 * release or by Java. A page reads both tables in the order of time. Of ElasticJob's it looks at no more rows than the
 * page of our own covers, or at `MOST_SCANNED`, since a row of ours that has its twin there is found only by looking.
 */
export class RunReader {
  private readonly logged: TimedTable;

  constructor(private readonly dialect: TraceDialect) {
    this.logged = loggedRuns(dialect);
  }

  async runs(db: TraceDb, query: RunQuery): Promise<TracePage<JobRun>> {
    const { cursor, limit = 100, ...filter } = query;
    const after = positionOf('runs', cursor);
    const { found, floor } = await this.read(db, filter, { ...boundsOf(filter), after }, limit + 1);
    const page = pageOf('runs', found, limit, place, floor);
    return { ...page, rows: await this.withErrors(db, page.rows) };
  }

  async run(db: TraceDb, id: string): Promise<JobRunDetail | undefined> {
    const isId: Condition = sql`${sql.ref('id')} = ${id}`;
    const [own] = await readOwn(db, { where: [isId], limit: 1 });
    const run = own ?? (await this.loggedOnly(db, isId));
    if (run === undefined) return undefined;
    const { jobName, shardingItem } = run;
    const { found } = await this.read(db, { jobName, shardingItem }, { after: place(run) }, 1);
    const next = await this.next(db, run);
    const ofTarget = await this.ofTarget(db, run);
    const told = [...new Map([run, ...found, ...next, ...ofTarget].map((one) => [one.id, one])).values()];
    const byId = new Map((await this.withErrors(db, told)).map((one) => [one.id, one]));
    const named = ([one]: readonly JobRun[]) => one && byId.get(one.id);
    return {
      run: byId.get(run.id)!,
      attempts: await readAttempts(db, id),
      ofTarget: ofTarget.map((one) => byId.get(one.id)!),
      previous: named(found),
      next: named(next),
    };
  }

  /** The newest runs in the bounds. @returns also the instant before which nothing was looked at, if there is one */
  private async read(db: TraceDb, filter: RunFilter, bounds: Bounds, limit: number) {
    const { dialect, logged } = this;
    const scope = scopeOf(dialect, filter);
    const { indexed, others } = this.chosen(filter, scope);
    const range = (table: TimedTable, from: number | undefined) =>
      within(table, { ...bounds, from: greatest(bounds.from, from) });
    const ownFloor =
      others.length === 0 ? undefined : await floorOf(db, OWN_RUNS, [...indexed, ...range(OWN_RUNS, undefined)]);
    const own = await readOwn(db, { where: [...indexed, ...range(OWN_RUNS, ownFloor), ...others], limit });
    const onlyLogged = loggedConditions(dialect, filter);
    if (onlyLogged === undefined) return { found: own, floor: ownFloor };
    // A page that is full covers as many rows of the other table.
    const covered = own.length === limit ? own.at(-1)!.begunAt : undefined;
    const isCovered = covered !== undefined && indexed.length === scope.length && others.length === 0;
    const loggedFloor = isCovered ? undefined : await floorOf(db, logged, [...scope, ...range(logged, undefined)]);
    const floor = greatest(ownFloor, loggedFloor);
    const rest = await readLogged(db, logged, {
      where: [...scope, ...range(logged, greatest(floor, covered)), ...onlyLogged],
      limit,
    });
    const found = [...own, ...rest].filter(({ begunAt }) => floor === undefined || begunAt >= floor);
    return { found: found.toSorted((a, b) => newestFirst(place(a), place(b))).slice(0, limit), floor };
  }

  /** Conditions for which an index of our table selects in the order of time, and all others. */
  private chosen(filter: RunFilter, scope: readonly Condition[]) {
    const { outcome, ...rest } = filter;
    const isIndexed = INDEXED_OUTCOMES.includes(outcome) && rest.shardingItem === undefined;
    const byIndex = isIndexed ? ownConditions(this.dialect, { outcome }) : [];
    const others = ownConditions(this.dialect, isIndexed ? rest : filter);
    return { indexed: [...scope, ...byIndex], others };
  }

  private async loggedOnly(db: TraceDb, isId: Condition): Promise<JobRun | undefined> {
    return (await readLogged(db, this.logged, { where: [isId, ...loggedConditions(this.dialect, {})!], limit: 1 }))[0];
  }

  /** The run of the item after this one. */
  private async next(db: TraceDb, run: JobRun): Promise<JobRun[]> {
    const scope = scopeOf(this.dialect, run);
    const one = { limit: 1, order: 'asc' } as const;
    const own = await readOwn(db, { ...one, where: [...scope, ...behind(OWN_RUNS, run)] });
    const end = own[0] && within(this.logged, { to: own[0].begunAt });
    const where = [...scope, ...behind(this.logged, run), ...loggedConditions(this.dialect, {})!, ...(end ?? [])];
    const logged = await readLogged(db, this.logged, { ...one, where });
    return [...logged, ...own].slice(0, 1);
  }

  private async ofTarget(db: TraceDb, run: JobRun): Promise<JobRun[]> {
    const { fireTime, jobName, origin, shardingItem } = run;
    if (fireTime === undefined || origin === undefined) return [run];
    const where = [
      ...scopeOf(this.dialect, { jobName, shardingItem }),
      ...ownConditions(this.dialect, { fireTime, origin }),
    ];
    return readOwn(db, { where, limit: 1_000, order: 'asc' });
  }

  /** The texts of errors stand in ElasticJob's table alone. */
  private async withErrors(db: TraceDb, runs: readonly JobRun[]): Promise<JobRun[]> {
    const ids = runs.flatMap(({ error, id, outcome, settledAt }) =>
      error === undefined && settledAt !== undefined && outcome !== 'succeeded' ? [id] : [],
    );
    const errors = new Map<string, string>();
    for (let from = 0; from < ids.length; from += MOST_IDS) {
      const rows = await db
        .selectFrom('jobExecutionLog')
        .select(['id', 'failureCause'])
        .where('id', 'in', ids.slice(from, from + MOST_IDS))
        .execute();
      for (const { failureCause, id } of rows) if (failureCause !== null) errors.set(id, failureCause);
    }
    return runs.map((run) => ({ ...run, error: run.error ?? errors.get(run.id) }));
  }
}

function boundsOf({ from, to }: RunFilter): Bounds {
  return { from, to };
}

function place({ begunAt, id }: JobRun): Position {
  return { time: begunAt, id };
}

/** Conditions for rows after a run, in the order of time. */
function behind({ time, value }: TimedTable, { begunAt, id }: JobRun): Condition[] {
  const column = sql.ref(time);
  const at: RawBuilder<unknown> = sql`${value(begunAt)}`;
  return [sql`${column} >= ${at}`, sql`(${column} > ${at} or (${column} = ${at} and ${sql.ref('id')} > ${id}))`];
}

async function readAttempts(db: TraceDb, runId: string): Promise<JobAttempt[]> {
  const rows = await db
    .selectFrom('elasticJobAttempt')
    .select(['attempt', 'startedAt', 'endedAt', 'error'])
    .where('runId', '=', runId)
    .orderBy('attempt')
    .limit(1_000)
    .execute();
  return rows.map(({ attempt, endedAt, error, startedAt }) => ({
    attempt,
    startedAt: Number(startedAt),
    endedAt: endedAt === null ? undefined : Number(endedAt),
    error: error ?? undefined,
  }));
}
