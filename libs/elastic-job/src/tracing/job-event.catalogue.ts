import { findNearestName, type JobName, type SettledOutcome, show } from '../domain/index.js';
import type { JobEvent } from './job-event.js';

export type EventOf<Kind extends JobEvent['kind']> = Extract<JobEvent, { readonly kind: Kind }>;

/** Description of each event, in one line. An event without one does not compile. */
export const JOB_EVENTS: Readonly<Record<JobEvent['kind'], string>> = {
  session: "the registry session's state has changed",
  joined: 'this instance is registered under the job',
  left: 'this instance is not registered under the job any more: it has left, or has lost its session',
  'leader-elected': 'this instance leads the job',
  resharded: 'this instance, as leader, has committed a new plan',
  'sharding-timeout': 'the leader has not resharded in time; the trigger goes on with the last assignment',
  'trigger-requested': 'an operator has asked for a run now, and this instance has taken the request',
  'cancel-requested': 'an operator has cancelled a run of this instance, which is told to stop',
  triggered: 'a trigger has come, and these are the items that this instance has to run',
  skipped: 'the trigger was not run here at all',
  refused: 'items could not be begun, with the cause',
  postponed: "items are busy; they run for the operator's trigger as soon as they are free",
  begun: 'items are begun: marked and recorded as running here',
  started: 'a handler is called for an item',
  late: 'runs of a job have begun more than `lateAfterMs` after they were due; at most once a minute for each job',
  retrying: 'a handler has failed, and its item is tried again',
  settled: "the end of an item's run is recorded",
  finished: 'a lease has ended on this instance: every item that was begun is settled',
  'settle-delayed': 'the ends of runs cannot be recorded in the registry; their items wait for that',
  'mark-released': 'marks of this instance were removed from an item that it does not run',
  hung: 'a handler has not returned although its signal aborted a while ago',
  misfired: 'items still ran when their next trigger came',
  missed: 'items were not begun for a fire time, and will not be',
  early: 'items were begun for a fire time that is still to come: a clock ran ahead',
  clock:
    "this host's clock is ahead of the registry's, so fire times follow the registry's, is behind, or is right again",
  'dependency-not-met': 'a job is not started after its parents for this fire time, with the reason',
  'parents-away': 'jobs after which a job starts do not run, with the reasons; or, with none, they run again',
  orphaned: 'this instance, as leader, has queued the items of crashed instances',
  'cut-short': 'runs of crashed instances were cut short, and are not repeated, with the reason',
  'failover-overflow': 'the failover queue is full: the runs of these items are not repeated',
  'failover-purged': 'waiting items were removed from the failover queue',
  'executor-died': "the process or thread that did an item's work has died",
  'task-launched': 'a task was created for an item',
  'task-adopted': 'this instance follows a task that another one has launched',
  'task-queued': 'the backend has no room for a task yet',
  'task-state': 'a task is in another state',
  'task-lost': 'a task has died by no fault of its own',
  'task-released': 'a task is settled and gone, with the end of its output',
  claimed: 'this instance has taken waiting items over',
  'server-switched': "an operator has disabled or enabled this instance's server",
  mixed: 'Java peers are in the job, with the settings that they cannot share',
  'configuration-differs':
    "the registry's settings, which win, differ from the local ones, or agree again; at most once a minute for a job",
  'configuration-changed':
    'an edit has changed the settings in force; told by the leader, at most once a minute for a job',
  unanswered:
    'triggers or other work had no answer from the registry, counted by job; told each minute, and as it is back',
  'history-dropped': 'a sink has dropped rows because its store was slow or away, or refused them',
  'error-handler-failed': 'an error handler could not deliver a failure',
  warning: 'a condition that an operator should look at',
  error: "work of the scheduler's own has failed",
};

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
