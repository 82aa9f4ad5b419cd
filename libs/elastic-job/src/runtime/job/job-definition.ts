import type {
  ElasticJobListener,
  FindPropsFaults,
  JobConfiguration,
  ItemWork,
  JobName,
  JobType,
  PropTargets,
  TaskLife,
  TemplateName,
} from '../../domain/index.js';

/** A job as this process knows it, before the registry has been asked. */
export interface JobDefinition {
  /** What decorator and module say; the registry's `config` node is laid over it at start. */
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. Two different ones cannot share a job. */
  readonly className: string;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
  readonly handler: ItemWork;
  /** What the job's work says of its props. @default they are nobody's business */
  readonly findPropsFaults?: FindPropsFaults;
  /** The props that say what the job's work runs. @default none */
  readonly targets?: PropTargets;
  /** The job's work is done by tasks. @default it is not */
  readonly tasks?: TaskLife;
  /** Called after a run of the handler is settled. @default nobody is */
  readonly settled?: JobType['settled'];
  /** Called around each run of the job on this instance, with those of the process. @default none */
  readonly listeners?: readonly ElasticJobListener[];
  /**
   * Of a job that was created from a template: the czxid of its root, by which a later one of that name is another.
   * @internal
   */
  readonly createdAs?: bigint;
  /** Called when the job may be on its way out, or gone. @internal */
  readonly onRootChanged?: () => void;
  /** Called when `config` may have another text, before anything begins by it. @internal */
  readonly onConfigurationChanged?: (text: string | undefined) => void;
}

/** What jobs are created from while the cluster runs. */
export interface JobTemplate extends Omit<
  JobDefinition,
  'className' | 'createdAs' | 'onRootChanged' | 'onConfigurationChanged'
> {
  readonly name: TemplateName;
  /**
   * True if this process takes part in the job now. After it has changed, `TemplateJobs.findJobsSoon` is to be called.
   * @default it takes part in every job of the template
   */
  readonly admits?: (jobName: JobName) => boolean;
  /** Called when the `config` of a job may have another text, before anything begins by it. @default nobody is */
  readonly onConfigurationOf?: (jobName: JobName, text: string | undefined) => void;
  /** Under the template's name. What the registry does not say of a job is as it says. */
  readonly configuration: JobConfiguration;
}
