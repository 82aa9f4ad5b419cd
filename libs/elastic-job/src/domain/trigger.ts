/** The text that names a job everywhere: in the registry, in logs and as the first argument of every service. */
export type JobName = string;

/** What asked for a run: the schedule, or an operator's trigger with its id. */
export type TriggerOrigin = 'schedule' | `manual:${string}`;

/** Why an item runs now; ElasticJob's words. MISFIRE is the source of a target that was never begun in time. */
export type ExecutionSource = 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';

/** One instant at which a job is due. */
export interface Trigger {
  readonly jobName: JobName;
  /** The scheduled instant this run stands for, in milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
  readonly source: ExecutionSource;
}

/** The unit of "once", together with job and item. */
export interface Target {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly origin: TriggerOrigin;
}

export function isSameTarget(a: Target, b: Target): boolean {
  return a.fireTime === b.fireTime && a.origin === b.origin;
}
