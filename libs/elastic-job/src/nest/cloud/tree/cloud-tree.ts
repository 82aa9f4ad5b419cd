import type { Clock } from '../../../clock/index.js';
import {
  type CloudConfigurations,
  type CloudJobPlan,
  CloudTakeover,
  type CloudTaskOptions,
  findIntervalFault,
  findTemplateFault,
  type TaskBackend,
} from '../../../cloud/index.js';
import { ConfigurationError, type JobName, type OnThrown } from '../../../domain/index.js';
import type { JobOperateApi } from '../../../operations/index.js';
import type { ElasticJobRuntime } from '../../../runtime/index.js';
import type { ElasticJobCloudModuleOptions } from '../cloud-module-options.js';
import { CloudTreeFollower, type FittedPlan } from './cloud-tree-follower.js';
import { HandOver } from './hand-over.js';
import { type CloudRegistries, LiteJobs } from './lite-jobs.js';

/** Settings of pods, which no backend supports yet. */
const POD_SETTINGS = ['podTemplate', 'queueName', 'priorityClassName', 'nodeSelector'] as const;

/** Surroundings of the tree in an application. */
interface CloudTreeParts {
  readonly options: ElasticJobCloudModuleOptions;
  readonly registries: CloudRegistries;
  readonly configurations: CloudConfigurations;
  readonly operate: JobOperateApi;
  readonly runtime: ElasticJobRuntime;
  readonly clock: Clock;
  /** False if this process runs no jobs, and only reads and writes the tree. */
  readonly processing: boolean;
}

/** ElasticJob-Cloud's tree in one application: its session, and the jobs that come and go with it. */
export class CloudTree {
  private readonly follower: CloudTreeFollower;
  private readonly closing = new AbortController();

  constructor(private readonly parts: CloudTreeParts) {
    const { clock, configurations, operate, options, registries, runtime } = parts;
    const takeover = new CloudTakeover(registries.cloud);
    this.follower = new CloudTreeFollower({
      runtime,
      clock,
      configurations,
      takeover,
      handOver: new HandOver({ registries, takeover, operate, runtime, clock }),
      lite: new LiteJobs(registries, operate),
      allow: options.allow,
      fit: (plan, onThrown) => fitTo(options.backend, plan, clock.wallNow(), onThrown),
    });
  }

  /** Connects. @param template template of the jobs @throws {RegistryUnavailableError} */
  async open(template: Parameters<CloudTreeFollower['declare']>[0]): Promise<void> {
    const { processing, registries, runtime } = this.parts;
    if (processing) this.follower.declare(template);
    await registries.cloud.connect({ timeoutMs: runtime.connectionTimeoutMs, signal: this.closing.signal });
  }

  /** Name of all schedulers of the tree: its framework id. */
  cluster(): Promise<string> {
    return this.parts.configurations.frameworkId();
  }

  follow(): void {
    if (this.parts.processing) this.follower.start();
  }

  /** Never rejects. */
  async unfollow(): Promise<void> {
    this.closing.abort();
    await this.follower.stop();
  }

  async close(): Promise<void> {
    await this.unfollow();
    await this.parts.registries.cloud.close();
  }

  /** @throws {ConfigurationError} if the job rests by now */
  tasksOf(jobName: JobName): CloudTaskOptions {
    const plan = this.follower.planOf(jobName);
    if (plan !== undefined) return plan.tasks;
    throw new ConfigurationError(`cloud job "${jobName}"`, ['it rests here, so no task of it is started']);
  }
}

/** A backend without images starts the command on its own host, and ignores the application's image. */
function fitTo(backend: TaskBackend, plan: CloudJobPlan, now: number, onThrown: OnThrown): FittedPlan {
  const { command, image } = plan.tasks.task;
  const hasImages = findTemplateFault(backend, { command, image }) === undefined;
  const task = hasImages ? { command, image } : { command };
  const fault = findTemplateFault(backend, task, onThrown);
  const tooFast = findIntervalFault(backend, plan.options, now);
  const unknown = POD_SETTINGS.filter((name) => plan.tasks[name] !== undefined);
  return {
    plan: { ...plan, tasks: { ...plan.tasks, task } },
    faults: [
      ...(fault === undefined ? [] : [`the backend ${backend.name} refuses its task: ${fault}`]),
      ...(tooFast === undefined ? [] : [`backend ${backend.name}: ${tooFast}; register the job as a DAEMON`]),
      ...unknown.map((name) => `props.elastic-job.io/${name} is for pods, and the backend ${backend.name} has none`),
    ],
  };
}
