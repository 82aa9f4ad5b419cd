import { SetMetadata } from '@nestjs/common';
import { ConfigurationError, type JobName } from '../domain/index.js';
import type { JobEventName, NamedJobEvent } from '../tracing/index.js';

/** Under this key a method carries what it asks for. Text, so that two copies of the package agree. */
const JOB_EVENTS = 'elastic-job:on-job-event';

export interface OnJobEventOptions {
  /** Only of this job, or of these. @default every job */
  readonly job?: JobName | readonly JobName[];
}

/** What a method asks to hear. */
export interface AskedJobEvent {
  readonly name: JobEventName;
  readonly job?: JobName | readonly JobName[];
}

/** Stands on a method that takes the event; anything else does not compile. */
export type OnJobEventDecorator<Name extends JobEventName> = <Method extends (event: NamedJobEvent<Name>) => unknown>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls a provider's method when something happens to a job in this process: `@OnJobEvent('completed')`,
 * `@OnJobEvent('failed', { job: 'settle-orders' })`, or any kind of event, such as `'missed'` or `'leader-elected'`.
 *
 * Nobody waits for it, and what it throws or rejects with is told as an `error` event: to act before and after a run
 * and be waited for, write an `ElasticJobListener`. Several decorators on one method add up. The provider lives as long
 * as the application; start is refused if it is made per request.
 */
export function OnJobEvent<Name extends JobEventName>(
  name: Name,
  { job }: OnJobEventOptions = {},
): OnJobEventDecorator<Name> {
  return (_target, method, { value }) => {
    if (typeof value !== 'function') {
      throw new ConfigurationError(`@OnJobEvent on ${String(method)}`, ['it stands on a property, but needs a method']);
    }
    const below: readonly AskedJobEvent[] = Reflect.getOwnMetadata(JOB_EVENTS, value) ?? [];
    SetMetadata(JOB_EVENTS, [{ name, job } satisfies AskedJobEvent, ...below])(value);
  };
}

/** What a method asks to hear, in the order of its decorators. */
export function jobEventsAskedBy(method: object): readonly AskedJobEvent[] {
  const asked: readonly AskedJobEvent[] = Reflect.getMetadata(JOB_EVENTS, method) ?? [];
  return asked;
}
