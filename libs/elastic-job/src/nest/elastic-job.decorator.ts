import { SetMetadata } from '@nestjs/common';
import { ConfigurationError, isOptionsObject, type JobOptions, type TemplateLimits } from '../domain/index.js';
import { assertApplied, noteDecorated, noteLoaded } from './decorated-methods.js';

/** A kind of declaration: jobs or templates. */
export interface Declaration {
  /** The decorator as it is written in code. */
  readonly what: string;
  /** Key under which a method or class carries the options. Text, so that two copies of the package agree. */
  readonly key: string;
}

export const JOBS: Declaration = { what: '@ElasticJob', key: 'elastic-job:job-options' };
/** Declarations of templates; the names are the templates'. */
export const TEMPLATES: Declaration = { what: '@ElasticJobTemplate', key: 'elastic-job:template-options' };

/** Decorator of a method or a class; anything else does not compile. */
export interface ElasticJobDecorator {
  (target: abstract new (...args: never[]) => object): void;
  <Method extends (...args: never[]) => unknown>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void;
}

/**
 * Makes a provider's method a sharded job: it is called with a `ShardingContext` for each item that this instance owns.
 * On a class, `execute(context)` is that method. Without a name the job is called `OrderJobs.nightly` on a method,
 * `OrderJobs` on a class. Inherited methods are jobs of the provider that inherits them; an overriding method is one
 * only if it has the decorator itself. Several decorators on one method make several jobs and need names.
 *
 * Options are checked when the application starts; a decorator never throws for a wrong value.
 */
export function ElasticJob(options: JobOptions): ElasticJobDecorator;
/** The short form of `{ cron, shardingTotalCount, strategy }`. */
export function ElasticJob(
  cron: string,
  shardingTotalCount: number,
  strategy?: JobOptions['strategy'],
): ElasticJobDecorator;
export function ElasticJob(
  given: JobOptions | string,
  shardingTotalCount?: number,
  strategy?: JobOptions['strategy'],
): ElasticJobDecorator {
  const options: JobOptions =
    typeof given === 'string' ? { cron: given, shardingTotalCount: shardingTotalCount!, strategy } : given;
  return decorator(JOBS, options);
}

/** Options of a template: defaults of its jobs, and limits. */
export interface TemplateOptions
  extends Omit<JobOptions, 'name' | 'shardingTotalCount' | 'overwrite' | 'className'>, TemplateLimits {}

/**
 * Makes a provider's method, or a class as `ElasticJob` takes it, the template of jobs that are created while the
 * cluster runs (`JobOperateApi.create`). Every instance that has the template joins them, now and after restarts.
 * `context.jobName` and `context.props` identify the job.
 * @param name unique among the templates of the application
 * @param options read in each process when it starts: a job stores only the options with which it was created or
 * changed. A job beyond a limit is not created; one that comes into the registry in another way rests.
 */
export function ElasticJobTemplate(name: string, options: TemplateOptions = {}): ElasticJobDecorator {
  // Any other value is kept as it is, for the start to refuse.
  const complete = isOptionsObject(options) ? { ...options, name, shardingTotalCount: 1 } : options;
  return decorator(TEMPLATES, complete);
}

function decorator({ what, key }: Declaration, options: JobOptions): ElasticJobDecorator {
  return (target: object, method?: string | symbol, descriptor?: PropertyDescriptor) => {
    assertApplied(what, method);
    const carrier: unknown = method === undefined ? target : descriptor?.value;
    if (typeof carrier !== 'function') {
      throw new ConfigurationError(`${what} on ${String(method)}`, ['it stands on a property, but needs a method']);
    }
    // Decorators are applied from the bottom up.
    const below: readonly JobOptions[] = Reflect.getOwnMetadata(key, carrier) ?? [];
    SetMetadata(key, [options, ...below])(carrier);
    noteLoaded(target);
    if (method !== undefined) noteDecorated(target, { what, method, key, decorated: carrier });
  };
}

/** Options on a method or a class, in the order of its decorators; a subclass has its parent's. */
export function optionsOn(carrier: object, { key }: Declaration): readonly JobOptions[] {
  const options: readonly JobOptions[] = Reflect.getMetadata(key, carrier) ?? [];
  return options;
}
