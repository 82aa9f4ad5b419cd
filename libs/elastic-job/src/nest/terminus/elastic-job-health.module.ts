import { type DynamicModule, Inject, Injectable, Module, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import { sharedClass } from '../../copies/index.js';
import { flag, OptionTable, redactTexts } from '../../domain/index.js';
import {
  type HealthLimits,
  type HealthVerdict,
  judgeLeadership,
  judgeLiveness,
  judgeReadiness,
  judgeRegistry,
  judgeScheduleLag,
  judgeTasks,
  judgeTracing,
} from '../../health/index.js';
import { ElasticJobRuntime, type RuntimePhase, type RuntimeStatus } from '../../runtime/index.js';
import { tracingStoresOf } from '../../tracing/index.js';
import type { TaskScheduler } from '../cloud/task-scheduler.js';
import { isProduction } from '../environment.js';
import { CLOCK, ELASTIC_JOB_OPTIONS, TASK_SCHEDULER } from '../module-definition.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';

/** Options of `ElasticJobHealthModule.forRoot`. */
export interface HealthOptions {
  /**
   * Shows the reasons of each status: names of jobs, instances and leaders, differences of configurations, the
   * registry's answers. Everyone who can reach the endpoint can read them.
   * @default true, but false where NODE_ENV is "production"
   */
  readonly details?: boolean;
}

/** Injects the options of the health module. */
const HEALTH_OPTIONS = Symbol.for('nestjs-elastic-job:health-options');

/** Evaluated with each request: an application may set its environment after this file is loaded. */
function showsDetails({ details }: HealthOptions): boolean {
  return details ?? !isProduction();
}

/**
 * Indicators for Terminus: `health.check([() => indicator.readiness()])`. Liveness and readiness are for probes; the
 * others show one part each, for dashboards and alarms. All of them read from memory.
 *
 * Degraded keeps HTTP 200: Terminus 12 has that status, and under Terminus 11 it is `up` with `degraded: true`. In
 * production only the status is shown, unless `ElasticJobHealthModule.forRoot({ details: true })` says otherwise. Wrong
 * and unknown limits are a `ConfigurationError`.
 */
@sharedClass('ElasticJobHealthIndicator')
@publicCalls()
@Injectable()
export class ElasticJobHealthIndicator {
  /** Indicators that are down, and reported, with their keys: liveness and readiness have the same one. */
  private readonly down = new Set<string>();

  /** @internal */
  constructor(
    private readonly indicator: HealthIndicatorService,
    private readonly runtime: ElasticJobRuntime,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ELASTIC_JOB_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Inject(HEALTH_OPTIONS) private readonly healthOptions: HealthOptions,
    @Optional() @Inject(TASK_SCHEDULER) private readonly scheduler?: TaskScheduler,
  ) {}

  /** Down only if a restart would help, because a schedule has stood still. @see judgeLiveness */
  liveness(key = 'elasticJob', limits?: HealthLimits): HealthIndicatorResult {
    return this.report('liveness', key, (status) => judgeLiveness(status, this.clock.wallNow(), limits));
  }

  /**
   * Down while starting and draining, after a longer loss of the session, or if a job cannot run here. Degraded while
   * the backend of tasks does not answer, or cannot reach a task.
   * @see judgeReadiness
   */
  readiness(key = 'elasticJob', limits?: HealthLimits): HealthIndicatorResult {
    return this.report('readiness', key, (status) => judgeReadiness(status, limits, this.scheduler?.status));
  }

  /** Degraded while the session is suspended, down without one. @see judgeRegistry */
  registry(key = 'elasticJobRegistry', limits?: HealthLimits): HealthIndicatorResult {
    return this.report('registry', key, (status) => judgeRegistry(status, limits));
  }

  /** Degraded while a job has no leader; shows the leaders. @see judgeLeadership */
  leadership(key = 'elasticJobLeadership'): HealthIndicatorResult {
    return this.report('leadership', key, judgeLeadership);
  }

  /** Degraded, then down, while fire times are overdue. @see judgeScheduleLag */
  scheduleLag(key = 'elasticJobSchedule', limits?: HealthLimits): HealthIndicatorResult {
    return this.report('scheduleLag', key, (status) => judgeScheduleLag(status, this.clock.wallNow(), limits));
  }

  /** Degraded while the store of a history accepts nothing; up if there is none. @see judgeTracing */
  tracing(key = 'elasticJobTracing'): HealthIndicatorResult {
    return this.report('tracing', key, () => judgeTracing(tracingStoresOf(this.options.tracing)));
  }

  /**
   * Degraded, then down, while the backend of tasks does not answer; degraded while a task is UNREACHABLE. Shows the
   * backend, its limit, and the followed tasks by state. Up if there is no backend. @see judgeTasks
   */
  tasks(key = 'elasticJobTasks', limits?: HealthLimits): HealthIndicatorResult {
    return this.report('tasks', key, () => judgeTasks(this.scheduler?.status, this.clock.wallNow(), limits));
  }

  /** Reasons have messages of errors, as users' functions have thrown them. */
  private redacted(details: object): object {
    const { redact } = this.options;
    return redact === undefined ? details : Object(redactTexts(details, redact));
  }

  /** Reports once why something is down: in production Terminus answers, and logs, no reason. */
  private reportDown(indicator: string, key: string, { status, details }: Judged, phase: RuntimePhase): void {
    const id = `${indicator} ${key}`;
    if (status !== 'down') return void this.down.delete(id);
    // A process that starts or drains is down by intention.
    if (this.down.has(id) || phase !== 'running') return;
    this.down.add(id);
    const message = `health "${key}" is down: ${details.reasons.join('; ')}`;
    this.runtime.events.emit({ kind: 'warning', jobName: undefined, message });
  }

  private report(indicator: string, key: string, judge: (status: RuntimeStatus) => Judged) {
    const runtime = this.runtime.status();
    const judged = judge(runtime);
    this.reportDown(indicator, key, judged, runtime.phase);
    const { status } = judged;
    const details = showsDetails(this.healthOptions) ? this.redacted(judged.details) : {};
    const session = this.indicator.check(key);
    if (status === 'down') return session.down({ ...details });
    if (status === 'up') return session.up({ ...details });
    const hasDegraded: boolean = 'degraded' in session;
    return hasDegraded ? session.degraded({ ...details }) : session.up({ ...details, degraded: true });
  }
}

interface Judged {
  readonly status: HealthVerdict;
  readonly details: { readonly reasons: readonly string[] };
}

const TABLE = new OptionTable({ details: { rule: flag() } }, 'the health module');

/** Provides `ElasticJobHealthIndicator`, and Terminus with it. Needs `ElasticJobModule` in the application. */
@Module({
  imports: [TerminusModule],
  providers: [ElasticJobHealthIndicator, { provide: HEALTH_OPTIONS, useValue: {} }],
  exports: [ElasticJobHealthIndicator, TerminusModule],
})
export class ElasticJobHealthModule {
  /**
   * Same as the module itself, which has the defaults.
   * @throws {ConfigurationError} for options that are no object, and for wrong and unknown ones
   */
  static forRoot(options: HealthOptions = {}): DynamicModule {
    const useValue = TABLE.checked('ElasticJobHealthModule', options);
    return { module: ElasticJobHealthModule, providers: [{ provide: HEALTH_OPTIONS, useValue }] };
  }
}
