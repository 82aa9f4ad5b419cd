import { ConfigurableModuleBuilder } from '@nestjs/common';
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
