import type {
  CoordinationServices,
  DelayedSettles,
  JobTree,
  StandingFailure,
  StandingRefusal,
} from '../../coordination/index.js';
import { type AwayParent, hasIdleFailover, type JobName, messageOf } from '../../domain/index.js';
import type { HungHandler } from '../../executor/index.js';
import type { JobDefinition, JobSchedule, JobSettings, MixedJob } from '../settings/index.js';
import type { RunningItems } from '../runs/index.js';
import type { JobDeparture } from './job-departure.js';
import type { JobMode } from './job-presence.js';

/** Status of a job in this process. */
export interface JobStatus {
  readonly jobName: JobName;
  /** True if it is registered in the current session. */
  readonly isJoined: boolean;
  /** True if an operator has disabled this instance's server in the job, as far as the registry has told. */
  readonly isDisabled: boolean;
  /** True if this process is leaving the job: nothing begins here any more, but items may still run. */
  readonly isLeaving: boolean;
  /** The leader's instance id, as far as the registry has told. */
  readonly leader: string | undefined;
  /** Instances without our label: Java peers of the job. */
  readonly mixedWith: readonly string[];
  /** Differences between the registry's `config` node and the local options, one text per field. */
  readonly differences: readonly string[];
  /** True if the registry's `config` node sets failover without `monitorExecution`, so that failover has no effect. */
  readonly isFailoverIdle: boolean;
  /** Milliseconds since the epoch; undefined if paused, not joined, or if the schedule has ended. */
  readonly nextFireTime: number | undefined;
  /** Number of items that run in this process. */
  readonly runningItems: number;
  /** Number of items that are assigned to this instance, without those that are disabled or taken over elsewhere. */
  readonly ownedItems: number;
  /** Number of items that operators have disabled, on whatever instances, as far as the registry has told. */
  readonly disabledItems: number;
  /**
   * Longest time, in milliseconds, for which each run of an owned item has failed here, from its first failure to its
   * last. 0 if no item has failed twice in a row. A new session, and an item that has moved, begin anew.
   */
  readonly failingForMs: number;
  /** Handlers that have not returned although they were aborted, by item. */
  readonly hung: readonly HungHandler[];
  /** Number of items that wait for failover, as far as the registry has told. */
  readonly queuedItems: number;
  /** True if the failover queue has no place for further items. */
  readonly isFailoverQueueFull: boolean;
  /** Ends of runs here that are overdue to be recorded; undefined if there are none. */
  readonly delayedSettles: DelayedSettles | undefined;
  /** Requests that the registry refuses, with the time of the first refusal; undefined if none is refused. */
  readonly refused: StandingRefusal | undefined;
  /** Work for the job that fails here each time it is tried, such as joining or planning; undefined if none does. */
  readonly failing: StandingFailure | undefined;
  /** Error of the registry's `config` node, while the last usable text is in force. */
  readonly configurationFault: string | undefined;
  /** Problem that keeps the job from running here, if any. */
  readonly problem: string | undefined;
  /** True if it was created from a template, and the problem is its settings: it rests, and other jobs run on. */
  readonly isResting: boolean;
  /**
   * Jobs after which it starts and that do not run, as its leader has told: missing ones at once, others after two
   * minutes. Undefined if there is none.
   */
  readonly awayParents?: readonly AwayParent[] | undefined;
  /** Fire times, times items, that this process has reported as missed. */
  readonly missedRuns: number;
}

interface JobStatusParts {
  readonly definition: JobDefinition;
  readonly mode: JobMode;
  readonly departure: JobDeparture;
  readonly settings: JobSettings;
  readonly schedule: JobSchedule;
  readonly running: RunningItems;
  readonly mixed: MixedJob;
  readonly services: Pick<CoordinationServices, 'dependencies' | 'executions' | 'leader'>;
  readonly missedRuns: number;
  readonly joinFailure: StandingFailure | undefined;
}

/** Status from memory, without a request. */
export function statusOf(parts: JobStatusParts): JobStatus {
  const { definition, departure, services, missedRuns, mode, running, schedule, settings } = parts;
  const { tree } = mode.session ?? {};
  const queuedItems = tree?.queue().length ?? 0;
  return {
    jobName: definition.configuration.jobName,
    isJoined: mode.kind === 'registered' && departure.removal === undefined,
    isDisabled: tree?.serverStatus(tree.self.serverIp) === 'DISABLED',
    isLeaving: departure.isLeaving,
    leader: tree?.leader(),
    mixedWith: tree?.peers() ?? [],
    differences: tree === undefined ? [] : settings.differences,
    isFailoverIdle: hasIdleFailover(settings.configuration),
    nextFireTime: schedule.nextFireTime,
    runningItems: running.size,
    ownedItems: tree?.ownItems().length ?? 0,
    disabledItems: tree?.disabledItems ?? 0,
    failingForMs: mode.session?.failingForMs ?? 0,
    hung: running.hung,
    queuedItems,
    isFailoverQueueFull: queuedItems >= settings.configuration.failoverQueueLimit,
    delayedSettles: tree && services.executions.delayedSettles(tree),
    refused: tree?.refusals.oldest,
    failing: tree === undefined && !departure.isLeaving ? parts.joinFailure : tree?.failures.oldest,
    configurationFault: textOf(settings.fault),
    problem: departure.removal ?? problemOf(parts),
    isResting: definition.createdAs !== undefined && settings.problem !== undefined,
    awayParents: tree && away(services, tree),
    missedRuns,
  };
}

// A former leader looks no more.
function away({ dependencies, leader }: JobStatusParts['services'], tree: JobTree): readonly AwayParent[] | undefined {
  const parents = leader.term(tree.jobName) && dependencies.awayParents(tree);
  return parents?.length === 0 ? undefined : parents;
}

function problemOf({ mixed, mode, settings }: JobStatusParts): string | undefined {
  const { session } = mode;
  return textOf(settings.problem ?? session?.problem) ?? (session && mixed.problem(session.tree));
}

function textOf(error: unknown): string | undefined {
  return error === undefined ? undefined : messageOf(error);
}
