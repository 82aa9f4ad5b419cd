// Rows of the history as the console answers them: instants as ISO texts, and null for what is not known.
import type {
  FireTimeColumn,
  JobHistoryEvent,
  JobRun,
  JobRunDetail,
  MissedFireTimes,
  StatisticsBucket,
} from '../../tracing/index.js';
import {
  type EventRow,
  type FateLetter,
  type FateReason,
  type FireTimeColumnAnswer,
  type HistoryState,
  isoOf,
  isoOrNull,
  type MissedRow,
  type RunAnswer,
  type RunRow,
  type StatisticsBucketAnswer,
} from '../contract/index.js';

export function runRow(run: JobRun): RunRow {
  const { begunAt, settledAt } = run;
  return {
    id: run.id,
    job: run.jobName,
    item: run.shardingItem,
    fireTime: isoOrNull(run.fireTime),
    origin: run.origin ?? null,
    source: run.source,
    outcome: run.outcome,
    cause: run.cause ?? null,
    error: run.error ?? null,
    run: run.run ?? null,
    token: run.token ?? null,
    epoch: run.epoch ?? null,
    instance: run.instance ?? null,
    ip: run.ip,
    version: run.version ?? null,
    task: run.taskId,
    launch: run.launch ?? null,
    begunAt: isoOf(begunAt),
    settledAt: isoOrNull(settledAt),
    durationMs: settledAt === undefined ? null : Math.max(0, settledAt - begunAt),
    latenessMs: run.latenessMs ?? null,
    attempts: run.attempts,
  };
}

export function runAnswer({
  attempts,
  next,
  ofTarget,
  previous,
  run,
}: JobRunDetail): Omit<RunAnswer, keyof HistoryState> {
  return {
    run: runRow(run),
    attempts: attempts.map(({ attempt, endedAt, error, startedAt }) => {
      return { attempt, startedAt: isoOf(startedAt), endedAt: isoOrNull(endedAt), error: error ?? null };
    }),
    ofTarget: ofTarget.map(runRow),
    previous: previous === undefined ? null : runRow(previous),
    next: next === undefined ? null : runRow(next),
  };
}

export function eventRow({ at, detail, fireTime, id, instance, items, jobName, kind }: JobHistoryEvent): EventRow {
  return {
    id,
    at: isoOf(at),
    kind,
    job: jobName ?? null,
    items: items ?? null,
    fireTime: isoOrNull(fireTime),
    instance: instance ?? null,
    facts: detail,
  };
}

export function missedRow({ at, count, fireTime, items, jobName, reason, since }: MissedFireTimes): MissedRow {
  return { job: jobName, items, since: isoOf(since), fireTime: isoOf(fireTime), count, reason, at: isoOf(at) };
}

export function bucketAnswer({ aborted, duration, failed, from, lateness, succeeded, to }: StatisticsBucket) {
  return {
    from: isoOf(from),
    to: isoOf(to),
    succeeded,
    failed,
    aborted,
    durationMs: duration ?? null,
    latenessMs: lateness ?? null,
  } satisfies StatisticsBucketAnswer;
}

const LETTERS = {
  done: 'd',
  failed: 'f',
  running: 'o',
  missed: 'm',
  disabled: 'x',
  unknown: 'u',
} as const satisfies Readonly<Record<string, FateLetter>>;

/** A letter for each item: a thousand items at 45 fire times make 45 KB, and as objects they would make 2 MB. */
export function columnAnswer({ fireTime, isExpected, items }: FireTimeColumn): FireTimeColumnAnswer {
  const letters = items.map(({ fate, isRerun }) => (fate === 'done' && isRerun === true ? 'r' : LETTERS[fate]));
  const reasons: FateReason[] = [];
  for (const [item, { reason }] of items.entries()) {
    if (reason === undefined) continue;
    const last = reasons.at(-1);
    if (last?.reason === reason && last.to === item - 1) reasons[reasons.length - 1] = { ...last, to: item };
    else reasons.push({ from: item, to: item, reason });
  }
  return { fireTime: isoOf(fireTime), items: letters.join(''), reasons, expected: isExpected };
}
