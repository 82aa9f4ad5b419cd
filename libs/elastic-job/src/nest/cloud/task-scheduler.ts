import { inOwnContext, publicCalls } from '../../async-context/index.js';
import {
  CLOUD_TEMPLATE,
  findIntervalFault,
  findTemplateFault,
  type TaskBackend,
  type TaskHost,
  TaskJobType,
  TaskReconciliation,
  type TaskScheduling,
  type TaskSettings,
  templateFor,
  WatchedBackend,
} from '../../cloud/index.js';
import { type Clock, Deadline } from '../../clock/index.js';
import { readRecords, ShownTask } from '../../coordination/index.js';
import {
  assertNoFaults,
  ConfigurationError,
  DEFAULT_RESOURCES,
  defaultsOfTemplate,
  findNearestName,
  type JobConfiguration,
  type JobName,
  type OnThrown,
  parseCreatedJob,
  show,
  type TaskBackendStatus,
  type TaskOptions,
  type TaskResources,
  UnknownJobError,
} from '../../domain/index.js';
import { workOfType } from '../../executor/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { ElasticJobRuntime, JobDefinition } from '../../runtime/index.js';
import { findClusterFault, findOptionFaults } from './cloud-module-options.rules.js';
import type { ElasticJobCloudModuleOptions } from './cloud-module-options.js';
import type { CloudTree } from './tree/cloud-tree.js';

const DEFAULT_GRACE_MS = 30_000;
const CLUSTER = 'elastic-job';

type TaskApps = NonNullable<ElasticJobCloudModuleOptions['apps']>;

/** A job or a template, as it is declared. */
export type PlacedJob = Pick<JobDefinition, 'configuration' | 'place' | 'handler' | 'settled' | 'tasks'>;

/** Runs jobs with `executor: 'task'` on a backend, and owns that backend. */
@publicCalls()
export class TaskScheduler {
  private readonly type: TaskJobType;
  private readonly backend: TaskBackend;
  private cluster = CLUSTER;
  private readonly watched: WatchedBackend;
  private readonly reconciliation: TaskReconciliation;

  /** @throws {ConfigurationError} for a wrong option */
  constructor(
    private readonly options: ElasticJobCloudModuleOptions,
    private readonly runtime: ElasticJobRuntime,
    private readonly clock: Clock,
    registry: RegistryCenter,
    private readonly tree?: CloudTree,
  ) {
    const faults = findOptionFaults(options);
    if (faults.length > 0) throw new ConfigurationError('ElasticJobCloudModule', faults);
    const { backend } = options;
    this.backend = backend;
    const clusterNow = () => this.cluster;
    const scheduling: TaskScheduling = {
      backend,
      get cluster() {
        return clusterNow();
      },
      clock,
      settingsOf: (jobName) => this.settingsOf(jobName),
      recordsOf: (items, signal) => readRecords(registry, items, { signal }),
      displayOf: ({ item, jobName }) => new ShownTask(registry, jobName, item),
      emit: (event) => runtime.events.emit(event),
    };
    this.type = new TaskJobType(scheduling);
    this.watched = new WatchedBackend(scheduling, this.type);
    this.reconciliation = new TaskReconciliation(
      scheduling,
      this.type,
      options.defaults?.task?.graceMs ?? DEFAULT_GRACE_MS,
    );
  }

  /**
   * The same job with tasks as its items' work. Only workers call its own handler.
   * @throws {ConfigurationError} if the backend cannot run it
   */
  schedule<Definition extends PlacedJob>(definition: Definition): Definition {
    const { configuration, place } = definition;
    assertNoFaults(
      (onThrown) => {
        const fault = findUnknownApp(configuration, this.options.apps) ?? this.findTaskFault(configuration, onThrown);
        return fault === undefined ? [] : [fault];
      },
      (faults, options) => new ConfigurationError(`job "${configuration.jobName}" (${place})`, faults, options),
    );
    const { handler, settled, tasks } = workOfType(this.type);
    return { ...definition, handler, settled, tasks };
  }

  /** The backend, and the tasks that this process follows. Read from memory. */
  get status(): TaskBackendStatus {
    return this.watched.status;
  }

  async start(): Promise<void> {
    const configuration = templateFor(CLOUD_TEMPLATE, defaultsOfTemplate(this.runtime.registrar.common.defaults));
    await this.tree?.open({ ...workOfType(this.type), configuration });
    this.cluster = this.options.cluster ?? (await this.tree?.cluster()) ?? CLUSTER;
    const fault = findClusterFault(this.cluster);
    if (fault !== undefined)
      throw new ConfigurationError('ElasticJobCloudModule', [
        `${fault}, the framework id of the tree; name it in cluster`,
      ]);
    await this.startBackend();
    this.reconciliation.start();
  }

