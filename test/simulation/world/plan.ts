import type { JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { RuntimeOptions } from '../../../libs/elastic-job/src/runtime/index.js';
import { Chance } from './chance.js';
import { drawDisturbances } from './draw-disturbances.js';
import type { PlannedTasks } from './task-plan.js';
import { drawDependents, drawJob, longestTurnMs, MOST_ITEMS } from './draw-job.js';

const HOUR = 3_600_000;

/** Disturbances of the cluster. Each chooses its victim among the living instances of the moment. */
export type DisturbanceKind =
  | 'crash'
  | 'pause'
  | 'partition'
  | 'cut-requests'
  | 'cut-replies'
  | 'late-news'
  | 'lose-reply'
  | 'expire'
  | 'clock-jump'
  | 'join'
  | 'leave'
  | 'restart-all'
  | 'edit'
  | 'switch-item'
  | 'switch-server'
  | 'trigger'
  /** The election node of a leader that is about to plan is deleted, as if by an operator's hand. */
  | 'depose'
  /** An instance joins, and messages of another one at that moment are delayed. */
  | 'slow-hand-over'
  /** An instance whose handlers have more to write stands still for longer than its session lasts. */
  | 'pause-at-work'
  /** An instance dies at work. */
  | 'crash-at-work'
  /** The session of an instance that runs items of another one ends, about when the next fire time comes. */
  | 'expire-rescuer'
  /** An operator cancels a run that is under way. */
  | 'cancel'
  /** An operator takes an instance out of one of its jobs. The process goes on. */
  | 'shutdown'
  /** A process removes one of its jobs, and adds it again after a while. */
  | 'call-remove'
  /** A process pauses the schedule of one of its jobs for a while. */
  | 'call-pause'
  /** A process changes the settings of one of its jobs. */
  | 'call-change'
  /** A server refuses a possible request, or answers with a code that is no node state, applied or not. */
  | 'odd-answer'
  /** The clock of a host is set by up to five hours. */
  | 'clock-step'
  /** An operator marks an item by hand, in the name of an instance that does not run it. */
  | 'stray-mark'
  /** The total of a job shrinks, and grows again within the lag of a clock. */
  | 'churn'
  /** An operator asks for past fire times once more, and withdraws that now and then. */
  | 'rerun'
  /** An operator makes the leader of a job resign. */
  | 'resign'
  /** Instances of a release that knows no re-runs leave, and others come. */
  | 'upgrade'
  /** A task is ended from outside. */
  | 'task-dies'
  /** A task cannot be reached for a while, or until an operator says that it is gone. */
  | 'task-hides'
  /** A request to the backend of tasks, or the answer, is lost. */
  | 'fail-request'
  /** A scheduler stands still at a request to that backend. */
  | 'pause-at-request';

export interface Disturbance {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly kind: DisturbanceKind;
  /** Its duration in milliseconds, if it lasts. */
  readonly ms: number;
  /** In [0, 1). They choose the victim and the details. */
  readonly who: number;
  readonly what: number;
}

/** `periodMs` is 0 for a resident job. */
export type PlannedJob = JobOptions & {
  readonly name: string;
  readonly periodMs: number;
  readonly concurrency?: number;
};

/** Options with which a process is started. */
export type PlannedProcess = Pick<RuntimeOptions, 'hungGraceMs' | 'suspendedGraceMs'>;

/** Draws the options of the process of this number. */
export function processOf(seed: number, index: number): PlannedProcess {
  const chance = new Chance(seed ^ (0x960 + index));
  return {
    hungGraceMs: chance.pick([undefined, 200, 1_000, 3_000]),
    suspendedGraceMs: chance.pick([undefined, 200, 1_000]),
  };
}

/** Draws the milliseconds by which the clock of a process is ahead of the registry's as it starts. */
export function clockOffsetOf(
  { seed, farClocks, nearClocks }: Pick<Plan, 'seed' | 'farClocks' | 'nearClocks'>,
  index: number,
): number {
  const chance = new Chance(seed ^ (0xc10c + index));
  if (farClocks && chance.is(0.25)) return drawStep(chance.next());
  return nearClocks ? drawLag(new Chance(seed ^ (0x1a9 + index))) : 0;
}

/** True if the process of this number is of a release that knows no re-runs. */
export function isOfOlderRelease(
  { seed, olderReleases }: Pick<Plan, 'seed' | 'olderReleases'>,
  index: number,
): boolean {
  return olderReleases && new Chance(seed ^ (0x01de + index)).is(0.4);
}

/** Offset of a clock within the tolerance, in milliseconds. */
function drawLag(chance: Chance): number {
  return Math.round(chance.pick([0, -1, -1, 1]) * chance.pick([1_500, 4_000, 9_000]) * (0.3 + 0.7 * chance.next()));
}

/** Offset or step of a clock, in milliseconds: seconds, minutes or up to five hours, in either direction. */
export function drawStep(what: number): number {
  const chance = new Chance(Math.floor(what * 2 ** 32));
  const most = chance.pick([9_000, 120_000, 2 * HOUR, 5 * HOUR, 5 * HOUR]);
  return Math.round(chance.pick([-1, 1]) * most * (0.2 + 0.8 * chance.next()));
}

/** One history before it happens: everything that follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly sessionTimeoutMs: number;
  /** Usual longest round trip of a message, in milliseconds. */
  readonly latencyMs: number;
  /** Longest delay of news for some processes, in milliseconds, unless they ask. */
  readonly newsLagMs: number;
  readonly instances: number;
  /** True if some hosts have clocks that are off by up to hours. */
  readonly farClocks: boolean;
  /** True if the clocks of hosts differ by seconds. */
  readonly nearClocks: boolean;
  readonly jobs: readonly PlannedJob[];
  /** True if handlers save checkpoints. */
  readonly checkpoints: boolean;
  /** True if some instances are of a release that knows no re-runs, until they are upgraded. */
  readonly olderReleases: boolean;
  /** Tasks, if the items of all jobs are tasks. @default handlers run the items */
  readonly tasks?: PlannedTasks;
  /** Time within which a task that was under way when everything is repaired has ended, in milliseconds. @default 0 */
  readonly taskMs?: number;
  readonly disturbances: readonly Disturbance[];
  /** End of the faults, in milliseconds after the start. */
  readonly calmAt: number;
  readonly endAt: number;
}

