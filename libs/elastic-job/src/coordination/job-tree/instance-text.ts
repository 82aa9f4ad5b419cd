import { findNodeTextFault, interned, type JobInstance, PROTOCOL } from '../../domain/index.js';

/** Written into `labels`, the one field of an instance node that no Java code reads: who carries it is one of ours. */
const LABEL_PREFIX = 'nestjs-elastic-job/';
const INSTANCE_LABEL = `${LABEL_PREFIX}${PROTOCOL}`;
/** Of a label that names none. */
const FIRST_PROTOCOL = 1;
/** What the session node of an instance says that is on its way out; until then it says how far its clock is off. */
export const DRAINING = 'DRAINING';
const PROTOCOL_NUMBER = /^\d{1,9}(?!\d)/;
const OFFSET = /^clock (-?\d{1,15})$/;

/**
 * @param offsetMs how far the instance's clock is ahead of the registry's, in milliseconds; undefined: it cannot say
 */
export function formatClockOffset(offsetMs: number | undefined): string {
  return offsetMs === undefined ? '' : `clock ${offsetMs}`;
}

/** Undefined: the instance has told nothing, or is on its way out. */
export function parseClockOffset(text: string): number | undefined {
  const [, digits] = OFFSET.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** An instance as its node describes it. */
export interface RegisteredInstance extends JobInstance {
  /** False: a Java peer, or something else that does not know our additions. */
  readonly isOurs: boolean;
  /** What it reads and writes, if it is one of ours. */
  readonly protocol?: number;
}

/**
 * Exactly the keys that Java's `JobInstance` knows; a further or a missing one breaks Java readers.
 * Ids and addresses hold nothing that YAML would read differently when plain.
 */
export function formatInstance({ jobInstanceId, serverIp }: JobInstance): string {
  return `jobInstanceId: ${jobInstanceId}\nlabels: ${INSTANCE_LABEL}\nserverIp: ${serverIp}\n`;
}

/** @param jobInstanceId the node's name; the text is asked for label and address only. */
export function parseInstance(jobInstanceId: string, serverIpOfName: string, text: string): RegisteredInstance {
  const isRead = findNodeTextFault(text) === undefined;
  const field = (name: string) => (isRead && new RegExp(`^${name}:(.*)$`, 'm').exec(text)?.[1]?.trim()) || undefined;
  const label = field('labels') ?? '';
  const isOurs = label.startsWith(LABEL_PREFIX);
  return {
    // An instance is the same in all jobs of its process.
    jobInstanceId: interned(jobInstanceId),
    serverIp: interned(field('serverIp') ?? serverIpOfName),
    isOurs,
    protocol: isOurs ? protocolOf(label) : undefined,
  };
}

function protocolOf(label: string): number {
  const [digits] = PROTOCOL_NUMBER.exec(label.slice(LABEL_PREFIX.length)) ?? [];
  return Number(digits) || FIRST_PROTOCOL;
}
