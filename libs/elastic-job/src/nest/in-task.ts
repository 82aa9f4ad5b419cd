/**
 * Differences in the application of a task, which runs one item of one job for a scheduler elsewhere. `runTask`
 * provides `ELASTIC_JOB_TASK` around the application's own module, and only the providers of the services read it: the
 * module finds, checks and defines the jobs as always, over a missing registry.
 */
import type { OptionalFactoryDependency } from '@nestjs/common';
import { TASK_VARIABLE } from '../cloud/index.js';
import { ConfigurationError } from '../domain/index.js';
import { MissingRegistryError } from '../registry/index.js';
import { conceal, ELASTIC_JOB_TASK } from './module-definition.js';
import { EventLogger } from './event.logger.js';
import type { ElasticJobModuleOptions } from './module-options.js';
import { type ResolvedModuleOptions, resolveModuleOptions } from './resolve-module-options.js';

/** Injects true in the application of a task, and undefined in any other. */
export const IN_TASK: OptionalFactoryDependency = { token: ELASTIC_JOB_TASK, optional: true };

/**
 * Options of the application. In a task no job joins, and only the log gets events, because the scheduler has the
 * history.
 * @throws {ConfigurationError} in the process of a task that was not started by `runTask`: it would become one more
 * scheduler, which launches tasks in turn
 */
export function optionsFor(
  given: ElasticJobModuleOptions,
  isInTask?: true,
  isFromFactory?: true,
): ResolvedModuleOptions {
  if (!isInTask && process.env[TASK_VARIABLE] !== undefined) {
    throw new ConfigurationError('ElasticJobModule', [
      `${TASK_VARIABLE} is set, so this process is a task, but the application is started as a scheduler; ` +
        'let main.ts say: if (isElasticJobTask()) await runTask(AppModule); else await bootstrap();',
    ]);
  }
  const options = resolveModuleOptions(given, { isInTask, isFromFactory });
  if (!isInTask) return options;
  const tracing = options.tracing.filter((sink) => sink instanceof EventLogger);
  return Object.freeze(conceal({ ...options, processing: false, tracing }));
}

/**
 * A service whose calls need the registry, and therefore throw.
 * @param methods those that need it. @default all of them
 */
export function withoutRegistry<Service extends object>(service: Service, methods?: readonly string[]): Service {
  return new Proxy(service, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      const isMethod = typeof value === 'function' && key !== 'constructor' && key in target.constructor.prototype;
      if (!isMethod || typeof key !== 'string' || methods?.includes(key) === false) return value;
      return () => {
        throw new MissingRegistryError(`${target.constructor.name}.${key}`);
      };
    },
  });
}
