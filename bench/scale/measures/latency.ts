import { percentile, withMissing } from '../statistics.js';
import type { JobGroup, Window } from '../child/instance-calls.js';
import type { Stage } from '../stage.js';
import type { Figures, Measurement } from './measurement.js';

/** Enough for V8 to compile the repeated work, as in a process that has run for minutes. */
const WARM_UP = { instants: 10, runs: 8_000 };
const WRITES = 2_000;
const RESTED_WRITES = 10;

/** Jobs that are due together, in one process over ZooKeeper. */
export interface DueJobs {
  readonly jobs: number;
  /** @default 1 */
  readonly items?: number;
  /** Due instants per second, at equal distances. @default 1: all jobs are due at the full second */
  readonly phases?: number;
  /** Seconds between two due instants of a job: a divisor of 60. @default 1 */
  readonly everySeconds?: number;
}

/** Lateness, processor time and requests of jobs that are due together. */
export function due({ jobs, items = 1, phases = 1, everySeconds = 1 }: DueJobs): Measurement {
  const group = dueGroup('job', jobs, items, everySeconds);
  return async (stage) => {
    const window = await watchJobs(stage, [group], { phases, everySeconds });
    const begun = window.lateness['job'] ?? [];
    const instants = stage.seconds / everySeconds;
    const runs = instants * jobs * items;
    const lateness = withMissing(begun, runs);
    // Runs that an overloaded process has left out must not look like savings, so the others are scaled up.
    const scale = runs / begun.length;
    return {
      p50: percentile(lateness, 0.5),
      p99: percentile(lateness, 0.99),
      donePercent: 100 / scale,
      corePercent: (scale * window.cpuMs) / (10 * stage.seconds),
      requestsOfInstant: (scale * window.requests) / instants / phases,
      cpuOfTriggerUs: (scale * 1_000 * window.cpuMs) / (instants * jobs),
    };
  };
}

/** As `due`, just after two bare writes in a row. */
export function spread(jobs: number, phases: number): Measurement {
  const measure = due({ jobs, phases });
  return async (stage) => {
    const bare = await writes(stage);
    const figures = await measure(stage);
    return { ...figures, beyondTwoWrites: figures['p99']! - bare['twoP99']! };
  };
}

/** Small jobs beside a large one, and without it, each due each second. */
export function overload(small: number, items: number): Measurement {
  const few = dueGroup('small', small, 1, 1);
  const large = dueGroup('large', 1, items, 1);
  const p99 = async (stage: Stage, groups: readonly JobGroup[]) => {
    const { lateness } = await watchJobs(stage, groups, { phases: 1, everySeconds: 1 });
    return percentile(withMissing(lateness['small'] ?? [], stage.seconds * small), 0.99);
  };
  return async (stage) => {
    const alone = await p99(stage, [few]);
    const beside = await p99(stage, [few, large]);
    return { alone, beside, delay: beside - alone };
  };
}

/** Writes of the bare client to one node, one after the other, on an idle server. */
export async function writes(stage: Stage): Promise<Figures> {
  return stage.with(1, async ([instance]) => {
    const took = await instance!.call('write', { servers: stage.servers, writes: WRITES });
    const pairs = Array.from({ length: WRITES / 2 }, (_, n) => took[2 * n]! + took[2 * n + 1]!);
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), twoP99: percentile(pairs, 0.99) };
  });
}

/** As `writes`, each after a second in which neither the process nor the server had anything to do. */
export async function restedWrites(stage: Stage): Promise<Figures> {
  return stage.with(1, async ([instance]) => {
    const took = await instance!.call('write', { servers: stage.servers, writes: RESTED_WRITES, pauseMs: 1_000 });
    return { p50: percentile(took, 0.5) };
  });
}

/** @param everySeconds a divisor of 60 */
function dueGroup(prefix: string, count: number, items: number, everySeconds: number): JobGroup {
  return { prefix, count, items, cron: `0/${everySeconds} * * * * ?` };
}

async function watchJobs(
  stage: Stage,
  groups: readonly JobGroup[],
  { phases, everySeconds }: Required<Pick<DueJobs, 'phases' | 'everySeconds'>>,
): Promise<Window> {
  return stage.with(1, async ([instance]) => {
    const items = groups.reduce((sum, group) => sum + group.count * group.items, 0);
    const { servers } = stage;
    const namespace = stage.newNamespace();
    await instance!.call('start', { servers, namespace, groups, phases, untilPlanned: true });
    const warmUp = Math.max(WARM_UP.instants, Math.ceil(WARM_UP.runs / items));
    await instance!.call('watch', { instants: warmUp, everySeconds, items });
    return instance!.call('watch', { instants: stage.seconds / everySeconds, everySeconds, items });
  });
}
