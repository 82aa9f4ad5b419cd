// Parts of which the modules of this package are made: tokens, and providers.
import { ConfigurableModuleBuilder, type FactoryProvider } from '@nestjs/common';
import { ConfigurationError, showAs } from '../domain/index.js';
import type { ElasticJobModuleOptions } from './module-options.js';

/**
 * Makes `forRoot` and `forRootAsync`. Without extras, Nest passes the options on as they were given, and not as a copy
 * of their own keys; a copy of a function would look like an empty object.
 */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ElasticJobModuleOptions>(
  {
    moduleName: 'ElasticJob',
  },
)
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobOptions')
  .build();

/** Injects true if the options come from `forRootAsync`. */
export const FROM_FACTORY = Symbol('nestjs-elastic-job:from-factory');

/** Injects the `RegistryCenter` of this application: the port to the registry, below the configured namespace. */
export const REGISTRY_CENTER = Symbol.for('nestjs-elastic-job:registry-center');

/** Injects the `Clock` of this application. Override it to control time in a test. */
export const CLOCK = Symbol.for('nestjs-elastic-job:clock');

/** True in the application of a task; not provided in any other. */
export const ELASTIC_JOB_TASK = Symbol.for('nestjs-elastic-job:task');

/** The scheduler of tasks; undefined in a task, and without `ElasticJobCloudModule`. */
export const TASK_SCHEDULER = Symbol.for('nestjs-elastic-job:task-scheduler');

/** The validated module options. */
export const ELASTIC_JOB_OPTIONS = Symbol.for('nestjs-elastic-job:options');

/** The registry of ElasticJob-Cloud's tree; undefined unless `ElasticJobCloudModule` has `tree`. */
export const CLOUD_REGISTRY = Symbol.for('nestjs-elastic-job:cloud-registry');

/**
 * The options of a module in `imports` that was not made by `forRoot`. Those of a made one replace it, since they come
 * later.
 * @param token injects the options
 * @param call how the module is imported, as code
 */
export function missingOptions(token: string | symbol, moduleName: string, call: string): FactoryProvider {
  return {
    provide: token,
    useFactory: () => {
      throw new ConfigurationError(moduleName, [
        `it is in imports without options; import ${call} or forRootAsync once, in the root module, and not in others`,
      ]);
    },
  };
}

/** A provider whose object is concealed. */
export function concealed(provider: FactoryProvider): FactoryProvider {
  const create = provider.useFactory;
  return { ...provider, useFactory: (...parts: unknown[]) => conceal(create(...parts)) };
}

/**
 * Makes an object show only its name in logs and in JSON. It holds options and texts of the registry, and an
 * application that logs its own providers would reveal their secrets.
 */
export function conceal<Made>(made: Made): Made {
  if (typeof made !== 'object' || made === null || !Object.isExtensible(made)) return made;
  const { name } = made.constructor;
  showAs(made, () => `${name} {}`);
  if (!('toJSON' in made)) Object.defineProperty(made, 'toJSON', { value: () => ({}), configurable: true });
  return made;
}
