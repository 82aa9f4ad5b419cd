// Covered by test/scenario/damage.spec.ts
import type { DelayedSettles, Executions, StandingRefusal } from '../../coordination/index.js';
import { hasIdleFailover, type JobName } from '../../domain/index.js';
import type { HungHandler } from '../../executor/index.js';
import type { JobSchedule, JobSettings, RunningItems } from '../leases/index.js';
import type { JobDeparture } from './job-departure.js';
import type { JobMode } from './job-mode.js';
import type { MixedJob } from './mixed-job.js';

/** A job as it stands in this process. */
export interface JobStatus {
  readonly jobName: JobName;
  /** Registered in the current session. */
  readonly isJoined: boolean;
  /** This process is on its way out of the job: nothing begins here any more, but something may still run. */
  readonly isLeaving: boolean;
  /** The leader's instance id, as far as the registry has told. */
  readonly leader: string | undefined;
  /** Instances without our label: Java peers of the job. */
  readonly mixedWith: readonly string[];
  /** Where the registry's `config` node differs from the local options: one text per field. */
  readonly differences: readonly string[];
  /** The registry's `config` node asks for failover, which counts as off, since it has no `monitorExecution`. */
  readonly isFailoverIdle: boolean;
  /** Milliseconds since the epoch; undefined if paused, not joined, or if the schedule has ended. */
  readonly nextFireTime: number | undefined;
  /** The items that run in this process. */
  readonly runningItems: number;
  /** The handlers that have not returned although they were aborted, by item. */
  readonly hung: readonly HungHandler[];
  /** The failover queue has no place for further items. */
  readonly isFailoverQueueFull: boolean;
  /** Ends of runs here that are not recorded although that is late; undefined: none. */
  readonly delayedSettles: DelayedSettles | undefined;
  /** What the registry answers, and does not do, and since when; undefined: nothing is refused. */
  readonly refused: StandingRefusal | undefined;
  /** Why the registry's `config` node cannot be used, while the last usable text is in force. */
  readonly configurationFault: string | undefined;
  /** What keeps the job from running here, if anything. */
  readonly problem: string | undefined;
  /** The fire times, times items, that this process has told as missed. */
  readonly missedRuns: number;
}

interface JobStatusParts {
  readonly jobName: JobName;
  readonly mode: JobMode;
  readonly departure: JobDeparture;
  readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  readonly running: RunningItems;
  readonly mixed: MixedJob;
  readonly executions: Executions;
  readonly missedRuns: number;
}

/** From memory. */
export function statusOf(parts: JobStatusParts): JobStatus {
  const { departure, executions, jobName, missedRuns, mode, running, schedule, settings } = parts;
  const { tree } = mode.session ?? {};
  return {
    jobName,
    isJoined: mode.kind === 'registered' && departure.removal === undefined,
    isLeaving: departure.isLeaving,
    leader: tree?.leader(),
    mixedWith: tree?.peers() ?? [],
    differences: tree === undefined ? [] : settings.differences,
    isFailoverIdle: hasIdleFailover(settings.configuration),
    nextFireTime: schedule.nextFireTime,
    runningItems: running.size,
    hung: running.hung,
    isFailoverQueueFull: (tree?.queue().length ?? 0) >= settings.configuration.failoverQueueLimit,
    delayedSettles: tree && executions.delayedSettles(tree),
    refused: tree?.refusals.oldest,
    configurationFault: messageOf(settings.fault),
    problem: departure.removal ?? problemOf(parts),
    missedRuns,
  };
}

function problemOf({ mixed, mode, settings }: JobStatusParts): string | undefined {
  const { session } = mode;
  return messageOf(settings.problem ?? session?.problem) ?? (session && mixed.problem(session.tree));
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
