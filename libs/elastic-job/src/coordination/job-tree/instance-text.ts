import type { JobInstance } from '../../domain/index.js';

/** Written into `labels`, the one field of an instance node that no Java code reads: who carries it is one of ours. */
export const INSTANCE_LABEL = 'nestjs-elastic-job/1';
const LABEL_PREFIX = 'nestjs-elastic-job/';
/** What the session node of an instance says that is on its way out; until then it is empty. */
export const DRAINING = 'DRAINING';

/** An instance as its node describes it. */
export interface RegisteredInstance extends JobInstance {
  /** False: a Java peer, or something else that does not know our additions. */
  readonly isOurs: boolean;
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
  const field = (name: string) => new RegExp(`^${name}: *(.+?) *$`, 'm').exec(text)?.[1];
  return {
    jobInstanceId,
    serverIp: field('serverIp') ?? serverIpOfName,
    isOurs: field('labels')?.startsWith(LABEL_PREFIX) ?? false,
  };
}
