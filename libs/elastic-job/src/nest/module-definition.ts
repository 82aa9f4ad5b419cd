import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ElasticJobModuleOptions } from './module-options.js';

/** Makes `forRoot` and `forRootAsync`. The module is always global, since jobs are everywhere. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ElasticJobModuleOptions>(
  { moduleName: 'ElasticJob' },
)
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createElasticJobOptions')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();
