import type { JobName } from '../cluster/index.js';

/**
 * What asked for a run: the schedule, a resident job, whose items run whenever they do not, or an operator's trigger
 * with its id.
 */
export type TriggerOrigin = 'schedule' | 'resident' | `manual:${string}`;

const MANUAL = 'manual:';

/** Why an item runs now; ElasticJob's words. MISFIRE is the source of a target that was never begun in time. */
export type ExecutionSource = 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';

/** What asks for a run of a job. */
export interface Trigger {
  readonly jobName: JobName;
  /** The instant this run stands for: as scheduled, or when it was asked for. In milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  readonly source: ExecutionSource;
  /** What an operator has passed along. */
  readonly parameters?: string;
}

/** The unit of "once", together with job and item. */
export interface Target {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  /** An operator's; kept with the target so that a failover runs with them as well. They do not tell targets apart. */
  readonly parameters?: string;
}

/** The origin of what an operator has asked for. @param id the same for all instances that were asked */
export function manualOrigin(id: string): TriggerOrigin {
  return `${MANUAL}${id}`;
}

/** The id of an operator's trigger; undefined if nobody has asked. */
export function triggerIdOf(origin: TriggerOrigin): string | undefined {
  return origin.startsWith(MANUAL) ? origin.slice(MANUAL.length) : undefined;
}

export function isSameTarget(a: Target, b: Target): boolean {
  return a.fireTime === b.fireTime && a.origin === b.origin;
}
