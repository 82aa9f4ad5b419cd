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
  constructor(private readonly discovery: DiscoveryService) {}

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
  explore(declaration: Declaration = JOBS): readonly FoundJob[] {
    for (const controller of this.discovery.getControllers()) refuseController(controller, declaration);
    return findProviders(this.discovery).flatMap(([provider, providerClass]) => [
      ...jobOnClass(provider, providerClass, declaration),
      ...jobsOnMethods(provider, providerClass, declaration),
    ]);
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

/** Finds decorators that came too late: Nest calls no start hook for a module that is loaded lazily. */
@Injectable()
export class LazyJobs {
  private readonly known = new Set<string>();

  constructor(
    private readonly explorer: JobExplorer,
    private readonly loader: LazyModuleLoader,
  ) {}

  /** Takes all that is declared now for known. */
  open(): void {
    for (const declaration of [JOBS, TEMPLATES]) this.takeNew(declaration);
  }

  /** Tells of all that has come since `open`, and of what each later load brings; each once. */
  follow(warn: (message: string) => void): void {
    this.warnOfNew(warn);
    const { loader } = this;
    const load = loader.load.bind(loader);
    loader.load = async (...given) => {
      const moduleRef = await load(...given);
      this.warnOfNew(warn);
      return moduleRef;
    };
  }

  private warnOfNew(warn: (message: string) => void): void {
    try {
      for (const declaration of [JOBS, TEMPLATES]) {
        for (const place of this.takeNew(declaration)) warn(describe(place, declaration));
      }
    } catch (error) {
      // A decorator in a wrong place is the module's fault as well, and must not fail its load.
      warn(messageOf(error));
    }
  }

  private takeNew(declaration: Declaration): readonly string[] {
    const places = this.explorer.explore(declaration).map(({ place }) => place);
    const fresh = [...new Set(places)].filter((place) => !this.known.has(`${declaration.what} ${place}`));
    for (const place of fresh) this.known.add(`${declaration.what} ${place}`);
    return fresh;
  }
}

function describe(place: string, { what }: Declaration): string {
  return (
    `${place}: its ${what} has no effect, since its module was loaded lazily, after the start; ` +
    'let another module import that module instead'
  );
}
