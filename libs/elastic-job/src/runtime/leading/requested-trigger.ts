import { parseTriggerRequest } from '../../coordination/index.js';
import { manualOrigin, type Trigger } from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';

/** Trigger of an operator's request. Java's request has no text, so each instance then uses an id of its own. */
export function requestedTrigger(jobName: string, { data, stat }: RegistryNode): Trigger {
  const { id, parameters } = parseTriggerRequest(data) ?? { id: stat.czxid.toString(), parameters: undefined };
  return { jobName, fireTime: stat.ctime, origin: manualOrigin(id), source: 'NORMAL_TRIGGER', parameters };
}
