import type { JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { Chance } from './chance.js';
import type { PlannedJob } from './plan.js';

/** Most items that a job may have, also after edits. */
export const MOST_ITEMS = 8;
export type Pace = 'quick' | 'slow';
/**
 * Periods of the jobs of one history, in seconds. Slow jobs need long histories, which cost much time with quick jobs.
 */
const PERIODS: Record<Pace, readonly number[]> = { quick: [1, 1, 1, 2, 2, 5, 5], slow: [10, 15, 30, 60] };
const STRATEGIES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'STICKY'];

/** @param more draws on which the other draws must not depend */
export function drawJob(chance: Chance, more: Chance, name: string, pace: Pace): PlannedJob {
  const seconds = chance.pick(PERIODS[pace]);
  const monitorExecution = !chance.is(0.05);
  const job = {
    name,
    ...scheduleEvery(seconds),
    shardingTotalCount: chance.between(1, MOST_ITEMS),
    failover: monitorExecution && chance.is(0.7),
    ...drawMisfire(more, chance.is(0.7)),
    monitorExecution,
    strategy: chance.pick(STRATEGIES),
    concurrency: chance.is(0.2) ? chance.between(1, 3) : undefined,
    shutdownGraceMs: more.pick([undefined, undefined, 1_000]),
    jobParameter: 'v0',
    timeZone: 'UTC',
    reconcileIntervalMinutes: 1,
  };
  const planned = { ...job, ...drawLimits(more, longestRunMs(job)) };
  return more.is(0.12) ? residentOf(planned) : planned;
}

/** Starts a job after one of the others now and then, and another one after it, or after both. */
export function drawDependents(chance: Chance, jobs: readonly PlannedJob[]): PlannedJob[] {
  const parent = jobs.find(({ monitorExecution, resident }) => monitorExecution === true && resident !== true);
  if (parent === undefined || !chance.is(0.3)) return [];
  const child = drawDependent(chance, 'after-0', parent, [parent.name]);
  const second = chance.pick([undefined, undefined, [child.name], [parent.name, child.name]]);
  return second === undefined ? [child] : [child, drawDependent(chance, 'after-1', parent, second)];
}

function drawDependent(chance: Chance, name: string, { periodMs }: PlannedJob, after: readonly string[]): PlannedJob {
  return {
    name,
    after,
    periodMs,
    shardingTotalCount: chance.between(1, 4),
    failover: chance.is(0.7),
    misfirePolicy: chance.pick(['once', 'all']),
    monitorExecution: true,
    strategy: chance.pick(STRATEGIES),
    jobParameter: 'v0',
    timeZone: 'UTC',
    reconcileIntervalMinutes: 1,
  };
}

function residentOf(job: PlannedJob): PlannedJob {
  const { name, shardingTotalCount, failover, strategy, jobParameter, timeZone, reconcileIntervalMinutes } = job;
  const kept = { name, shardingTotalCount, failover, strategy, jobParameter, timeZone, reconcileIntervalMinutes };
  return { ...kept, resident: true, monitorExecution: true, periodMs: 0 };
}

/**
 * Limits the time of handlers below their need now and then, without waiting for them, and limits the items that may
 * wait for failover.
 */
function drawLimits(more: Chance, longestMs: number): Pick<JobOptions, 'timeoutMs' | 'onHung' | 'failoverQueueLimit'> {
  return {
    failoverQueueLimit: more.is(0.2) ? more.between(1, 2) : undefined,
    timeoutMs: more.is(0.2) ? Math.max(20, Math.round(more.pick([0.1, 0.3, 0.6]) * longestMs)) : undefined,
    onHung: more.is(0.3) ? 'release' : undefined,
  };
}

function drawMisfire(more: Chance, misfire: boolean): Pick<JobOptions, 'misfire' | 'misfirePolicy' | 'misfireLimit'> {
  if (!misfire || more.is(0.65)) return { misfire };
  return { misfirePolicy: 'all', misfireLimit: more.pick([undefined, 3]) };
}

/**
 * Longest run of a handler, in milliseconds. It is longer than the period, unless one instance alone could then not
 * keep up with the items that wait for a slot.
 */
export function longestRunMs({ periodMs, concurrency, shardingTotalCount, misfirePolicy }: PlannedJob): number {
  // A job that catches up on every fire time must be quicker than its period.
  if (concurrency === undefined) return Math.min((misfirePolicy === 'all' ? 0.7 : 1.7) * periodMs, 12_000);
  return Math.min((periodMs * concurrency) / (2 * shardingTotalCount + 6), 3_000);
}

/** A schedule with a period of so many seconds, which divide a minute. */
export function scheduleEvery(seconds: number): { readonly cron: string; readonly periodMs: number } {
  return { cron: seconds === 60 ? '0 * * * * ?' : `0/${seconds} * * * * ?`, periodMs: seconds * 1_000 };
}

/** Longest time until an item that waits for one of an instance's slots has run, in milliseconds. */
export function longestTurnMs(job: PlannedJob, total: number): number {
  return longestRunMs(job) * Math.ceil(total / (job.concurrency ?? Infinity) || 1);
}
