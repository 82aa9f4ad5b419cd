import { Injectable, SetMetadata } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  ConfigurationError,
  findNearestName,
  type JobName,
  type OptionRow,
  OptionTable,
  rule,
} from '../domain/index.js';
import {
  findNameFault,
  isNamed,
  type JobEvent,
  type JobEventName,
  JobEvents,
  jobNameOf,
  type NamedJobEvent,
} from '../tracing/index.js';
import { assertApplied, assertNotReplaced, noteDecorated } from './decorated-methods.js';
import {
  callMethod,
  findProviders,
  methodsOf,
  type ProviderClass,
  providerClassOf,
  type ProviderWrapper,
  staticMethodsOf,
} from './provider-classes.js';

/** Key under which a method carries its subscriptions. Text, so that two copies of the package agree. */
const JOB_EVENTS = 'elastic-job:on-job-event';
/** The decorator as it is written in code. */
const ON_JOB_EVENT = '@OnJobEvent';

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
interface AskedJobEvent {
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
 * Calls a provider's method on events of jobs in this process: `@OnJobEvent('completed')`,
 * `@OnJobEvent('failed', { job: 'settle-orders' })`, or any kind of event, such as `'missed'` or `'leader-elected'`.
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
function jobEventsAskedBy(method: object): readonly AskedJobEvent[] {
  const asked: readonly AskedJobEvent[] = Reflect.getMetadata(JOB_EVENTS, method) ?? [];
  return asked;
}

/** Finds the methods with `@OnJobEvent` among the application's providers, and calls them. */
@Injectable()
export class JobEventExplorer {
  private readonly listening: (() => void)[] = [];
  /** Jobs that methods name, with the first of these methods. */
  private readonly named = new Map<JobName, string>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly events: JobEvents,
  ) {}

  /** Starts the delivery of events. @throws {ConfigurationError} for a decorator on a method that cannot be called */
  open(): void {
    for (const controller of this.discovery.getControllers()) refuseController(controller);
    for (const [provider, providerClass] of findProviders(this.discovery)) {
      refuseStatic(providerClass);
      assertNotReplaced(providerClass, ON_JOB_EVENT);
      for (const [name, method] of methodsOf(providerClass)) {
        this.listen(provider, name, jobEventsAskedBy(method), `${providerClass.name}.${String(name)}`);
      }
    }
  }

  close(): void {
    for (const stopListening of this.listening.splice(0)) stopListening();
  }

  /** Warnings of jobs that methods name, and that are not among the known ones. One for each name. */
  findUnknown(known: readonly JobName[]): readonly string[] {
    const unknown = [...this.named].filter(([jobName]) => !known.includes(jobName));
    return unknown.map(([jobName, place]) => {
      const nearest = findNearestName(jobName, known);
      const warning =
        `${place}: its ${ON_JOB_EVENT} names the job "${jobName}", which this process does not have, so it hears ` +
        'nothing of it unless that job is added later, by JobRegistrar or from a template';
      return nearest === undefined ? warning : `${warning}; did you mean "${nearest}"?`;
    });
  }

  private listen(provider: ProviderWrapper, name: string | symbol, asked: readonly AskedJobEvent[], place: string) {
    if (asked.length === 0) return;
    if (provider.isTransient || !provider.isDependencyTreeStatic()) {
      refuse(asked, place, 'its provider is made per request or per consumer, and an event has neither');
    }
    for (const jobName of asked.flatMap(({ job }) => job ?? [])) {
      if (!this.named.has(jobName)) this.named.set(jobName, place);
    }
    const instance: object = provider.instance;
    // Called once per event, even if several decorators match.
    const hear = (event: JobEvent) =>
      asked.some((one) => isAskedFor(one, event)) ? callMethod(instance, name, place, [event]) : undefined;
    this.listening.push(this.events.on(hear, place));
  }
}

function isAskedFor({ name, job }: AskedJobEvent, event: JobEvent): boolean {
  if (!isNamed(event, name)) return false;
  if (job === undefined) return true;
  const about = jobNameOf(event);
  return about !== undefined && [job].flat().includes(about);
}

function refuseStatic(providerClass: ProviderClass): void {
  for (const [name, method] of staticMethodsOf(providerClass)) {
    refuse(jobEventsAskedBy(method), `${providerClass.name}.${String(name)}`, 'a static method has no provider');
  }
}

function refuseController(controller: ProviderWrapper): void {
  const controllerClass = providerClassOf(controller);
  if (!controllerClass) return;
  for (const [name, method] of methodsOf(controllerClass)) {
    const place = `${controllerClass.name}.${String(name)}`;
    refuse(jobEventsAskedBy(method), place, 'a controller hears no events of jobs; move it to a provider');
  }
}

function refuse(asked: readonly AskedJobEvent[], place: string, reason: string): void {
  for (const { name } of asked) throw new ConfigurationError(place, [`@OnJobEvent("${name}"): ${reason}`]);
}
