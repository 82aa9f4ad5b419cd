import {
  type TaskBackend,
  TaskJobType,
  TaskReconciliation,
  type TaskScheduling,
  type TaskSettings,
  WatchedBackend,
} from '../../cloud/index.js';
import type { Clock } from '../../clock/index.js';
import { readRecords, ShownTask } from '../../coordination/index.js';
import {
  ConfigurationError,
  DEFAULT_RESOURCES,
  type JobConfiguration,
  type JobName,
  shortestIntervalMs,
  show,
  type TaskBackendStatus,
} from '../../domain/index.js';
import { workOfType } from '../../executor/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { ElasticJobRuntime, JobDefinition } from '../../runtime/index.js';
import type { ElasticJobCloudModuleOptions } from './cloud-module-options.js';

const DEFAULT_GRACE_MS = 30_000;
const CLUSTER = 'elastic-job';

/** A job or a template, as it is declared. */
export type PlacedJob = Pick<JobDefinition, 'configuration' | 'place' | 'handler' | 'settled' | 'tasks'>;

/** Gives the jobs that ask for it to a backend, and owns that. */
export class TaskScheduler {
  private readonly type: TaskJobType;
  private readonly backend: TaskBackend;
  private readonly cluster: string;
  private readonly watched: WatchedBackend;
  private readonly reconciliation: TaskReconciliation;

  /** @throws {ConfigurationError} for a wrong option */
  constructor(
    private readonly options: ElasticJobCloudModuleOptions,
    private readonly runtime: ElasticJobRuntime,
    private readonly clock: Clock,
    registry: RegistryCenter,
    /** Of ElasticJob-Cloud's tree, if the schedulers follow it. */
    private readonly cloudRegistry?: RegistryCenter,
  ) {
    assertUsable(options);
    const { backend, cluster = CLUSTER } = options;
    this.backend = backend;
    this.cluster = cluster;
    const scheduling: TaskScheduling = {
      backend,
      cluster,
      clock,
      settingsOf: (jobName) => this.settingsOf(jobName),
      recordsOf: (items, signal) => readRecords(registry, items, { signal }),
      displayOf: ({ item, jobName }) => new ShownTask(registry, jobName, item),
      emit: (event) => runtime.events.emit(event),
    };
    this.type = new TaskJobType(scheduling);
    this.watched = new WatchedBackend(scheduling, this.type);
    this.reconciliation = new TaskReconciliation(scheduling, options.defaults?.task?.graceMs ?? DEFAULT_GRACE_MS);
  }

  /**
   * The same job with its items as tasks. Its own work is for the workers.
   * @throws {ConfigurationError} if the backend cannot run it
   */
  schedule<Definition extends PlacedJob>(definition: Definition): Definition {
    const { configuration, place } = definition;
    const fault =
      this.backend.findFault(this.settingsFor(configuration).template) ?? this.findIntervalFault(configuration);
    if (fault !== undefined) {
      throw new ConfigurationError(`job "${configuration.jobName}" (${place})`, [
        `task of backend ${this.backend.name}: ${fault}`,
      ]);
    }
    const { handler, settled, tasks } = workOfType(this.type);
    return { ...definition, handler, settled, tasks };
  }

  /** The backend, and the tasks that are followed here. From memory. */
  get status(): TaskBackendStatus {
    return this.watched.status;
  }

  async start(): Promise<void> {
    await this.cloudRegistry?.connect();
    await this.backend.start({
      clock: this.clock,
      cluster: this.cluster,
      emit: (event) => this.watched.hear(event),
    });
    this.reconciliation.start();
  }

  async stop(): Promise<void> {
    await this.reconciliation.stop();
    await this.backend.stop();
    await this.cloudRegistry?.close();
  }

  private findIntervalFault({ cron, resident, timeZone }: JobConfiguration): string | undefined {
    const { leastIntervalMs } = this.backend;
    if (cron === undefined || resident) return undefined;
    const intervalMs = shortestIntervalMs(cron, { after: this.clock.wallNow(), timeZone });
    if (intervalMs >= leastIntervalMs) return undefined;
    return (
      `its fire times are ${intervalMs} ms apart, and it launches none more often than every ${leastIntervalMs} ms; ` +
      'make the job resident, so that its tasks go on, or leave out executor'
    );
  }

  private settingsOf(jobName: JobName): TaskSettings {
    return this.settingsFor(this.runtime.registrar.of(jobName).configuration);
  }

  private settingsFor(configuration: JobConfiguration): TaskSettings {
    const { defaults = {} } = this.options;
    const { maxAttempts, retryDelayMs, retryFactor, retryJitter, retryMaxDelayMs, timeoutMs } = configuration;
    const { graceMs = DEFAULT_GRACE_MS, ...template } = { ...defaults.task, ...configuration.task };
    return {
      template,
      resources: { ...DEFAULT_RESOURCES, ...defaults.resources, ...configuration.resources },
      timeoutMs,
      graceMs,
      retries: { maxAttempts, retryDelayMs, retryFactor, retryJitter, retryMaxDelayMs },
    };
  }
}

function assertUsable({ backend, cluster = CLUSTER }: ElasticJobCloudModuleOptions): void {
  const problems = [];
  if (typeof backend?.claim !== 'function') {
    problems.push(`backend must be given, such as new LocalProcesses(), but is ${show(backend)}`);
  }
  if (!/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(cluster)) {
    problems.push(`cluster must be a name of at most 63 letters, digits, "-", "_" and ".", but is ${show(cluster)}`);
  }
  if (problems.length > 0) throw new ConfigurationError('ElasticJobCloudModule', problems);
}
