import type { EventFilter, JobHistory, JobHistoryEvent, MissedFireTimes } from '../../tracing/index.js';
import { type AlarmAnswer, type HistoryState, isoOf, type OverviewHistory } from '../contract/index.js';
import { bucketAnswer } from './history-rows.js';

const HOUR_MS = 3_600_000;
const ALARMS_MS = 24 * HOUR_MS;
const RUNS_MS = 12 * HOUR_MS;
const BUCKET_MS = HOUR_MS / 4;
/** Rows of the history that are looked at. */
const MOST_ROWS = 1_000;
const MOST_ALARMS = 50;
const DROPPED = 'history-dropped';
/** Kinds of which an operator is told. Missed fire times are asked for by themselves. */
const ALARMS: readonly string[] = [
  'hung',
  'late',
  'failover-overflow',
  'early',
  'clock',
  'dependency-not-met',
  DROPPED,
];

interface Told {
  readonly kind: string;
  readonly job: string | null;
  readonly items: readonly number[] | null;
  readonly count: number;
  readonly at: number;
}

/**
 * The history of the last hours at a glance.
 * @param jobPrefix only these jobs, and nothing of processes; '' for all
 * @param now milliseconds since the epoch
 */
export async function readGlance(
  history: JobHistory,
  jobPrefix: string,
  now: number,
): Promise<Omit<OverviewHistory, keyof HistoryState>> {
  const seen: Pick<EventFilter, 'jobPrefix'> = jobPrefix === '' ? {} : { jobPrefix };
  const since = { ...seen, from: now - ALARMS_MS, limit: MOST_ROWS };
  // One after the other: a page takes one connection of the database.
  const missed = await history.missed(since);
  const events = await history.events({ ...since, kinds: ALARMS });
  const to = Math.ceil(now / BUCKET_MS) * BUCKET_MS;
  const runs = await history.statistics({ ...seen, from: to - RUNS_MS, to, buckets: RUNS_MS / BUCKET_MS });
  const told = [...missed.rows.map(toldByMissed), ...events.rows.filter(isAlarm).map(toldBy)];
  const dropped = told.filter(({ kind }) => kind === DROPPED);
  return {
    runs: runs.map((bucket) => {
      const { aborted, failed, from, succeeded, to: end } = bucketAnswer(bucket);
      return { from, to: end, succeeded, failed, aborted };
    }),
    missed: sumOf(missed.rows),
    dropped: sumOf(dropped),
    alarms: alarmsOf(told),
  };
}

function sumOf(counted: readonly { readonly count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function toldByMissed({ at, count, items, jobName }: MissedFireTimes): Told {
  return { kind: 'missed', job: jobName, items, count, at };
}

function toldBy({ at, detail, items, jobName, kind }: JobHistoryEvent): Told {
  const count = typeof detail['count'] === 'number' ? detail['count'] : 1;
  return { kind, job: jobName ?? null, items: items ?? null, count, at };
}

/** That a clock is right again is no alarm. */
function isAlarm({ detail, kind }: JobHistoryEvent): boolean {
  return kind !== 'clock' || detail['state'] !== 'trusted';
}

/** One for each kind and job. */
function alarmsOf(told: readonly Told[]): readonly AlarmAnswer[] {
  const alarms = new Map<string, Told>();
  for (const one of told.toSorted((a, b) => b.at - a.at)) {
    const key = `${one.kind} ${one.job ?? ''}`;
    const latest = alarms.get(key) ?? { ...one, count: 0 };
    alarms.set(key, { ...latest, count: latest.count + one.count });
  }
  return [...alarms.values()].slice(0, MOST_ALARMS).map(({ at, ...alarm }) => ({ ...alarm, at: isoOf(at) }));
}
