import { Inject, Injectable } from '@nestjs/common';
import {
  type ContextId,
  ContextIdFactory,
  ExternalContextCreator,
  ModuleRef,
  ModulesContainer,
  NestContainer,
} from '@nestjs/core';
import type { Clock } from '../clock/index.js';
import { ConfigurationError, type JobHandler, type ShardingContext } from '../domain/index.js';
import { dataflowHandler, isDataflow } from '../executor/index.js';
import { callMethod, type FoundJob, type JobMethod } from './provider-classes.js';
import { CLOCK, ELASTIC_JOB_OPTIONS } from './module-definition.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

/** Key under which Nest stores the arguments of parameter decorators. */
const PARAMETERS = '__routeArguments__';

/** Nest's method name for the run of a dataflow. */
const DATAFLOW = 'execute';

/**
 * Values of Nest's own parameter decorators (`@Body()`, `@Payload()`, `@Req()`): the context, or its field of the given
 * name. Those of `createParamDecorator` read the execution context themselves.
 */
const PARAMETER_VALUES = {
  exchangeKeyForValue: (_type: number, data: unknown, [context]: readonly ShardingContext[]) =>
    typeof data === 'string' && context ? Reflect.get(context, data) : context,
};

/**
 * Turns a found method into the handler of a job. Guards, interceptors, pipes and filters of method and class apply as
 * on a controller, with `context.getType() === 'elastic-job'` and the ShardingContext as the only argument:
 *
 * - A guard that refuses, and any thrown value, fails the item. A filter that returns a value (or a promise) has
 *   handled the exception: the item has succeeded. A filter that returns undefined leaves it failed.
 * - A parameter without a decorator is the context itself, and pipes do not change it. As in a controller, once one
 *   parameter has a decorator, each needs one.
 * - Enhancers of a dataflow's class surround the run of an item as a whole, not each batch.
 */
@Injectable()
export class HandlerFactory {
  private readonly creator: ExternalContextCreator;

  constructor(
    everyEnhancer: ExternalContextCreator,
    private readonly modules: ModulesContainer,
    @Inject(ELASTIC_JOB_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.creator = options.globalEnhancers
      ? everyEnhancer
      : ExternalContextCreator.fromContainer(new ContainerWithoutGlobals(modules));
  }

  /** @throws {ConfigurationError} for an enhancer that could not reach the handler. */
  create(job: FoundJob): JobHandler {
    if (this.options.globalEnhancers) assertGlobalsAreStatic(this.modules);
    assertEnhancersExist(job);
    const { provider } = job;
    if (!provider.isTransient && provider.isDependencyTreeStatic()) return this.enhance(job, provider.instance);
    return (context) => this.runOnFreshInstance(job, context);
  }

  /** Creates one instance for each run of an item, with the context, or a durable tree's payload, as its request. */
  private async runOnFreshInstance(job: FoundJob, context: ShardingContext): Promise<unknown> {
    const { provider } = job;
    const contextId = ContextIdFactory.getByRequest(context);
    // Each module has its own ModuleRef, and several modules may provide the same class.
    const moduleRef = provider.host!.getProviderByKey(ModuleRef).instance;
    const request = provider.isDependencyTreeDurable() ? (contextId.payload ?? context) : context;
    moduleRef.registerRequestByContextId(request, contextId);
    const instance = await moduleRef.resolve<object>(provider.token, contextId, { strict: true });
    return this.enhance(job, instance, contextId)(context);
  }

  /** Each run calls the method that the instance has then: in a test it may be a double of the class's own. */
  private enhance(job: FoundJob, instance: object, contextId?: ContextId): JobHandler {
    if (job.isDataflow) return this.surround(job, instance, this.dataflowOf(instance), contextId);
    const usual = this.surround(job, instance, job.method, contextId);
    return (context) => {
      const isUsual = Reflect.get(instance, job.methodName) === job.method;
      return isUsual ? usual(context) : this.surround(job, instance, ownMethodOf(job, instance), contextId)(context);
    };
  }

  private surround(job: FoundJob, instance: object, method: JobMethod, contextId?: ContextId): JobHandler {
    return this.creator.create(
      instance,
      method,
      job.isDataflow ? DATAFLOW : String(job.methodName),
      PARAMETERS,
      PARAMETER_VALUES,
      contextId,
      job.provider.id,
      // Without filters, Nest's last handler would only log the failure, which is logged anyway.
      { guards: true, interceptors: true, filters: this.options.globalEnhancers || hasFilters(job) },
      'elastic-job',
    );
  }

  private dataflowOf(instance: object): JobMethod {
    if (!isDataflow(instance)) throw new TypeError('The instance of the provider has no fetchData.');
    const dataflow: { execute(...args: unknown[]): unknown } = { execute: dataflowHandler(this.clock, instance) };
    return (...args) => dataflow.execute(...args);
  }
}

/** The method that an instance has in the place of its class's, with the metadata of that. */
function ownMethodOf({ method, methodName, place }: FoundJob, instance: object): JobMethod {
  const own: JobMethod = (...given) => callMethod(instance, methodName, place, given);
  return Object.setPrototypeOf(own, method);
}

// Keys under which @UseGuards and its siblings store their arguments.
const FILTERS = '__exceptionFilters__';
const ENHANCERS = ['__guards__', '__interceptors__', '__pipes__', FILTERS];

/** Nest's name of an enhancer that APP_GUARD and its siblings provide per request or per consumer. */
const SCOPED_GLOBAL = /^APP_(?:GUARD|INTERCEPTOR|PIPE|FILTER) \(UUID/;

/** The application's modules without its global enhancers. */
class ContainerWithoutGlobals extends NestContainer {
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

function hasFilters(job: FoundJob): boolean {
  return [job.method, job.providerClass].some((carrier) => Reflect.hasMetadata(FILTERS, carrier));
}

/**
 * Checks that Nest has instantiated the job's enhancer classes. It silently omits an enhancer of a class that only a
 * factory knows, and an omitted guard lets everything pass.
 * @throws {ConfigurationError}
 */
function assertEnhancersExist(job: FoundJob): void {
  for (const enhancer of [job.providerClass, job.method].flatMap(enhancersOn)) {
    if (typeof enhancer !== 'function' || job.provider.host?.injectables.has(enhancer)) continue;
    throw new ConfigurationError(`job "${job.options.name}" (${job.place})`, [
      `enhancer ${enhancer.name} is not instantiated by Nest for a provider made by useFactory or useValue; ` +
        `use an instance, "new ${enhancer.name}()", or provide ${job.providerClass.name} as a class`,
    ]);
  }
}

/** @throws {ConfigurationError} for a global enhancer that has no single instance. */
function assertGlobalsAreStatic(modules: ModulesContainer): void {
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
