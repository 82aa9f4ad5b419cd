import type { FindPropsFaults, JobConfiguration, JobName, PropTargets, TaskLife } from '../../domain/index.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** Of a job that was created from a template: the czxid of its root, by which a later one of that name is another. */
  readonly createdAs?: bigint;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
  /** What the job's work says of its props: settings with a fault cannot be used. */
  readonly findPropsFaults?: FindPropsFaults;
  /** The props that say what the job's work runs. @default none */
  readonly targets?: PropTargets;
  /** The job's work is done by tasks. @default it is not */
  readonly tasks?: TaskLife;
}

/** What a job's total is judged by. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;
