import { type ModulesContainer, NestContainer } from '@nestjs/core';
import { ConfigurationError } from '../domain/index.js';
import type { FoundJob } from './found-job.js';

// Keys under which @UseGuards and its siblings store their arguments.
const FILTERS = '__exceptionFilters__';
const ENHANCERS = ['__guards__', '__interceptors__', '__pipes__', FILTERS];

/** Nest's name of an enhancer that APP_GUARD and its siblings provide per request or per consumer. */
const SCOPED_GLOBAL = /^APP_(?:GUARD|INTERCEPTOR|PIPE|FILTER) \(UUID/;

/** The application's modules without its global enhancers. */
export class ContainerWithoutGlobals extends NestContainer {
  constructor(private readonly hosts: ModulesContainer) {
    super();
  }

  override getModules(): ModulesContainer {
    return this.hosts;
  }
}

export function hasEnhancers(carrier: object): boolean {
  return enhancersOn(carrier).length > 0;
}

export function hasFilters(job: FoundJob): boolean {
  return [job.method, job.providerClass].some((carrier) => Reflect.hasMetadata(FILTERS, carrier));
}

/**
 * Checks that Nest has instantiated the job's enhancer classes. It silently omits an enhancer of a class that only a
 * factory knows, and an omitted guard lets everything pass.
 * @throws {ConfigurationError}
 */
export function assertEnhancersExist(job: FoundJob): void {
  for (const enhancer of [job.providerClass, job.method].flatMap(enhancersOn)) {
    if (typeof enhancer !== 'function' || job.provider.host?.injectables.has(enhancer)) continue;
    throw new ConfigurationError(`job "${job.options.name}" (${job.place})`, [
      `enhancer ${enhancer.name} is not instantiated by Nest for a provider made by useFactory or useValue; ` +
        `use an instance, "new ${enhancer.name}()", or provide ${job.providerClass.name} as a class`,
    ]);
  }
}

/** @throws {ConfigurationError} for a global enhancer that has no single instance. */
export function assertGlobalsAreStatic(modules: ModulesContainer): void {
  for (const { injectables, name } of modules.values()) {
    for (const token of injectables.keys()) {
      if (typeof token !== 'string' || !SCOPED_GLOBAL.test(token)) continue;
      throw new ConfigurationError('module options', [
        `globalEnhancers: true, but ${token.split(' ', 1)[0]} of ${name} is request-scoped or transient and cannot ` +
          'reach a job; give it the default scope, or set the enhancer on the job',
      ]);
    }
  }
}

function enhancersOn(carrier: object): readonly object[] {
  return ENHANCERS.flatMap((key) => {
    const enhancers: readonly object[] = Reflect.getMetadata(key, carrier) ?? [];
    return enhancers;
  });
}
