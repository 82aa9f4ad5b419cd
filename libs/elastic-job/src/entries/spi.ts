// `nestjs-elastic-job/spi`: interfaces for own job types, channels, histories, tracers, guarded stores and pools of
// threads.

export { type HostAddressOptions, SystemClock, type Timer } from '../clock/index.js';
export { type ConfirmLostOutcome } from '../coordination/index.js';
export {
  type BegunItem,
  type CheckProps,
  type CodeOption,
  type DeclaredTemplate,
  type DeliveryTerms,
  type ExecutorDeathOptions,
  type ExecutorDeathState,
  type ExecutorEnd,
  type FailureReport,
  type FencedStore,
  type FencePosition,
  type FindPropsFaults,
  type GuaranteePhase,
  type Hidden,
  HiddenText,
  type HolderMark,
  type ItemTrace,
  type ItemWork,
  type JobDefaults,
  type JobFailure,
  type JobOptionsSource,
  type JobType,
  type JobWork,
  type MissedReason,
  type OwnOption,
  type PropTarget,
  type PropTargets,
  type Requeue,
  type ResidentStop,
  type ResolvedTemplateLimits,
  type RunBarrier,
  type RunTrace,
  type RunTracer,
  type TracedTask,
  type ShardOutcome,
  type ShardOutcomeKind,
  type Target,
  type TaskLife,
  type TaskOptions,
  type TemplateLimit,
  type TemplateLimits,
  type TemplateName,
  type TracedRun,
  type Trigger,
  type UnmetReason,
} from '../domain/index.js';
export { type ThreadWork, type WorkerPool } from '../executor/index.js';
export { type TemplateOptions } from '../nest/index.js';
export { type RunInterceptor } from '../runtime/index.js';
export {
  type JobEventListener,
  type JobEventSink,
  type SinkHost,
  type TaskEvent,
  type TaskOfItem,
  type TracingStore,
  type TracingStoreStatus,
} from '../tracing/index.js';
