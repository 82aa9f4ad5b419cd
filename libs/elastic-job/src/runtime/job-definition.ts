import type {
  ElasticJobListener,
  FindPropsFaults,
  JobConfiguration,
  JobHandler,
  PropTargets,
} from '../domain/index.js';

/** A job as this process knows it, before the registry has been asked. */
export interface JobDefinition {
  /** What decorator and module say; the registry's `config` node is laid over it at start. */
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. Two different ones cannot share a job. */
  readonly className: string;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
  readonly handler: JobHandler;
  /** What the job's work says of its props. @default they are nobody's business */
  readonly findPropsFaults?: FindPropsFaults;
  /** The props that say what the job's work runs. @default none */
  readonly targets?: PropTargets;
  /** Called around each run of the job on this instance, with those of the process. @default none */
  readonly listeners?: readonly ElasticJobListener[];
}
