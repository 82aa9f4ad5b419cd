import { SetMetadata } from '@nestjs/common';
import { ConfigurationError, type JobName, type OptionRow, OptionTable, rule } from '../domain/index.js';
import { findNameFault, type JobEventName, type NamedJobEvent } from '../tracing/index.js';
import { assertApplied } from './assert-applied.js';
import { noteDecorated } from './decorated-methods.js';

/** Key under which a method carries its subscriptions. Text, so that two copies of the package agree. */
const JOB_EVENTS = 'elastic-job:on-job-event';
/** The decorator as it is written in code. */
export const ON_JOB_EVENT = '@OnJobEvent';

export interface OnJobEventOptions {
  /** Job or jobs whose events are delivered. @default every job */
  readonly job?: JobName | readonly JobName[];
}

const TABLE = new OptionTable(
  { job: { rule: rule('the name of a job, or a list of such', areNames) } } satisfies Readonly<
    Record<keyof OnJobEventOptions, OptionRow>
  >,
  '@OnJobEvent',
);

function areNames(value: unknown): boolean {
  return [value].flat().every((name) => typeof name === 'string' && name !== '');
}

/** Subscription of a method. */
export interface AskedJobEvent {
  readonly name: JobEventName;
  readonly job?: JobName | readonly JobName[];
}

/** Decorator of a method that takes the event; anything else does not compile. */
export type OnJobEventDecorator<Name extends JobEventName> = <Method extends (event: NamedJobEvent<Name>) => unknown>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls a provider's method on events of jobs in this process: `@OnJobEvent('completed')`, `@OnJobEvent('failed', {
 * job: 'settle-orders' })`, or any kind of event, such as `'missed'` or `'leader-elected'`.
 *
 * Jobs do not wait for it, and its errors are reported as `error` events. A run that it asks for has events as well: a
 * method on `finished` that triggers the same job runs that job for ever. To act before and after a run and be waited
 * for, write an `ElasticJobListener`. Several decorators on one method add up. Start is refused if the provider is made
 * per request.
 * @throws {ConfigurationError} for wrong and unknown options
 */
export function OnJobEvent<Name extends JobEventName>(
  name: Name,
  input: OnJobEventOptions = {},
): OnJobEventDecorator<Name> {
  const { job } = TABLE.checked(`@OnJobEvent("${name}")`, input);
  return (target, method, descriptor) => {
    assertApplied(ON_JOB_EVENT, method);
    const { value } = descriptor;
    if (typeof value !== 'function') {
      const place = `@OnJobEvent on ${placeOf(target, method)}`;
      throw new ConfigurationError(place, ['it stands on a property, but needs a method']);
    }
    const fault = findNameFault(name);
    if (fault !== undefined) throw new ConfigurationError(`@OnJobEvent on ${placeOf(target, method)}`, [fault]);
    const below: readonly AskedJobEvent[] = Reflect.getOwnMetadata(JOB_EVENTS, value) ?? [];
    SetMetadata(JOB_EVENTS, [{ name, job } satisfies AskedJobEvent, ...below])(value);
    noteDecorated(target, { what: ON_JOB_EVENT, method, key: JOB_EVENTS, decorated: value });
  };
}

/** @param target the prototype of the method's class, or the class of a static method */
function placeOf(target: object, method: string | symbol): string {
  const { name } = typeof target === 'function' ? target : target.constructor;
  return `${name}.${String(method)}`;
}

/** Subscriptions of a method, in the order of its decorators. */
export function jobEventsAskedBy(method: object): readonly AskedJobEvent[] {
  const asked: readonly AskedJobEvent[] = Reflect.getMetadata(JOB_EVENTS, method) ?? [];
  return asked;
}
