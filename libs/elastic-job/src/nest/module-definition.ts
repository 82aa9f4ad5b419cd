import { ConfigurableModuleBuilder, type ValueProvider } from '@nestjs/common';
import type { ElasticJobModuleOptions } from './module-options.js';

/**
 * Makes `forRoot` and `forRootAsync`. Without extras, Nest passes the options on as they were given, and not as a copy
 * of their own keys; a copy of a function would look like an empty object.
 */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ElasticJobModuleOptions>(
  { moduleName: 'ElasticJob' },
)
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobOptions')
  .build();

/** Injects true if the options come from `forRootAsync`. */
export const FROM_FACTORY = Symbol('nestjs-elastic-job:from-factory');

export const BY_FACTORY: ValueProvider<true> = { provide: FROM_FACTORY, useValue: true };
