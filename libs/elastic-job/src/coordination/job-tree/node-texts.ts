import {
  ABILITIES,
  findNodeTextFault,
  formatInstanceLabel,
  interned,
  isInstanceId,
  type JobInstance,
  LONGEST_TRIGGER_ID,
  parseInstanceLabel,
  readJson,
  serverIpOf,
} from '../../domain/index.js';
import type { NodeStat, RegistryNode } from '../../registry/index.js';

/** Text in the session node of an instance that is leaving. Before, the node holds the offset of its clock. */
export const DRAINING = 'DRAINING';
/** Shared by all instances of others. */
const NOTHING: readonly string[] = [];
const OFFSET = /^clock (-?\d{1,15})$/;

/** @param offsetMs milliseconds by which the instance's clock is ahead of the registry's; undefined if unknown */
export function formatClockOffset(offsetMs: number | undefined): string {
  return offsetMs === undefined ? '' : `clock ${offsetMs}`;
}

/** Undefined if the instance has reported no offset, or is leaving. */
export function parseClockOffset(text: string): number | undefined {
  const [, digits] = OFFSET.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** An instance as its node describes it. */
export interface RegisteredInstance extends JobInstance {
  /** False for a Java peer, or anything else that does not know our additions. */
  readonly isOurs: boolean;
  /** Protocol that it reads and writes, if it is one of ours. */
  readonly protocol?: number;
  /** Abilities that not all releases have. */
  readonly can: readonly string[];
}

/**
 * Writes exactly the keys of Java's `JobInstance`, since a further or missing key breaks Java readers. Ids and
 * addresses contain nothing that plain YAML would read differently.
 */
export function formatInstance({ jobInstanceId, serverIp, version }: JobInstance): string {
  const label = formatInstanceLabel({ version, can: ABILITIES });
  return `jobInstanceId: ${jobInstanceId}\nlabels: ${label}\nserverIp: ${serverIp}\n`;
}

/**
 * The instance that a node below `instances` stands for; undefined if there is none. Nodes put there by hand are no
 * instances: they make no job mixed and get no items.
 */
export function instanceOf(name: string, node: RegistryNode | undefined): RegisteredInstance | undefined {
  if (node === undefined || !isInstanceId(name) || !isOfSession(node.stat)) return undefined;
  return parseInstance(name, serverIpOf(name), node.data);
}

/** True if the node goes with a session, as those of all instances do, Java's too. */
export function isOfSession({ ephemeralOwner }: NodeStat): boolean {
  return ephemeralOwner !== undefined;
}

/**
 * Frozen, since users' sharding strategies get it, and the job goes on with it.
 * @param jobInstanceId the node's name; only label and address are taken from the text
 */
export function parseInstance(jobInstanceId: string, serverIpOfName: string, text: string): RegisteredInstance {
  const isRead = findNodeTextFault(text) === undefined;
  const field = (name: string) => (isRead && new RegExp(`^${name}:(.*)$`, 'm').exec(text)?.[1]?.trim()) || undefined;
  const label = parseInstanceLabel(field('labels') ?? '');
  return Object.freeze({
    // Interned, since an instance is the same in all jobs of its process.
    jobInstanceId: interned(jobInstanceId),
    serverIp: interned(field('serverIp') ?? serverIpOfName),
    isOurs: label !== undefined,
    protocol: label?.protocol,
    version: label?.version === undefined ? undefined : interned(label.version),
    can: label?.can ?? NOTHING,
  });
}

/** An operator's request to an instance. */
export interface TriggerRequest {
  /** The same id in all requests of one call to several instances, so that they count as one run of the job. */
  readonly id: string;
  /** Passed to the handlers. */
  readonly parameters: string | undefined;
}

/** Text of `trigger/{instance}`. Java's is empty and never read. */
export function formatTriggerRequest({ id, parameters }: TriggerRequest): string {
  return JSON.stringify({ id, parameters });
}

/** @returns undefined if the text is not ours: Java's request, which has neither id nor parameters */
export function parseTriggerRequest(text: string): TriggerRequest | undefined {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, parameters } = value as Partial<Record<keyof TriggerRequest, unknown>>;
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_TRIGGER_ID) return undefined;
  return { id, parameters: typeof parameters === 'string' ? parameters : undefined };
}
