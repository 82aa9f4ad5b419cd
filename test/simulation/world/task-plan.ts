import { Chance } from './chance.js';
import { drawDisturbances } from './draw-disturbances.js';
import { scheduleEvery } from './draw-job.js';
import { type Disturbance, type Plan, type PlannedJob, promptMsOf, recoveryMsOf } from './plan.js';

/** The backend of a history whose items are tasks. */
export interface PlannedTasks {
  /** True if tasks outlive their schedulers. */
  readonly adopts: boolean;
  /** Usual longest time of a request to the backend, in milliseconds. */
  readonly latencyMs: number;
  /** Longest time of a slow request or state, in milliseconds. */
  readonly latestMs: number;
  /** Time from SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
}

const NAMES = ['task-dies', 'task-dies', 'task-hides', 'task-hides', 'fail-request', 'fail-request'] as const;

/**
 * Draws a history of jobs whose items are tasks. They have few items and are short, so that many of them fit a run of
 * CI.
 */
export function taskPlanOf(seed: number): Plan {
  const chance = new Chance(seed ^ 0x7a5c5);
  const jobs = Array.from({ length: chance.pick([1, 1, 2]) }, (_, index) => drawTaskJob(chance, `job-${index}`));
  const sessionTimeoutMs = chance.pick([4_000, 4_000, 6_000]);
  const calmAt = chance.between(18_000, 30_000);
  const tasks = {
    adopts: !chance.is(0.25),
    latencyMs: chance.pick([1, 5, 40]),
    latestMs: chance.pick([0, 300, 2_500]),
    graceMs: chance.pick([200, 1_000]),
  };
  const longestPeriodMs = Math.max(...jobs.map(({ periodMs }) => periodMs));
  const times = {
    sessionTimeoutMs,
    latencyMs: chance.pick([2, 10, 50]),
    newsLagMs: chance.pick([0, 0, 300]),
    taskMs: 2 * longestPeriodMs + 6_000,
  };
  const recoveredAt = calmAt + recoveryMsOf(times);
  const bounds = { calmAt, recoveredAt, sessionTimeoutMs };
  return {
    seed,
    ...times,
    instances: chance.between(2, 3),
    farClocks: false,
    nearClocks: false,
    jobs,
    checkpoints: false,
    olderReleases: false,
    tasks,
    disturbances: [...drawDisturbances(seed, chance.fork(), bounds, 3), ...drawTaskTroubles(chance.fork(), bounds)],
    calmAt,
    endAt: recoveredAt + 3 * longestPeriodMs + 3 * promptMsOf(times),
  };
}

function drawTaskJob(chance: Chance, name: string): PlannedJob {
  const misfirePolicy = chance.pick(['once', 'once', 'skip', 'all'] as const);
  const schedule = scheduleEvery(chance.pick([5, 5, 10]));
  return {
    name,
    ...schedule,
    shardingTotalCount: chance.between(1, 4),
    failover: chance.is(0.6),
    misfirePolicy,
    maxExecutorFailovers: chance.pick([0, 1, 3]),
    timeoutMs: chance.is(0.3) ? Math.round(chance.pick([0.3, 0.8]) * schedule.periodMs) : undefined,
    strategy: chance.pick(['AVG_ALLOCATION', 'ROUND_ROBIN', 'STICKY']),
    monitorExecution: true,
    jobParameter: 'v0',
    timeZone: 'UTC',
    reconcileIntervalMinutes: 1,
  };
}

function drawTaskTroubles(
  chance: Chance,
  { calmAt, sessionTimeoutMs }: { readonly calmAt: number; readonly sessionTimeoutMs: number },
): Disturbance[] {
  const draw = (kind: Disturbance['kind'], ms: number): Disturbance => {
    const at = chance.between(3_000, calmAt - 2_000);
    return { at, kind, ms, who: chance.next(), what: chance.next() };
  };
  const troubles = Array.from({ length: chance.between(2, 8) }, () =>
    draw(chance.pick(NAMES), chance.pick([100, 1_000, 6_000, 9_000])),
  );
  const pauses = Array.from({ length: chance.pick([0, 1, 2, 3]) }, () =>
    draw('pause-at-request', Math.round((1.2 + 2 * chance.next()) * sessionTimeoutMs)),
  );
  return [...troubles, ...pauses];
}
