import type { JobName, SettledOutcome } from '../domain/index.js';
import type { JobEvent } from './job-event.js';

/**
 * What a listener may ask for: a kind of event, or, of `settled`, what most people want to know: `completed` is an item
 * that has succeeded, `failed` one whose handler threw or took too long.
 */
export type JobEventName = JobEvent['kind'] | 'completed' | 'failed';

/** The event that somebody hears who asks for the name. */
export type NamedJobEvent<Name extends JobEventName> = Name extends 'completed'
  ? Extract<JobEvent, { kind: 'settled' }> & { readonly outcome: Extract<SettledOutcome, { kind: 'succeeded' }> }
  : Name extends 'failed'
    ? Extract<JobEvent, { kind: 'settled' }> & { readonly outcome: Extract<SettledOutcome, { kind: 'failed' }> }
    : Extract<JobEvent, { kind: Name }>;

const OUTCOMES: Readonly<Partial<Record<JobEventName, SettledOutcome['kind']>>> = {
  completed: 'succeeded',
  failed: 'failed',
};

export function isNamed<Name extends JobEventName>(event: JobEvent, name: Name): event is NamedJobEvent<Name> {
  const outcome = OUTCOMES[name];
  if (outcome === undefined) return event.kind === name;
  return event.kind === 'settled' && event.outcome.kind === outcome;
}

/** The job that an event is about; undefined if it is about none, or about several. */
export function jobNameOf(event: JobEvent): JobName | undefined {
  if ('jobName' in event) return event.jobName;
  return 'trigger' in event ? event.trigger.jobName : undefined;
}
