import type {
  CheckProps,
  ElasticJobListener,
  JobConfiguration,
  ItemWork,
  JobName,
  JobType,
  PropTargets,
  ResolvedTemplateLimits,
  TaskLife,
  TemplateName,
} from '../../domain/index.js';

/** A job as this process declares it, before the registry was asked. */
export interface JobDefinition {
  /** Settings of decorator and module. At start, the registry's `config` node is laid over them. */
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. Two different class names cannot share a job. */
  readonly className: string;
  /** Place of the job's declaration, for messages: `OrderJobs.settle`. */
  readonly place: string;
  readonly handler: ItemWork;
  /** Finds faults in the props of the job's work. @default props are not checked */
  readonly findPropsFaults?: CheckProps;
  /** Props that name the commands or addresses of the job's work. @default none */
  readonly targets?: PropTargets;
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
  /** Called after a run of the handler is settled. @default not called */
  readonly settled?: JobType['settled'];
  /** Called around each run of the job on this instance, in addition to the process's listeners. @default none */
  readonly listeners?: readonly ElasticJobListener[];
  /** For a template and its jobs: limits of the jobs that are created from it. @default none */
  readonly limits?: ResolvedTemplateLimits;
  /**
   * For a job created from a template: the czxid of its root, which tells it from a later job of the same name.
   * @internal
   */
  readonly createdAs?: bigint;
  /** Called when the job may be about to go, or gone. @internal */
  readonly onRootChanged?: () => void;
  /** Called when `config` may have another text, before anything begins with it. @internal */
  readonly onConfigurationChanged?: (text: string | undefined) => void;
}

/** Template from which jobs are created while the cluster runs. */
export interface JobTemplate extends Omit<
  JobDefinition,
  'className' | 'createdAs' | 'onRootChanged' | 'onConfigurationChanged'
> {
  readonly name: TemplateName;
  /**
   * True if this process takes part in the job now. Call `TemplateJobs.findJobsSoon` after the answer has changed.
   * @default it takes part in every job of the template
   */
  readonly admits?: (jobName: JobName) => boolean;
  /** Called when the `config` of a job may have another text, before anything begins with it. @default not called */
  readonly onConfigurationOf?: (jobName: JobName, text: string | undefined) => void;
  /** Settings under the template's name, for everything that the registry does not set for a job. */
  readonly configuration: JobConfiguration;
}
