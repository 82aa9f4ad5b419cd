import { publicCalls } from '../../async-context/index.js';
import {
  flag,
  hiddenProps,
  JOB_SETTINGS,
  type JobName,
  oneOf,
  type OptionRow,
  text,
  wholeNumber,
} from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import { CloudForm, positive } from './cloud-form.js';
import { CloudNodes, type StoredCloudNode } from './cloud-nodes.js';
import { CLOUD_PATHS } from './cloud-paths.js';
import {
  CloudAppDisabledError,
  CloudJobDisabledError,
  CloudJobExistsError,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from './cloud-tree.errors.js';
import { readOwnSettings } from './own-settings.js';

/** TRANSIENT: a task for each fire time; DAEMON: a permanent task that follows the schedule itself. */
export type CloudJobExecutionType = 'TRANSIENT' | 'DAEMON';

const EXECUTION_TYPES = ['TRANSIENT', 'DAEMON'] as const satisfies readonly CloudJobExecutionType[];

/**
 * A job of ElasticJob-Cloud. An undefined text has no entry in the node; an empty one has an entry.
 * @see ElasticJob-Cloud 3.0.2, `CloudJobConfigurationPOJO`
 */
export interface CloudJobConfiguration {
  readonly appName: string;
  /** Processors of one task. */
  readonly cpuCount: number;
  /** Mebibytes of one task. */
  readonly memoryMB: number;
  readonly jobExecutionType: CloudJobExecutionType;
  readonly jobName: JobName;
  readonly cron: string | undefined;
  readonly shardingTotalCount: number;
  readonly shardingItemParameters: string | undefined;
  readonly jobParameter: string | undefined;
  readonly monitorExecution: boolean;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly maxTimeDiffSeconds: number;
  readonly reconcileIntervalMinutes: number;
  readonly jobShardingStrategyType: string | undefined;
  readonly jobExecutorServiceHandlerType: string | undefined;
  readonly jobErrorHandlerType: string | undefined;
  readonly description: string | undefined;
  /** Includes ours, which begin with `elastic-job.io/`. @see readOwnSettings */
  readonly props: Readonly<Record<string, string>>;
  /** ElasticJob-Cloud ignores it; `/state/disable` decides. */
  readonly disabled: boolean;
  readonly overwrite: boolean;
}

/** A job, as an operator registers it. Fields that are left out have ElasticJob-Cloud's defaults. */
export type CloudJobOptions = Pick<
  CloudJobConfiguration,
  'appName' | 'cpuCount' | 'jobExecutionType' | 'jobName' | 'memoryMB' | 'shardingTotalCount'
> &
  Partial<CloudJobConfiguration>;

/** Rule and default of each field. */
export const CLOUD_JOB_ROWS = {
  appName: { rule: JOB_SETTINGS.name.rule, required: true },
  cpuCount: { rule: positive(), required: true },
  memoryMB: { rule: positive(), required: true },
  jobExecutionType: { rule: oneOf(EXECUTION_TYPES), required: true },
  jobName: { rule: JOB_SETTINGS.name.rule, required: true },
  cron: { rule: JOB_SETTINGS.cron.rule },
  shardingTotalCount: { rule: JOB_SETTINGS.shardingTotalCount.rule, required: true },
  shardingItemParameters: { rule: JOB_SETTINGS.shardingItemParameters.rule },
  jobParameter: { rule: text() },
  monitorExecution: { rule: flag(), default: false },
  failover: { rule: flag(), default: false },
  misfire: { rule: flag(), default: false },
  maxTimeDiffSeconds: { rule: wholeNumber(), default: 0 },
  reconcileIntervalMinutes: { rule: wholeNumber(), default: 0 },
  jobShardingStrategyType: { rule: text() },
  jobExecutorServiceHandlerType: { rule: text() },
  jobErrorHandlerType: { rule: text() },
  description: { rule: text() },
  props: { rule: JOB_SETTINGS.props.rule, default: {} },
  disabled: { rule: flag(), default: false },
  overwrite: { rule: flag(), default: false },
} as const satisfies Readonly<Record<keyof CloudJobConfiguration, OptionRow>>;

/** Form of the nodes of jobs. */
export const CLOUD_JOB_FORM = new CloudForm<CloudJobConfiguration>({
  rows: CLOUD_JOB_ROWS,
  of: 'a cloud job',
  name: 'jobName',
  read: (node) => ({
    appName: node.text('appName'),
    cpuCount: node.double('cpuCount'),
    memoryMB: node.double('memoryMB'),
    jobExecutionType: node.oneOf('jobExecutionType', EXECUTION_TYPES),
    jobName: node.text('jobName'),
    cron: node.text('cron'),
    shardingTotalCount: node.integerOr('shardingTotalCount', []),
    shardingItemParameters: node.text('shardingItemParameters'),
    jobParameter: node.text('jobParameter'),
    monitorExecution: node.boolean('monitorExecution'),
    failover: node.boolean('failover'),
    misfire: node.boolean('misfire'),
    maxTimeDiffSeconds: node.integerOr('maxTimeDiffSeconds', []),
    reconcileIntervalMinutes: node.integerOr('reconcileIntervalMinutes', []),
    jobShardingStrategyType: node.text('jobShardingStrategyType'),
    jobExecutorServiceHandlerType: node.text('jobExecutorServiceHandlerType'),
    jobErrorHandlerType: node.text('jobErrorHandlerType'),
    description: node.text('description'),
    props: hiddenProps(node.looseTexts('props')),
    disabled: node.boolean('disabled'),
    overwrite: node.boolean('overwrite'),
  }),
  findFaults,
});

function findFaults({ cron, jobExecutionType, props }: CloudJobConfiguration): readonly string[] {
  const isWithoutTimes = jobExecutionType === 'TRANSIENT' && !cron;
  const missing = isWithoutTimes ? ['cron must be given for a job of type "TRANSIENT"'] : [];
  return [...missing, ...readOwnSettings(props).problems];
}

/** The registered jobs. @see ElasticJob-Cloud 3.0.2, `ProducerManager` */
@publicCalls()
export class CloudJobs {
  private readonly nodes: CloudNodes<CloudJobConfiguration>;

  constructor(private readonly registry: RegistryCenter) {
    this.nodes = new CloudNodes(registry, {
      form: CLOUD_JOB_FORM,
      root: CLOUD_PATHS.jobs,
      disabledRoot: CLOUD_PATHS.disabledJobs,
      unknown: (name) => new UnknownCloudJobError(name),
    });
  }

  /**
   * Registers a job. Java also accepts one of a disabled application.
   * @throws {ConfigurationError} @throws {UnknownCloudAppError} @throws {CloudAppDisabledError}
   * @throws {CloudJobDisabledError} @throws {CloudJobExistsError}
   */
  async add(options: CloudJobOptions): Promise<void> {
    const job = CLOUD_JOB_FORM.resolve(options);
    const { appName, jobName } = job;
    const [appDisabled, jobDisabled] = await this.registry.readMany([
      CLOUD_PATHS.disabledApp(appName),
      CLOUD_PATHS.disabledJob(jobName),
    ]);
    if (jobDisabled !== undefined) throw new CloudJobDisabledError(jobName);
    if (appDisabled !== undefined) throw new CloudAppDisabledError(appName, jobName);
    const result = await this.nodes.create(jobName, job, [appOf(job)]);
    if (result.kind === 'committed') return;
    throw result.index === 0 ? new UnknownCloudAppError(appName) : new CloudJobExistsError(jobName);
  }

  /**
   * Changes a job. Java accepts an unknown application.
   * @throws {ConfigurationError} @throws {UnknownCloudAppError} @throws {UnknownCloudJobError}
   */
  async update(options: CloudJobOptions): Promise<void> {
    const job = CLOUD_JOB_FORM.resolve(options);
    const { kind } = await this.nodes.replace(job.jobName, job, [appOf(job)]);
    if (kind === 'refused') throw new UnknownCloudAppError(job.appName);
  }

  /** Removes a job, and its mark of being disabled. @returns false if there was no such job */
  remove(jobName: JobName): Promise<boolean> {
    return this.nodes.remove(jobName);
  }

  /** @returns the jobs of the application, as far as they could be read */
  async removeAllOf(appName: string): Promise<readonly JobName[]> {
    const ofApp = (await this.readAll()).filter(({ configuration }) => configuration?.appName === appName);
    for (const { name } of ofApp) await this.remove(name);
    return ofApp.map(({ name }) => name);
  }

  /** Reads a job; undefined if there is none. One request. */
  read(jobName: JobName): Promise<StoredCloudNode<CloudJobConfiguration> | undefined> {
    return this.nodes.read(jobName);
  }

  /** All jobs, in the order of their names. */
  readAll(): Promise<readonly StoredCloudNode<CloudJobConfiguration>[]> {
    return this.nodes.readAll();
  }

  /** Disables the job: from now on it is not scheduled. Idempotent. @throws {UnknownCloudJobError} */
  disable(jobName: JobName): Promise<void> {
    return this.nodes.disable(jobName);
  }

  /** Enables the job. Idempotent. @throws {UnknownCloudJobError} */
  enable(jobName: JobName): Promise<void> {
    return this.nodes.enable(jobName);
  }
}

function appOf({ appName }: CloudJobConfiguration): Operation {
  return { kind: 'check', path: CLOUD_PATHS.app(appName) };
}
