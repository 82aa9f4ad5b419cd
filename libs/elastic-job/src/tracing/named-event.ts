import type { JobName, SettledOutcome } from '../domain/index.js';
import type { JobEvent } from './job-event.js';

/**
 * Names under which listeners subscribe: the kinds of events and, for `settled`, `completed` for an item that has
 * succeeded, and `failed` for one whose handler threw or took too long.
 */
export type JobEventName = JobEvent['kind'] | 'completed' | 'failed';

/** The event for a subscribed name. */
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

/** The job of an event; undefined if it concerns none, or several. */
export function jobNameOf(event: JobEvent): JobName | undefined {
  if ('jobName' in event) return event.jobName;
  return 'trigger' in event ? event.trigger.jobName : undefined;
}
