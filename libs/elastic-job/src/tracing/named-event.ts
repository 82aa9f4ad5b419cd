import { findNearestName, type JobName, type SettledOutcome, show } from '../domain/index.js';
import { JOB_EVENTS } from './job-event.catalogue.js';
import type { JobEvent } from './job-event.js';

/**
 * Names under which listeners subscribe: the kinds of events and, for `settled`, `completed` for an item that has
 * succeeded, and `failed` for one whose handler threw or took too long.
 */
export type JobEventName = JobEvent['kind'] | 'completed' | 'failed';

/** @returns the fault of a name that a user has given, as a text; undefined if there is such an event */
export function findNameFault(name: unknown): string | undefined {
  const names: readonly unknown[] = NAMES;
  if (names.includes(name)) return undefined;
  const meant = typeof name === 'string' ? findNearestName(name, NAMES) : undefined;
  const hint = meant === undefined ? `known are ${NAMES.join(', ')}` : `did you mean "${meant}"?`;
  return `${show(name)} is no event; ${hint}`;
}

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

const NAMES: readonly string[] = [...Object.keys(JOB_EVENTS), ...Object.keys(OUTCOMES)];

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
