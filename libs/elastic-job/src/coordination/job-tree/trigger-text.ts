import { LONGEST_TRIGGER_ID, readJson } from '../../domain/index.js';

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