/**
 * The draws of a seed. A later edition draws more kinds of faults, and keeps the draws of an earlier one. So a seed
 * that has failed once keeps its history.
 *
 * | Edition | adds |
 * |---|---|
 * | 1 | |
 * | 2 | calls of the processes' own code |
 * | 3 | refusals and codes of the server |
 * | 4 | clocks that are hours apart, and are stepped by hours; marks made by hand |
 * | 5 | clocks that are seconds apart; totals that shrink and grow again within such a lag |
 * | 6 | jobs that name no strategy |
 * | 7 | re-runs of past fire times, leaders that resign, checkpoints, instances of an earlier release |
 */
export const EDITIONS = [1, 2, 3, 4, 5, 6, 7] as const;
export type Edition = (typeof EDITIONS)[number];
/** Edition that runs by default. */
export const USUAL_EDITION: Edition = 7;

/** Draws a history. */
export function planOf(seed: number, edition: Edition = USUAL_EDITION): Plan {
  const chance = new Chance(seed);
  const sessionTimeoutMs = chance.pick([4_000, 6_000, 10_000]);
  const pace = chance.is(0.7) ? 'quick' : 'slow';
  const scheduled = Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, (_, index) =>
    drawJob(chance, new Chance(seed ^ (0x10b + index)), `job-${index}`, pace),
  );
  const named = [...scheduled, ...drawDependents(new Chance(seed ^ 0xaf7ea), scheduled)];
  const jobs = edition >= 6 ? named.map((job, index) => leaveStrategyOpen(seed, job, index)) : named;
  const calmAt = pace === 'quick' ? chance.between(16_000, 40_000) : chance.between(30_000, 70_000);
  const times = {
    sessionTimeoutMs,
    latencyMs: chance.pick([2, 10, 10, 50, 200]),
    newsLagMs: new Chance(seed ^ 0x1a6).pick([0, 0, 300, 1_500]),
  };
  const recoveredAt = calmAt + recoveryMsOf(times);
  return {
    seed,
    ...times,
    instances: chance.between(2, 4),
    farClocks: edition >= 4 && new Chance(seed ^ 0xfa2).is(0.4),
    nearClocks: edition >= 5 && new Chance(seed ^ 0x1ea2).is(0.6),
    jobs,
    checkpoints: edition >= 7,
    olderReleases: edition >= 7 && new Chance(seed ^ 0x01d).is(0.3),
    disturbances: drawDisturbances(seed, chance, { calmAt, recoveredAt, sessionTimeoutMs }, edition),
    calmAt,
    endAt: recoveredAt + watchedMs(jobs) + 3 * promptMsOf(times),
  };
}

function leaveStrategyOpen(seed: number, job: PlannedJob, index: number): PlannedJob {
  return new Chance(seed ^ (0x57a + index)).is(0.4) ? { ...job, strategy: undefined } : job;
}

type Times = Pick<Plan, 'latencyMs' | 'sessionTimeoutMs'> & Partial<Pick<Plan, 'newsLagMs' | 'taskMs'>>;

/** Longest time for two requests, their answers, and the news that they wait for, in milliseconds. */
export function promptMsOf({ latencyMs, newsLagMs = 0 }: Times): number {
  return 300 + 30 * latencyMs + 3 * newsLagMs;
}

/** Time within which everything has recovered after a disturbance, in milliseconds. */
export function recoveryMsOf(times: Times): number {
  return times.sessionTimeoutMs + 4_000 + 2 * promptMsOf(times) + (times.taskMs ?? 0);
}

/** Time after the recovery that is long enough to see each item run twice, in milliseconds. */
function watchedMs(jobs: readonly PlannedJob[]): number {
  const longestPeriodMs = Math.max(...jobs.map(({ periodMs }) => periodMs));
  return 2 * longestPeriodMs + Math.max(...jobs.map((job) => longestTurnMs(job, MOST_ITEMS))) + 4_000;
}
