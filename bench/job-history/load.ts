import { CompiledQuery, type Kysely, sql } from 'kysely';
import { SqlHistory } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { dialectOf, type TraceDialect, traceDialect } from '../../libs/elastic-job/src/tracing/sql/trace-dialect.js';
import { type PlantedRun, plantedYear, TEN_MINUTES } from './planted-year.js';

/** Rows of a statement. */
const MOST_ROWS = 500;
/** Rows of a transaction. */
const MOST_AT_ONCE = 50_000;

type Values = readonly unknown[];

/** Name of a job in sums of all jobs. */
const ALL_JOBS = '';

/** Rows of a table that are written together. */
class Batch {
  private rows: Values[] = [];

  constructor(
    private readonly table: string,
    private readonly columns: readonly string[],
    private readonly place: (index: number) => string,
  ) {}

  get size(): number {
    return this.rows.length;
  }

  add(row: Values): void {
    this.rows.push(row);
  }

  async write(db: Kysely<unknown>): Promise<void> {
    const { columns, place, table } = this;
    for (let from = 0; from < this.rows.length; from += MOST_ROWS) {
      const rows = this.rows.slice(from, from + MOST_ROWS);
      const texts = rows.map(
        (_, row) => `(${columns.map((__, index) => place(row * columns.length + index + 1)).join()})`,
      );
      const text = `insert into ${table} (${columns.join()}) values ${texts.join()}`;
      await db.executeQuery(CompiledQuery.raw(text, rows.flat()));
    }
    this.rows = [];
  }
}

/** Fills the tables with a year of runs, unless they have so many. */
export async function load(db: Kysely<unknown>, rows: number): Promise<void> {
  await new SqlHistory(db).migrate();
  const { rows: found } = await sql<{ amount: unknown }>`select count(*) as amount from JOB_EXECUTION_LOG`.execute(db);
  if (Number(found[0]!.amount) >= rows * 0.95) return console.log('The tables have their rows already.');
  const name = dialectOf(db)!;
  const dialect = traceDialect(name);
  const place = (index: number) => (name === 'postgres' ? `$${index}` : '?');
  const runs = new Batch('ELASTIC_JOB_RUN', RUN, place);
  const logged = new Batch('JOB_EXECUTION_LOG', LOG, place);
  const events = new Batch('ELASTIC_JOB_EVENT', EVENT, place);
  const sums = new Batch('ELASTIC_JOB_STAT', SUM, place);
  const writeAll = () =>
    db.transaction().execute(async (trx) => {
      for (const batch of [runs, logged, events, sums]) await batch.write(trx);
    });
  const begun = performance.now();
  for (const tick of plantedYear(rows)) {
    for (const run of tick.runs) {
      if (run.isOurs) runs.add(runRow(run));
      logged.add(logRow(run, dialect));
    }
    for (const { at, detail, fireTime, id, items, jobName, kind, since } of tick.events)
      events.add([id, jobName, kind, at, items, fireTime, since, '10.0.3.11@-@7-9f2a', detail]);
    for (const row of sumRows(tick.runs)) sums.add(row);
    if (logged.size >= MOST_AT_ONCE) await writeAll();
  }
  await writeAll();
  if (name === 'postgres') await sql`vacuum analyze`.execute(db);
  console.log(`Loaded in ${Math.round((performance.now() - begun) / 1_000)} s.`);
}

const RUN = [
  'id',
  'job_name',
  'sharding_item',
  'fire_time',
  'origin',
  'source',
  'outcome',
  'cause',
  'run',
  'token',
].concat([
  'epoch',
  'instance',
  'version',
  'task_id',
  'begun_at',
  'started_at',
  'settled_at',
  'lateness_ms',
  'attempts',
]);
const LOG = [
  'id',
  'job_name',
  'task_id',
  'hostname',
  'ip',
  'sharding_item',
  'execution_source',
  'failure_cause',
].concat(['is_success', 'start_time', 'complete_time']);
const EVENT = ['id', 'job_name', 'kind', 'told_at', 'items', 'fire_time', 'since_at', 'instance', 'detail'];
const SUM = ['id', 'job_name', 'writer', 'since_at', 'succeeded', 'failed', 'aborted', 'retried', 'failed_over'].concat(
  ['missed', 'duration_ms', 'longest_ms', 'latest_ms', 'durations', 'latenesses'],
);

function runRow(run: PlantedRun): Values {
  const { begunAt, durationMs, fireTime, id, instance, item, jobName, latenessMs, origin, outcome, source } = run;
  const cause = outcome === 'aborted' ? 'timed-out' : null;
  const taskId = `${jobName}@-@${item}@-@READY@-@${instance}`;
  const version = begunAt % 2 === 0 ? '1.43.1' : '1.43.0';
  const end = outcome === null ? null : begunAt + durationMs;
  const before = [id, jobName, item, fireTime, origin, source, outcome, cause, id.slice(0, 36), '3026418951671'];
  return [...before, 7, instance, version, taskId, begunAt, begunAt + 2, end, latenessMs, 1];
}

function logRow(run: PlantedRun, dialect: TraceDialect): Values {
  const { begunAt, durationMs, id, instance, item, jobName, outcome, source } = run;
  const cause = outcome === 'failed' || outcome === 'aborted' ? 'Error: no answer from settle.bank.example' : null;
  const taskId = `${jobName}@-@${item}@-@READY@-@${instance}`;
  const end = outcome === null ? null : dialect.time(begunAt + durationMs);
  const ip = instance.split('@-@')[0];
  return [
    id,
    jobName,
    taskId,
    'host',
    ip,
    item,
    source,
    cause,
    dialect.flag(outcome === 'succeeded'),
    dialect.time(begunAt + 2),
    end,
  ];
}

/** The sums of a tick: one for each job and writer, and one of all jobs for each writer. */
function* sumRows(runs: readonly PlantedRun[]): Generator<Values> {
  const groups = new Map<string, PlantedRun[]>();
  for (const run of runs.filter(({ isOurs }) => isOurs)) {
    for (const name of [run.jobName, ALL_JOBS]) {
      const key = JSON.stringify([name, run.instance]);
      groups.set(key, [
        ...(groups.get(key) ?? []),
        { ...run, id: `${name === ALL_JOBS ? 'a' : 's'}${run.id}`, jobName: name },
      ]);
    }
  }
  for (const group of groups.values()) {
    const { fireTime, id, instance, jobName } = group[0]!;
    const count = (outcome: string) => group.filter((run) => run.outcome === outcome).length;
    const durations = group.map(({ durationMs }) => durationMs);
    const latenesses = group.map(({ latenessMs }) => latenessMs);
    const since = Math.floor(fireTime / TEN_MINUTES) * TEN_MINUTES;
    const counts = [count('succeeded'), count('failed'), count('aborted'), 0, 0, 0];
    const longest = [durations.reduce((a, b) => a + b), Math.max(...durations), Math.max(...latenesses)];
    yield [id, jobName, instance, since, ...counts, ...longest, histogramOf(durations), histogramOf(latenesses)];
  }
}

function histogramOf(values: readonly number[]): string {
  const counts: Record<number, number> = {};
  for (const ms of values) {
    const bucket = ms < 1 ? 0 : Math.floor(Math.log(ms) / Math.log(1.05)) + 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return JSON.stringify(counts);
}
