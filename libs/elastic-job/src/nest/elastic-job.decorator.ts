import { SetMetadata } from '@nestjs/common';
import { ConfigurationError, type JobOptions } from '../domain/index.js';

/**
 * Under this key a method or a class carries the options of its jobs. Text, so that two copies of the package agree.
 */
const JOB_OPTIONS = 'elastic-job:job-options';

/** Stands on a method or on a class; anything else does not compile. */
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
  return (target: object, method?: string | symbol, descriptor?: PropertyDescriptor) => {
    const carrier: unknown = method === undefined ? target : descriptor?.value;
    if (typeof carrier !== 'function') {
      throw new ConfigurationError(`@ElasticJob on ${String(method)}`, ['it stands on a property, but needs a method']);
    }
    // Decorators are applied from the bottom up.
    const below: readonly JobOptions[] = Reflect.getOwnMetadata(JOB_OPTIONS, carrier) ?? [];
    SetMetadata(JOB_OPTIONS, [options, ...below])(carrier);
  };
}

/** The options of the jobs on a method or a class, in the order of its decorators; a subclass has its parent's. */
export function jobOptionsOn(carrier: object): readonly JobOptions[] {
  const options: readonly JobOptions[] = Reflect.getMetadata(JOB_OPTIONS, carrier) ?? [];
  return options;
}
