// The shell for Nest: the module and its options, the decorators and how they are found, and the application's life.
export { ElasticJobExceptionFilter } from './elastic-job-exception.filter.js';
export {
  ElasticJob,
  type ElasticJobDecorator,
  ElasticJobTemplate,
  type TemplateOptions,
} from './elastic-job.decorator.js';
export { ElasticJobModule } from './elastic-job.module.js';
export type { LogSinkOptions } from './event.logger.js';
export type {
  ElasticJobModuleOptions,
  JobOverrides,
  MemoryRegistryOptions,
  ZooKeeperRegistryOptions,
} from './module-options.js';
export { OnJobEvent, type OnJobEventDecorator, type OnJobEventOptions } from './on-job-event.js';
export { CLOCK, REGISTRY_CENTER } from './module-definition.js';
