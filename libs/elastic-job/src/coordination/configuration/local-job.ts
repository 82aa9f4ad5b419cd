import type {
  CheckProps,
  JobConfiguration,
  JobName,
  PropTargets,
  ResolvedTemplateLimits,
  TaskLife,
} from '../../domain/index.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** For a job created from a template: the czxid of its root, which tells it from a later job of the same name. */
  readonly createdAs?: bigint;
  /** Place of the job's declaration, for messages: `OrderJobs.settle`. */
  readonly place: string;
  /** Finds faults in the props of the job's work, which make settings unusable. */
  readonly findPropsFaults?: CheckProps;
  /** For a job created from a template: settings beyond these limits are unusable. @default none */
  readonly limits?: ResolvedTemplateLimits;
  /** Props that decide what the job's work runs. @default none */
  readonly targets?: PropTargets;
  /** Types of its listeners that distribute once. @default none */
  readonly onceListenerTypes?: readonly string[];
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
}

/** Checks a job's total. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;
