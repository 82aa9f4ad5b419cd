import type { Kysely } from 'kysely';
import { SqlHistory } from '../../libs/elastic-job/src/tracing/sql/index.js';
import { medianOf } from '../statistics.js';
import { nameOf, NOW, RESIDENT, tickMsOf, WIDE, WIDE_ITEMS, YEAR_MS } from './planted-year.js';
import { processorTime } from './processor-time.js';

const DAY = 86_400_000;
const ROUNDS = 7;

/** The time of a query, in milliseconds, in the middle of the rounds. */
export interface Asked {
  readonly what: string;
  readonly wallMs: number;
  /** Of this process and the database's server. */
  readonly processorMs: number;
}

/** @param port of the database's server, if it is on this host @param only a part of the queries' names */
interface Asking {
  readonly rows: number;
  readonly port: number | undefined;
  readonly only: string | undefined;
}

/** Asks each query a few times. */
export async function askAll(db: Kysely<unknown>, { only, port, rows }: Asking): Promise<readonly Asked[]> {
  const history = new SqlHistory(db);
  const asked: Asked[] = [];
  for (const [what, ask] of Object.entries(await questionsOf(history, tickMsOf(rows)))) {
    if (only !== undefined && !what.includes(only)) continue;
    const answer = await ask();
    const walls: number[] = [];
    const before = processorTime(port);
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      await ask();
      walls.push(performance.now() - begun);
    }
    const processorMs = (processorTime(port) - before) / ROUNDS;
    const wallMs = medianOf(walls);
    console.log(`${what}: ${wallMs.toFixed(1)} ms, processors ${processorMs.toFixed(1)} ms, ${answer.length} rows`);
    asked.push({ what, wallMs, processorMs });
  }
  return asked;
}

type Questions = Readonly<Record<string, () => Promise<readonly unknown[]>>>;

async function questionsOf(history: SqlHistory<unknown>, tickMs: number): Promise<Questions> {
  const runs = (query: Parameters<typeof history.runs>[0]) => async () => (await history.runs(query)).rows;
  const events = (query: Parameters<typeof history.events>[0]) => async () => (await history.events(query)).rows;
  const of =
    (job: string, limit: number, window: number, changedAt = NOW - YEAR_MS) =>
    async () => {
      const nextFireTime = (after: number) => NOW - Math.ceil((NOW - after) / tickMs - 1) * tickMs;
      const time = { from: NOW - window, to: NOW, now: NOW, changedAt };
      const answer = await history.fireTimes({
        jobName: job,
        ...time,
        shardingTotalCount: WIDE_ITEMS,
        nextFireTime,
        limit,
      });
      return answer.columns;
    };
  const jobs = (count: number) => Array.from({ length: count }, (_, job) => (job === 0 ? WIDE : nameOf(job)));
  const last = (ms: number) => ({ from: NOW - ms, to: NOW });
  const repeated = (await history.runs({ jobName: WIDE, source: 'FAILOVER', limit: 1 })).rows[0]!;
  const old = (await history.runs({ jobName: WIDE, to: NOW - 0.95 * YEAR_MS, limit: 1 })).rows[0]!;
  const middle = { jobName: WIDE, to: NOW - YEAR_MS / 2 };
  return {
    'runs: the newest 100': runs({}),
    'runs: the newest 1,000': runs({ limit: 1_000 }),
    'runs: of a job': runs({ jobName: WIDE }),
    'runs: of a job, half a year ago': runs(middle),
    'runs: of a job, before the upgrade': runs({ jobName: WIDE, to: NOW - 0.95 * YEAR_MS }),
    'runs: of a Java job': runs({ jobName: 'java-job' }),
    'runs: of an item': runs({ jobName: WIDE, shardingItem: 7 }),
    'runs: of a fire time': runs({ jobName: WIDE, fireTime: NOW - 90 * tickMs }),
    'runs: failed': runs({ outcome: 'failed' }),
    'runs: failed, of a job': runs({ jobName: WIDE, outcome: 'failed' }),
    'runs: failed, of an item': runs({ jobName: WIDE, shardingItem: 3, outcome: 'failed' }),
    'runs: aborted': runs({ outcome: 'aborted' }),
    'runs: running': runs({ outcome: 'running' }),
    'runs: lost': runs({ outcome: 'lost' }),
    'runs: of an instance': runs({ instance: '10.0.3.12@-@7-9f2b' }),
    'runs: of an instance that never was': runs({ instance: 'nobody' }),
    'runs: of a release that never was': runs({ version: '9.9.9' }),
    'runs: of jobs with a prefix': runs({ jobPrefix: 'job-01' }),
    'runs: re-runs': runs({ origin: 'rerun' }),
    'runs: failovers': runs({ source: 'FAILOVER' }),
    'run: one that was failed over': async () => [await history.run(repeated.id)],
    'run: one before the upgrade': async () => [await history.run(old.id)],
    'events: the newest 100': events({}),
    'events: of a job': events({ jobName: WIDE }),
    'events: of some kinds': events({ kinds: ['hung', 'missed', 'early'] }),
    'events: of an item': events({ jobName: WIDE, shardingItem: 3 }),
    'events: of an instance that never was': events({ instance: 'nobody' }),
    'missed: the newest 100': async () => (await history.missed({})).rows,
    'missed: of a job': async () => (await history.missed({ jobName: WIDE })).rows,
    'fireTimes: 45 of 24 items': of(WIDE, 45, YEAR_MS),
    'fireTimes: 200 of 24 items': of(WIDE, 200, YEAR_MS),
    'fireTimes: 200 of 24 items, by rows alone': of(WIDE, 200, YEAR_MS, NOW),
    'fireTimes: of a day of a resident job': of(RESIDENT, 200, DAY, NOW),
    'doubles: of all jobs': () => history.doubles({}),
    'doubles: of a job': () => history.doubles({ jobName: WIDE }),
    'doubles: of a day': () => history.doubles(last(DAY)),
    'pulses: of 50 jobs': () => history.pulses({ jobNames: jobs(50) }),
    'pulses: of 200 jobs': () => history.pulses({ jobNames: jobs(200) }),
    'statistics: of a job, a day': () => history.statistics({ jobName: WIDE, ...last(DAY) }),
    'statistics: of a job, a year': () => history.statistics({ jobName: WIDE, ...last(YEAR_MS), buckets: 200 }),
    'statistics: of all jobs, 12 hours': () => history.statistics({ ...last(DAY / 2) }),
    'statistics: of all jobs, a month': () => history.statistics({ ...last(30 * DAY) }),
    'statistics: of all jobs, a year': () => history.statistics({ ...last(YEAR_MS) }),
  };
}
