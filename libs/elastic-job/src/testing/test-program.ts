import type { Clock } from '../clock/index.js';
import type {
  ElasticJobListener,
  JobConfiguration,
  JobErrorHandler,
  JobHandler,
  ResolvedTemplateLimits,
  ShardingContext,
} from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import type { INestApplicationContext } from './nest/overrides.js';

/** A simulated process, as its program sees it. */
export interface TestProcess {
  /** Its index in the cluster. */
  readonly index: number;
  /** Its own clock: timers are paused with the process, and end with it. */
  readonly clock: Clock;
  /** Its client of the registry that all instances share. */
  readonly center: RegistryCenter;
}

/** Program of a simulated process, ready to be started. */
export interface TestProgram {
  /** No job is registered before `start`. */
  readonly runtime: ElasticJobRuntime;
  /** The application, if there is one. */
  readonly app?: INestApplicationContext;
  /** Resolves when its jobs have started. */
  start(): Promise<void>;
  /** Drains, leaves and releases everything. Idempotent. */
  stop(): Promise<void>;
}

/** A job's handler that may also take the process in which it runs. */
export type TestJobHandler = (context: ShardingContext, process: TestProcess) => unknown;

/** A job of a test cluster. */
export interface TestJob {
  readonly configuration: JobConfiguration;
  readonly handler: TestJobHandler;
  /** Listeners around the runs of every instance. */
  readonly listeners?: readonly ElasticJobListener[];
}

/** A template from which a test cluster creates jobs. */
export interface TestTemplate {
  readonly name: string;
  readonly configuration: JobConfiguration;
  readonly limits: ResolvedTemplateLimits;
  readonly handler: TestJobHandler;
}

/** Options of a process of plain functions, in place of a Nest application's module. */
export interface FunctionsProgramOptions {
  /** How long running items may go on when an instance leaves, in milliseconds. @default 30_000 */
  readonly drainTimeoutMs?: number;
  /** How long a handler may go on after its signal before an event reports it, in milliseconds. @default 30_000 */
  readonly hungGraceMs?: number;
  /** Delay of a run's begin above which an event reports it, in milliseconds. @default 5_000 */
  readonly lateAfterMs?: number;
  /** How long the registry may not answer before running items are aborted, in milliseconds. @default none */
  readonly suspendedGraceMs?: number;
  /** @default 10_000 */
  readonly clockToleranceMs?: number;
  /** Error handlers that jobs may name as their `jobErrorHandlerType`. @default the built-in ones only */
  readonly errorHandlers?: readonly JobErrorHandler[];
  /** How long failures of one kind are held back after a report, in milliseconds. @default 300_000 */
  readonly errorWindowMs?: number;
}

/** Jobs that are plain functions. */
export class FunctionsProgram implements TestProgram {
  readonly runtime: ElasticJobRuntime;

  constructor(
    private readonly jobs: readonly TestJob[],
    private readonly templates: readonly TestTemplate[],
    private readonly process: TestProcess,
    options: FunctionsProgramOptions,
  ) {
    const { clock, center: registry } = process;
    const { drainTimeoutMs, hungGraceMs, lateAfterMs, suspendedGraceMs, clockToleranceMs } = options;
    const { errorHandlers, errorWindowMs } = options;
    const limits = { drainTimeoutMs, hungGraceMs, lateAfterMs, suspendedGraceMs, clockToleranceMs };
    this.runtime = new ElasticJobRuntime({ registry, clock, ...limits, errorHandlers, errorWindowMs });
  }

  async start(): Promise<void> {
    for (const { configuration, handler, listeners } of this.jobs) {
      await this.runtime.registrar.register({
        configuration,
        className: configuration.jobName,
        place: 'createTestCluster',
        listeners,
        handler: (context) => handler(context, this.process),
      });
    }
    for (const { handler, ...template } of this.templates) {
      const own: JobHandler = (context) => handler(context, this.process);
      this.runtime.templates.declare({ ...template, place: 'createTestCluster', handler: own });
    }
    await this.runtime.start();
  }

  stop(): Promise<void> {
    return this.runtime.stop();
  }
}
