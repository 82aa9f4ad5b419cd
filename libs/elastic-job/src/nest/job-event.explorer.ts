import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ConfigurationError, findNearestName, type JobName } from '../domain/index.js';
import { isNamed, jobNameOf, type JobEvent, JobEvents } from '../tracing/index.js';
import { callMethod, methodsOf, providerClassOf, staticMethodsOf } from './class-members.js';
import { findReplaced } from './decorated-methods.js';
import type { ProviderClass, ProviderWrapper } from './found-job.js';
import { findProviders } from './found-providers.js';
import { type AskedJobEvent, jobEventsAskedBy, ON_JOB_EVENT } from './on-job-event.decorator.js';

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
      refuseReplaced(providerClass);
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

function refuseReplaced(providerClass: ProviderClass): void {
  for (const [name, fault] of findReplaced(providerClass, ON_JOB_EVENT)) {
    throw new ConfigurationError(`${providerClass.name}.${String(name)}`, [fault]);
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
