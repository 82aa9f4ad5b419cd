import { type Redact, redactOutcome, redactThrown, redactTrigger, type Trigger } from '../domain/index.js';
import type { EventOf } from './job-event.catalogue.js';
import type { JobEvent } from './job-event.js';

type FieldsOf<Event> = Omit<Event, 'kind'>;

/** Makes the value that sinks get for a field. */
type Shown<Value> = (value: Value, redact: Redact) => Value;

/** Each field of each kind of event. A new kind, or a new field, does not compile before it stands in the table. */
type ShownFields = {
  readonly [Kind in JobEvent['kind']]: {
    readonly [Field in keyof FieldsOf<EventOf<Kind>>]-?: Shown<FieldsOf<EventOf<Kind>>[Field]>;
  };
};

/** Names of jobs, instances and tasks, numbers, and words of a fixed list. */
const kept = <Value>(value: Value): Value => value;
const text = (value: string, redact: Redact): string => redact(value);
const note = (value: string | undefined, redact: Redact): string | undefined => value && redact(value);
const texts = (value: readonly string[], redact: Redact): readonly string[] => value.map(redact);
const thrown = (value: unknown, redact: Redact): unknown => redactThrown(value, redact);
const failures = (value: ReadonlyMap<number, unknown>, redact: Redact): ReadonlyMap<number, unknown> =>
  new Map([...value].map(([item, failure]) => [item, redactThrown(failure, redact)]));

const trigger = redactTrigger;
const TRIGGERED = { trigger, taskId: kept, items: kept };
const TASK = { jobName: kept, item: kept, task: kept };
const ITEMS = { jobName: kept, items: kept };

const SHOWN: ShownFields = {
  session: { state: kept, sessionId: kept, timeoutMs: kept },
  joined: { jobName: kept, instanceId: kept },
  left: { jobName: kept, instanceId: kept, isSessionLost: kept },
  'leader-elected': { jobName: kept, instanceId: kept, term: kept },
  resharded: { jobName: kept, assignment: kept, moves: kept, cause: kept },
  'sharding-timeout': { jobName: kept, fireTime: kept },
  'trigger-requested': { trigger },
  'cancel-requested': { jobName: kept, item: kept },
  triggered: TRIGGERED,
  skipped: { trigger, reason: text },
  refused: { trigger, items: kept, cause: text },
  postponed: { trigger, items: kept },
  begun: { ...TRIGGERED, begins: kept },
  started: { trigger, taskId: kept, item: kept, attempt: kept, latenessMs: kept },
  late: { trigger, latenessMs: kept, lateAfterMs: kept, count: kept },
  settled: { trigger, taskId: kept, item: kept, outcome: redactOutcome, durationMs: kept, begin: kept },
  finished: { ...TRIGGERED, failures },
  hung: { trigger, item: kept, listener: kept, since: kept, reason: thrown, isReleased: kept },
  misfired: { jobName: kept, taskId: kept, items: kept },
  missed: { ...ITEMS, fireTime: kept, since: kept, count: kept, reason: kept },
  early: { ...ITEMS, fireTime: kept },
  clock: { state: kept, offsetMs: kept },
  'settle-delayed': { ...ITEMS, since: kept, error: thrown },
  'mark-released': { jobName: kept, item: kept, marks: kept, run: kept },
  orphaned: ITEMS,
  'cut-short': { ...ITEMS, fireTime: kept, reason: kept },
  'failover-overflow': ITEMS,
  'failover-purged': ITEMS,
  'executor-died': { trigger, item: kept, state: kept, requeue: kept },
  'task-launched': TASK,
  'task-adopted': TASK,
  'task-queued': { ...TASK, detail: note },
  'task-state': { ...TASK, state: kept, detail: note, startedAfterMs: kept },
  'task-lost': { ...TASK, state: kept, detail: note },
  'task-released': { ...TASK, tail: note },
  claimed: { ...ITEMS, source: kept },
  'server-switched': { jobName: kept, serverIp: kept, status: kept },
  mixed: { jobName: kept, peers: kept, unshareable: texts },
  'dependency-not-met': { jobName: kept, parent: kept, fireTime: kept, reason: kept },
  'parents-away': { jobName: kept, parents: kept },
  'configuration-differs': {
    jobName: kept,
    edited: kept,
    differences: texts,
    agreed: texts,
    total: kept,
    count: kept,
    isRefused: kept,
    overwrite: kept,
  },
  'configuration-changed': { jobName: kept, fields: texts, at: kept, count: kept },
  'history-dropped': { sink: kept, count: kept, since: kept },
  retrying: { trigger, item: kept, attempt: kept, error: thrown, delayMs: kept },
  unanswered: { counts: kept, error: thrown },
  'error-handler-failed': { jobName: kept, type: kept, error: thrown },
  warning: { jobName: kept, message: text },
  error: { jobName: kept, message: text, error: thrown },
};

/**
 * Makes a function that gives the event for sinks: errors, reasons, messages, outputs and parameters are redacted,
 * names and numbers are not. Events of one run have the same trigger, before and after.
 */
export function eventRedaction(redact: Redact): (event: JobEvent) => JobEvent {
  const triggers = new WeakMap<Trigger, Trigger>();
  const shownOnce = (value: Trigger): Trigger => {
    const shown = triggers.get(value) ?? redactTrigger(value, redact);
    triggers.set(value, shown);
    return shown;
  };
  return (event) => {
    const shown = shownFieldsOf(event, redact);
    return 'trigger' in event && 'trigger' in shown ? { ...shown, trigger: shownOnce(event.trigger) } : shown;
  };
}

/** Fields that are not in the table are left out. */
function shownFieldsOf(event: JobEvent, redact: Redact): JobEvent {
  const rules: object = SHOWN[event.kind];
  const shown = { ...event };
  for (const [name, value] of Object.entries<unknown>(event)) {
    if (name === 'kind') continue;
    const rule: Shown<unknown> | undefined = Object.hasOwn(rules, name) ? Reflect.get(rules, name) : undefined;
    if (rule === undefined) Reflect.deleteProperty(shown, name);
    else Reflect.set(shown, name, rule(value, redact));
  }
  return shown;
}
