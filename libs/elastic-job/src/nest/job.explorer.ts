import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ConfigurationError, type JobOptions } from '../domain/index.js';
import { methodsOf, providerClassOf, staticMethodsOf } from './class-members.js';
import { jobOptionsOn } from './elastic-job.decorator.js';
import type { FoundJob, JobMethod, ProviderClass, ProviderWrapper } from './found-job.js';
import { findProviders } from './found-providers.js';

/** Finds the decorated methods and classes among the application's providers. */
@Injectable()
export class JobExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Every job of the application, each once, however many tokens lead to its provider. Of providers made by a
   * request-scoped factory nothing is known before a request, so their decorators are not found.
   *
   * @throws {ConfigurationError} for a decorator where no job can be: on a controller, on a static method, on a class
   *   without `execute`.
   */
  explore(): readonly FoundJob[] {
    for (const controller of this.discovery.getControllers()) refuseController(controller);
    return findProviders(this.discovery).flatMap(([provider, providerClass]) => [
      ...jobOnClass(provider, providerClass),
      ...jobsOnMethods(provider, providerClass),
    ]);
  }
}

function jobsOnMethods(provider: ProviderWrapper, providerClass: ProviderClass): FoundJob[] {
  for (const [methodName, method] of staticMethodsOf(providerClass)) {
    refuse(jobOptionsOn(method), `${providerClass.name}.${String(methodName)}`, 'a static method has no provider');
  }
  return [...methodsOf(providerClass)].flatMap(([methodName, method]) => {
    const place = `${providerClass.name}.${String(methodName)}`;
    return jobOptionsOn(method).map((options) =>
      found({ provider, providerClass, methodName, method, place }, options),
    );
  });
}

function jobOnClass(provider: ProviderWrapper, providerClass: ProviderClass): FoundJob[] {
  const declared = jobOptionsOn(providerClass);
  const place = providerClass.name;
  const methods = methodsOf(providerClass);
  const method: JobMethod | undefined = methods.get('execute');
  if (method) {
    return declared.map((options) => found({ provider, providerClass, methodName: 'execute', method, place }, options));
  }
  const isDataflow = methods.has('fetchData') || methods.has('processData');
  refuse(
    declared,
    place,
    isDataflow
      ? 'it has fetchData or processData, but dataflow jobs are not supported by this version; write execute(context)'
      : 'the class has no execute(context); write one, or put the decorator on a method',
  );
  return [];
}

function found(where: Omit<FoundJob, 'options'>, options: JobOptions): FoundJob {
  return { ...where, options: { ...options, name: options.name ?? where.place } };
}

function refuseController(controller: ProviderWrapper): void {
  const controllerClass = providerClassOf(controller);
  if (!controllerClass) return;
  const reason = 'a controller runs no jobs; move it to a provider';
  refuse(jobOptionsOn(controllerClass), controllerClass.name, reason);
  for (const members of [methodsOf(controllerClass), staticMethodsOf(controllerClass)]) {
    for (const [name, method] of members)
      refuse(jobOptionsOn(method), `${controllerClass.name}.${String(name)}`, reason);
  }
}

function refuse(declared: readonly JobOptions[], place: string, reason: string): void {
  for (const { name = place, cron } of declared) {
    throw new ConfigurationError(`job "${name}" (${place})`, [
      `@ElasticJob with cron ${JSON.stringify(cron)}: ${reason}`,
    ]);
  }
}
