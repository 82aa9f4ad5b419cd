// The front door of `nestjs-elastic-job`: what most applications use. What is not here or in another entry of the
// package may change at any time.

// The module and its options.
export { type Clock } from './clock/index.js';
export { type AllowedRegistryTargets, type Redact } from './domain/index.js';
export {
  CLOCK,
  ElasticJobExceptionFilter,
  ElasticJobModule,
  type ElasticJobModuleOptions,
  type JobOverrides,
  type LogSinkOptions,
  type MemoryRegistryOptions,
  REGISTRY_CENTER,
  type ZooKeeperRegistryOptions,
} from './nest/index.js';

// Jobs: how they are declared, and what their handlers get.
export {
  ElasticJob,
  type ElasticJobDecorator,
  ElasticJobTemplate,
  OnJobEvent,
  type OnJobEventDecorator,
  type OnJobEventOptions,
} from './nest/index.js';
export {
  type Checkpoint,
  type ClockChangeOption,
  type ConcurrencyOption,
  type CronDialect,
  type DataflowBatch,
  type DataflowFetch,
  type DataflowJob,
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  type ExecutionSource,
  type JobConfiguration,
  type JobErrorHandler,
  type JobHandler,
  type JobInstance,
  type JobName,
  type JobOptions,
  type JobProps,
  type MisfirePolicy,
  type OnHung,
  type ShardingContext,
  type ShardingContexts,
  type ShardingStrategy,
  type TriggerOrigin,
} from './domain/index.js';
export { type JobDefinition, type NamedJobOptions, type RegisteredJob } from './runtime/index.js';

// Services to inject.
export {
  ConfigurationService,
  ExecutionService,
  FailoverService,
  InstanceService,
  JobRegistrar,
  LeaderService,
  ServerService,
  ShardingService,
} from './runtime/index.js';
export {
  type LeadershipTerm,
  type OverflowedItem,
  type PendingFailover,
  type RegisteredInstance,
  type RegisteredServer,
  type RunningItem,
  type ServerStatus,
} from './coordination/index.js';
export { type SettledOutcome } from './domain/index.js';
export { type JobEvent, type JobEventName, JobEvents, type NamedJobEvent } from './tracing/index.js';

// Errors to catch, and reasons of a context's signal.
export {
  CancelledError,
  ConfigurationError,
  DrainDeadlineError,
  ElasticJobError,
  ExecutorDeathError,
  executorDeathOf,
  FencedError,
  HandlerHungError,
  InstanceRemovedError,
  JobTimeoutError,
  LeaseLostError,
  ResidentStoppedError,
  SuspendedTooLongError,
  UnknownJobError,
} from './domain/index.js';
export { RegistryUnavailableError } from './registry/index.js';

export * from './entries/deprecated.js';
