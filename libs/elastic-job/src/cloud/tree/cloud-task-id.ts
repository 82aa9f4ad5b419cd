import { ID_DELIMITER, type JobName } from '../../domain/index.js';

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
export interface CloudMetaInfo {
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
