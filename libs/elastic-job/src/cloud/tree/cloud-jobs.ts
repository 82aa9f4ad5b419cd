import { publicCalls } from '../../async-context/index.js';
import type { JobName } from '../../domain/index.js';
import type { Operation, RegistryCenter } from '../../registry/index.js';
import { CLOUD_JOB_FORM, type CloudJobConfiguration, type CloudJobOptions } from './cloud-job.js';
import { CloudNodes, type StoredCloudNode } from './cloud-nodes.js';
import { CLOUD_PATHS } from './cloud-paths.js';
import {
  CloudAppDisabledError,
  CloudJobDisabledError,
  CloudJobExistsError,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from './cloud-tree.errors.js';

/** The registered jobs. @see ElasticJob-Cloud 3.0.2, `ProducerManager` */
@publicCalls()
export class CloudJobs {
  private readonly nodes: CloudNodes<CloudJobConfiguration>;

  constructor(private readonly registry: RegistryCenter) {
    this.nodes = new CloudNodes(registry, {
      form: CLOUD_JOB_FORM,
      root: CLOUD_PATHS.jobs,
      disabledRoot: CLOUD_PATHS.disabledJobs,
      unknown: (name) => new UnknownCloudJobError(name),
    });
  }

  /**
   * Registers a job. Java also accepts one of a disabled application.
   * @throws {ConfigurationError} @throws {UnknownCloudAppError} @throws {CloudAppDisabledError}
   * @throws {CloudJobDisabledError} @throws {CloudJobExistsError}
   */
  async add(options: CloudJobOptions): Promise<void> {
    const job = CLOUD_JOB_FORM.resolve(options);
    const { appName, jobName } = job;
    const [appDisabled, jobDisabled] = await this.registry.readMany([
      CLOUD_PATHS.disabledApp(appName),
      CLOUD_PATHS.disabledJob(jobName),
    ]);
    if (jobDisabled !== undefined) throw new CloudJobDisabledError(jobName);
    if (appDisabled !== undefined) throw new CloudAppDisabledError(appName, jobName);
    const result = await this.nodes.create(jobName, job, [appOf(job)]);
    if (result.kind === 'committed') return;
    throw result.index === 0 ? new UnknownCloudAppError(appName) : new CloudJobExistsError(jobName);
  }

  /**
   * Changes a job. Java accepts an unknown application.
   * @throws {ConfigurationError} @throws {UnknownCloudAppError} @throws {UnknownCloudJobError}
   */
  async update(options: CloudJobOptions): Promise<void> {
    const job = CLOUD_JOB_FORM.resolve(options);
    const { kind } = await this.nodes.replace(job.jobName, job, [appOf(job)]);
    if (kind === 'refused') throw new UnknownCloudAppError(job.appName);
  }

  /** Removes a job, and its mark of being disabled. @returns false if there was no such job */
  remove(jobName: JobName): Promise<boolean> {
    return this.nodes.remove(jobName);
  }

  /** @returns the jobs of the application, as far as they could be read */
  async removeAllOf(appName: string): Promise<readonly JobName[]> {
    const ofApp = (await this.readAll()).filter(({ configuration }) => configuration?.appName === appName);
    for (const { name } of ofApp) await this.remove(name);
    return ofApp.map(({ name }) => name);
  }

  /** Reads a job; undefined if there is none. One request. */
  read(jobName: JobName): Promise<StoredCloudNode<CloudJobConfiguration> | undefined> {
    return this.nodes.read(jobName);
  }

  /** All jobs, in the order of their names. */
  readAll(): Promise<readonly StoredCloudNode<CloudJobConfiguration>[]> {
    return this.nodes.readAll();
  }

  /** Disables the job: from now on it is not scheduled. Idempotent. @throws {UnknownCloudJobError} */
  disable(jobName: JobName): Promise<void> {
    return this.nodes.disable(jobName);
  }

  /** Enables the job. Idempotent. @throws {UnknownCloudJobError} */
  enable(jobName: JobName): Promise<void> {
    return this.nodes.enable(jobName);
  }
}

function appOf({ appName }: CloudJobConfiguration): Operation {
  return { kind: 'check', path: CLOUD_PATHS.app(appName) };
}