  /** Resolves at the deadline at the latest, and never rejects: what has not stopped by then is reported. */
  async stop(deadline = this.runtime.shutdownDeadline()): Promise<void> {
    const { backend, reconciliation, tree } = this;
    // Rounds end before the parts that they ask; a round that hangs leaves these half of the time.
    const rounds = deadline.less(deadline.leftMs / 2);
    await this.stopped('the reconciliation of tasks', rounds, () => reconciliation.stop());
    await this.stopped("ElasticJob-Cloud's tree", deadline, async () => tree?.close());
    await this.stopped(`the task backend ${backend.name}`, deadline, () => inOwnContext(() => backend.stop()));
  }

  /** Call when the process has started. */
  follow(): void {
    this.tree?.follow();
  }

  /** Call before the process stops: no job comes or goes any more. Never rejects. */
  async unfollow(): Promise<void> {
    await this.tree?.unfollow();
  }

  /** Releases unfollowed tasks, now. @see TaskReconciliation.now */
  reconcile(): Promise<boolean> {
    return this.reconciliation.now();
  }

  /** @throws {ConfigurationError} if it has not started within `connectionTimeoutMs` @throws its error */
  private async startBackend(): Promise<void> {
    const { backend, clock, cluster, watched } = this;
    const timeoutMs = this.runtime.connectionTimeoutMs;
    const host: TaskHost = { clock, cluster, emit: (event) => watched.receive(event) };
    const starting = async (): Promise<void> => inOwnContext(() => backend.start(host));
    await Deadline.after(clock, timeoutMs).bounds(starting(), () => {
      throw new ConfigurationError('ElasticJobCloudModule', [
        `the task backend ${backend.name} has not started within ${timeoutMs} ms`,
      ]);
    });
  }

  private async stopped(what: string, deadline: Deadline, stop: () => Promise<void>): Promise<void> {
    const timeoutMs = Math.round(deadline.leftMs);
    const stopping = async (): Promise<void> => stop();
    try {
      await deadline.bounds(stopping(), () => {
        throw new Error(`It has not stopped within ${timeoutMs} ms.`);
      });
    } catch (error) {
      this.runtime.events.emit({ kind: 'error', jobName: undefined, message: `stopping ${what} failed`, error });
    }
  }

  private findTaskFault(configuration: JobConfiguration, onThrown: OnThrown): string | undefined {
    const { template } = this.settingsFor(configuration);
    const fault = findTemplateFault(this.backend, template, onThrown) ?? this.findIntervalFault(configuration);
    return fault && `task of backend ${this.backend.name}: ${fault}`;
  }

  private findIntervalFault(configuration: JobConfiguration): string | undefined {
    const fault = findIntervalFault(this.backend, configuration, this.clock.wallNow());
    return fault && `${fault}; make the job resident, so that its tasks go on, or leave out executor`;
  }

  private settingsOf(jobName: JobName): TaskSettings {
    // A run that has begun may start its task while the job is being removed.
    const job = this.runtime.registrar.find(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    const { configuration, definition } = job;
    const knownAs = parseCreatedJob(definition.className)?.template;
    if (knownAs !== CLOUD_TEMPLATE) return { ...this.settingsFor(configuration), knownAs };
    const { resources, task, appName } = this.tree!.tasksOf(jobName);
    return { ...this.settingsFor({ ...configuration, resources, task }), knownAs: appName };
  }

  private settingsFor(configuration: JobConfiguration): TaskSettings {
    const { apps = {}, defaults = {} } = this.options;
    const app = configuration.appName === undefined ? undefined : apps[configuration.appName];
    const { maxAttempts, retryDelayMs, retryFactor, retryJitter, retryMaxDelayMs, timeoutMs } = configuration;
    const { graceMs = DEFAULT_GRACE_MS, ...template } = laid<TaskOptions>(defaults.task, app?.task, configuration.task);
    return {
      template,
      resources: {
        ...DEFAULT_RESOURCES,
        ...laid<TaskResources>(defaults.resources, app?.resources, configuration.resources),
      },
      timeoutMs,
      graceMs,
      retries: { maxAttempts, retryDelayMs, retryFactor, retryJitter, retryMaxDelayMs },
    };
  }
}

/** Merges layers: later ones override earlier ones, except by undefined. */
function laid<Fields extends object>(...layers: readonly (Partial<Fields> | undefined)[]): Partial<Fields> {
  const said = layers.flatMap((layer = {}) => Object.entries(layer).filter(([, value]) => value !== undefined));
  return Object.assign({}, ...said.map(([field, value]) => ({ [field]: value })));
}

function findUnknownApp({ appName }: JobConfiguration, apps: TaskApps = {}): string | undefined {
  if (appName === undefined || Object.hasOwn(apps, appName)) return undefined;
  const known = Object.keys(apps);
  const meant = findNearestName(appName, known);
  const hint = meant === undefined ? `known are ${known.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return `appName ${show(appName)} is none of the apps of ElasticJobCloudModule; ${hint}`;
}
