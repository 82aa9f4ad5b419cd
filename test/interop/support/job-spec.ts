/** A job's configuration under Java's names. All fields are given, because Java reads an absent boolean as false. */
export interface JobSpec {
  readonly jobName: string;
  /** Undefined: a one-off job. */
  readonly cron?: string;
  readonly shardingTotalCount: number;
  readonly shardingItemParameters: string;
  readonly jobParameter: string;
  readonly monitorExecution: boolean;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly maxTimeDiffSeconds: number;
  readonly reconcileIntervalMinutes: number;
  readonly jobShardingStrategyType?: string;
  readonly jobListenerTypes?: readonly string[];
  readonly description: string;
  readonly props?: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly overwrite: boolean;
}

/** Text of the job's root node, which is the class of the Java peer's handler. All instances must name it. */
export const JOB_CLASS = 'peer.Handler';
/** Type of the Java peer's only listener, which distributes once. Ours has one of each type that a job names. */
export const ONCE_LISTENER = 'INTEROP_ONCE';
export const JOB = 'settle-orders';
const EVERY_SECOND = '* * * * * ?';
/** Fires only when it is triggered by hand. */
export const NEVER = '0 0 0 1 1 ? 2099';

/** The defaults of Java's builder, and those given. */
export function jobSpec(given: Partial<JobSpec> = {}): JobSpec {
  return {
    jobName: JOB,
    cron: EVERY_SECOND,
    shardingTotalCount: 4,
    shardingItemParameters: '',
    jobParameter: '',
    monitorExecution: true,
    failover: false,
    misfire: true,
    maxTimeDiffSeconds: -1,
    reconcileIntervalMinutes: 10,
    description: '',
    disabled: false,
    overwrite: false,
    ...given,
  };
}
