import { ID_DELIMITER, type JobName } from '../cluster/index.js';

/**
 * Origin of a run: the schedule, a resident job, which restarts its items when they end, an operator's trigger with its
 * id, or a re-run of past fire times with its id.
 */
export type TriggerOrigin = 'schedule' | 'resident' | `manual:${string}` | `rerun:${string}`;

const MANUAL = 'manual:';
const RERUN = 'rerun:';

/**
 * Longest id of an operator's trigger or re-run, in characters. It is limited, since it goes into the records of all
 * items, which are written in one request. Ours is a UUID.
 */
export const LONGEST_TRIGGER_ID = 100;
/** Longest origin, in characters. */
export const LONGEST_ORIGIN = MANUAL.length + LONGEST_TRIGGER_ID;

/** Source of a run, in ElasticJob's words. MISFIRE: a target that was not begun in time. */
export type ExecutionSource = 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';

/** A request for a run of a job. */
export interface Trigger {
  readonly jobName: JobName;
  /** The instant of the run: as scheduled, or as requested. In milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  readonly source: ExecutionSource;
  /** Parameters that the operator has passed. */
  readonly parameters?: string;
}

/** The unit of "once", together with job and item. */
export interface Target {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /**
   * An operator's parameters; kept with the target so that a failover has them as well. They are no part of its
   * identity.
   */
  readonly parameters?: string;
}

/** The origin for an operator's request. @param id the same on all instances that were asked */
export function manualOrigin(id: string): TriggerOrigin {
  return `${MANUAL}${id}`;
}

/** The id of an operator's trigger; undefined for other origins. */
export function triggerIdOf(origin: TriggerOrigin): string | undefined {
  return origin.startsWith(MANUAL) ? origin.slice(MANUAL.length) : undefined;
}

/** The origin of the runs of a re-run. @param id the name of its node */
export function rerunOrigin(id: string): TriggerOrigin {
  return `${RERUN}${id}`;
}

/** The id of a re-run; undefined for other origins. */
export function rerunIdOf(origin: TriggerOrigin): string | undefined {
  return origin.startsWith(RERUN) ? origin.slice(RERUN.length) : undefined;
}

/** The id of what an operator has asked for, a trigger or a re-run; undefined for other origins. */
export function requestIdOf(origin: TriggerOrigin): string | undefined {
  return triggerIdOf(origin) ?? rerunIdOf(origin);
}

export function isSameTarget(a: Target, b: Target): boolean {
  return a.fireTime === b.fireTime && a.origin === b.origin;
}

/** Items that this instance should run for a trigger: its own, except disabled ones and those under failover. */
export interface ShardAssignment {
  readonly trigger: Trigger;
  /** Ascending. */
  readonly items: readonly number[];
}

/**
 * Names the run of one instance for one trigger. Its state is always READY, whatever the source; without items that
 * part is empty.
 * @param items ascending
 * @see ElasticJob, `TaskContext`
 */
export function formatTaskId(jobName: JobName, items: readonly number[], instanceId: string): string {
  return [jobName, items.join(','), 'READY', instanceId].join(ID_DELIMITER);
}

/** The `ip` part of the instance in a task id; ElasticJob's slave id. */
export function serverIpOfTask(taskId: string): string {
  return taskId.split(ID_DELIMITER)[3] ?? '';
}

/** The instance in a task id. */
export function instanceOfTask(taskId: string): string {
  return taskId.split(ID_DELIMITER).slice(3).join(ID_DELIMITER);
}
