// Names in ElasticJob-Cloud's tree: paths of its nodes, and ids of its tasks.
import { ID_DELIMITER, type JobName } from '../../domain/index.js';

/**
 * Paths of ElasticJob-Cloud's tree, below a namespace of its own. No other file writes them. `/state/takeover` and its
 * latch are ours; `/state/ready`, `/state/running` and `/state/failover` are only read, and emptied, when a namespace
 * is taken over.
 * @see ElasticJob-Cloud 3.0.2, `CloudAppConfigurationNode`, `CloudJobConfigurationNode`, `StateNode` and `HANode`
 */
export const CLOUD_PATHS = {
  config: '/config',
  apps: '/config/app',
  jobs: '/config/job',
  disabled: '/state/disable',
  disabledApps: '/state/disable/app',
  disabledJobs: '/state/disable/job',
  /** A decimal number for each job: its owed runs. */
  ready: '/state/ready',
  /** Task ids by job and item, of daemons only. */
  running: '/state/running',
  /** Task ids by job and item. */
  failover: '/state/failover',
  /** Findings of a takeover for each job, until they have been passed on. */
  takeovers: '/state/takeover',
  /** Curator's latch of the scheduler that passes them on. */
  takeoverLatch: '/state/takeover-latch',
  ha: '/ha',
  frameworkId: '/ha/framework_id',
  /** The lock of ElasticJob-Cloud's leader; its children are the candidates. */
  election: '/ha/election',

  app: (appName: string) => `/config/app/${appName}`,
  job: (jobName: JobName) => `/config/job/${jobName}`,
  disabledApp: (appName: string) => `/state/disable/app/${appName}`,
  disabledJob: (jobName: JobName) => `/state/disable/job/${jobName}`,
  readyJob: (jobName: JobName) => `/state/ready/${jobName}`,
  runningJob: (jobName: JobName) => `/state/running/${jobName}`,
  runningItem: (jobName: JobName, item: number) => `/state/running/${jobName}/${formatMetaInfo(jobName, [item])}`,
  failoverJob: (jobName: JobName) => `/state/failover/${jobName}`,
  failoverItem: (jobName: JobName, item: number) => `/state/failover/${jobName}/${formatMetaInfo(jobName, [item])}`,
  takeover: (jobName: JobName) => `/state/takeover/${jobName}`,
} as const;

/** The slave id of a task that has no machine yet. */
export const UNASSIGNED_SLAVE_ID = 'unassigned-slave';

const EXECUTION_TYPES = ['READY', 'FAILOVER'] as const;
const ITEMS = /^(?:|\d+(?:,\d+)*)$/;

/** READY: begun by its schedule or an operator; FAILOVER: begun again after the death of another task. */
type CloudExecutionType = (typeof EXECUTION_TYPES)[number];

/** The parts of a task id. @see ElasticJob-Cloud 3.0.2, `TaskContext` */
export interface CloudTaskId extends CloudMetaInfo {
  readonly type: CloudExecutionType;
  /** The machine; `unassigned-slave` before it is known. */
  readonly slaveId: string;
  /** Distinguishes the launches of one item. */
  readonly uuid: string;
}

/** Item of a job: the beginning of its task ids, and the name of its nodes. */
interface CloudMetaInfo {
  readonly jobName: JobName;
  /** ElasticJob-Cloud's schedulers write exactly one. */
  readonly items: readonly number[];
}

/** `{job}@-@{items}@-@{READY or FAILOVER}@-@{slaveId}@-@{uuid}` */
export function formatCloudTaskId({ jobName, items, type, slaveId, uuid }: CloudTaskId): string {
  return [formatMetaInfo(jobName, items), type, slaveId, uuid].join(ID_DELIMITER);
}

/** Reads a task id. @returns undefined if the text is none */
export function parseCloudTaskId(text: string): CloudTaskId | undefined {
  const [jobName = '', itemsText = '', typeText, slaveId = '', uuid = '', ...rest] = text.split(ID_DELIMITER);
  const type = EXECUTION_TYPES.find((known) => known === typeText);
  const items = parseItems(itemsText);
  if (jobName === '' || items === undefined || type === undefined || uuid === '' || rest.length > 0) return undefined;
  return { jobName, items, type, slaveId, uuid };
}

/** `{job}@-@{items}` */
export function formatMetaInfo(jobName: JobName, items: readonly number[]): string {
  return [jobName, items.join(',')].join(ID_DELIMITER);
}

/** Reads a meta info, or that of a whole task id. @returns undefined if the text is neither */
export function parseMetaInfo(text: string): CloudMetaInfo | undefined {
  const parts = text.split(ID_DELIMITER);
  const [jobName = '', itemsText = ''] = parts;
  const items = parseItems(itemsText);
  if (![1, 2, 5].includes(parts.length) || jobName === '' || items === undefined) return undefined;
  return { jobName, items };
}

function parseItems(text: string): readonly number[] | undefined {
  if (!ITEMS.test(text)) return undefined;
  return text === '' ? [] : text.split(',').map(Number);
}
