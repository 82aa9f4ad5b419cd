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
import { CloudForm } from './cloud-form.js';
import { positive } from './cloud-rules.js';
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
