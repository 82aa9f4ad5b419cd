import { Injectable } from '@nestjs/common';
import { DiscoveryService, LazyModuleLoader } from '@nestjs/core';
import { assertOptionsObject, ConfigurationError, type JobOptions, messageOf } from '../domain/index.js';
import {
  findProviders,
  type FoundJob,
  type JobMethod,
  methodsOf,
  type ProviderClass,
  providerClassOf,
  type ProviderWrapper,
  staticMethodsOf,
} from './provider-classes.js';
import { assertNotReplaced } from './decorated-methods.js';
import { type Declaration, JOBS, optionsOn, TEMPLATES } from './elastic-job.decorator.js';
import { hasEnhancers } from './handler.factory.js';

/** Finds the decorated methods and classes among the application's providers. */
@Injectable()
export class JobExplorer {
  /** Places that were found, each behind its decorator. */
  private readonly known = new Set<string>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly loader: LazyModuleLoader,
  ) {}

  /** Classes of the application's providers. */
  get providerClasses(): readonly ProviderClass[] {
    return findProviders(this.discovery).map(([, providerClass]) => providerClass);
  }

  /**
   * Every job or template of the application, each once, whatever number of tokens its provider has. Providers of a
   * request-scoped factory are unknown before a request, so their decorators are not found.
   *
   * @throws {ConfigurationError} for a decorator in a wrong place: on a controller, on a static method, on a class
   * without `execute`, with half of a dataflow, or below a decorator that has replaced the method.
   */
  explore(declaration: Declaration): readonly FoundJob[] {
    for (const controller of this.discovery.getControllers()) refuseController(controller, declaration);
    const jobs = findProviders(this.discovery).flatMap(([provider, providerClass]) => [
      ...jobOnClass(provider, providerClass, declaration),
      ...jobsOnMethods(provider, providerClass, declaration),
    ]);
    for (const { place } of jobs) this.known.add(`${declaration.what} ${place}`);
    return jobs;
  }

  /**
   * Warns once of each decorator that has come since they were explored, or comes with a later load. They are too late:
   * Nest calls no start hook for a module that is loaded lazily.
   */
  followLateOnes(warn: (message: string) => void): void {
    this.warnOfLateOnes(warn);
    const { loader } = this;
    const load = loader.load.bind(loader);
    loader.load = async (...given) => {
      const moduleRef = await load(...given);
      this.warnOfLateOnes(warn);
      return moduleRef;
    };
  }

  private warnOfLateOnes(warn: (message: string) => void): void {
    try {
      const before = new Set(this.known);
      for (const declaration of [JOBS, TEMPLATES]) {
        for (const place of new Set(this.explore(declaration).map((job) => job.place)))
          if (!before.has(`${declaration.what} ${place}`)) warn(describeLate(place, declaration));
      }
    } catch (error) {
      // A decorator in a wrong place is the module's fault as well, and must not fail its load.
      warn(messageOf(error));
    }
  }
}

function jobsOnMethods(provider: ProviderWrapper, providerClass: ProviderClass, declaration: Declaration): FoundJob[] {
  for (const [methodName, method] of staticMethodsOf(providerClass)) {
    refuse(declaration, method, `${providerClass.name}.${String(methodName)}`, 'a static method has no provider');
  }
  assertNotReplaced(providerClass, declaration.what);
  return [...methodsOf(providerClass)].flatMap(([methodName, method]) => {
    const place = `${providerClass.name}.${String(methodName)}`;
    return optionsOn(method, declaration).map((options) =>
      found({ provider, providerClass, methodName, method, place, isDataflow: false }, options),
    );
  });
}

/** `execute` is a simple job, `fetchData` and `processData` together are a dataflow. */
function jobOnClass(provider: ProviderWrapper, providerClass: ProviderClass, declaration: Declaration): FoundJob[] {
  const declared = optionsOn(providerClass, declaration);
  const place = providerClass.name;
  const methods = methodsOf(providerClass);
  const isDataflow = methods.has('fetchData');
  const methodName = isDataflow ? 'processData' : 'execute';
  const method = methods.get(methodName);
  const fault = findClassFault(methods);
  if (fault === undefined && method !== undefined) {
    return declared.map((options) =>
      found({ provider, providerClass, methodName, method, place, isDataflow }, options),
    );
  }
  refuse(declaration, providerClass, place, fault ?? `the class has no ${methodName}`);
  return [];
}

/** Finds why a class cannot be a job. */
function findClassFault(methods: ReadonlyMap<string | symbol, JobMethod>): string | undefined {
  const [execute, fetchData, processData] = ['execute', 'fetchData', 'processData'].map((name) => methods.get(name));
  if (execute && (fetchData ?? processData)) {
    return 'a simple job has execute(context), a dataflow job fetchData and processData; the class has some of both';
  }
  if (!fetchData !== !processData) {
    const half = fetchData ? 'fetchData' : 'processData';
    return `a dataflow job has fetchData(context) and processData(context, data), but the class has only ${half}`;
  }
  if (fetchData && processData && [fetchData, processData].some(hasEnhancers)) {
    return 'enhancers on fetchData or processData would not be called; set them on the class, around the whole run';
  }
  return (execute ?? fetchData)
    ? undefined
    : 'the class has no execute(context); write one, or put the decorator on a method';
}

function found(where: Omit<FoundJob, 'options'>, options: JobOptions): FoundJob {
  assertOptionsObject(where.place, options);
  return { ...where, options: { ...options, name: options.name ?? where.place } };
}

function refuseController(controller: ProviderWrapper, declaration: Declaration): void {
  const controllerClass = providerClassOf(controller);
  if (!controllerClass) return;
  const reason = 'a controller runs no jobs; move it to a provider';
  refuse(declaration, controllerClass, controllerClass.name, reason);
  for (const members of [methodsOf(controllerClass), staticMethodsOf(controllerClass)]) {
    for (const [name, method] of members)
      refuse(declaration, method, `${controllerClass.name}.${String(name)}`, reason);
  }
}

function refuse(declaration: Declaration, carrier: object, place: string, reason: string): void {
  for (const options of optionsOn(carrier, declaration)) {
    assertOptionsObject(place, options);
    const { name = place, cron } = options;
    const declared = cron === undefined ? declaration.what : `${declaration.what} with cron ${JSON.stringify(cron)}`;
    throw new ConfigurationError(`job "${name}" (${place})`, [`${declared}: ${reason}`]);
  }
}

function describeLate(place: string, { what }: Declaration): string {
  return (
    `${place}: its ${what} has no effect, since its module was loaded lazily, after the start; ` +
    'let another module import that module instead'
  );
}
