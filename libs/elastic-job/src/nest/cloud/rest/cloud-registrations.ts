import { BadRequestException } from '@nestjs/common';
import {
  type CloudAppConfiguration,
  type CloudAppOptions,
  type CloudConfigurations,
  type CloudJobConfiguration,
  type CloudJobOptions,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from '../../../cloud/index.js';
import { isObject, show, UnknownJobError } from '../../../domain/index.js';
import type { JobOperateApi } from '../../../operations/index.js';
import { CloudTriggerError, UnusableCloudNodeError } from './cloud-rest.errors.js';

/** One application or job, as it stands in the registry. */
interface Stored<Configuration> {
  readonly name: string;
  readonly configuration: Configuration | undefined;
  readonly problems: readonly string[];
  readonly isDisabled: boolean;
}

/**
 * Registers, changes and runs applications and jobs, as ElasticJob-Cloud's REST interface does. Bodies are validated
 * here, whatever pipes the application has.
 * @see ElasticJob-Cloud 3.0.2, `CloudAppController` and `CloudJobController`
 */
export class CloudRegistrations {
  constructor(
    private readonly configurations: CloudConfigurations,
    private readonly operate: JobOperateApi,
  ) {}

  /** @throws {ConfigurationError} @throws {CloudAppExistsError} */
  addApp(body: CloudAppOptions): Promise<void> {
    return this.configurations.apps.add(mapping(body));
  }

  /** @throws {ConfigurationError} @throws {UnknownCloudAppError} */
  updateApp(body: CloudAppOptions): Promise<void> {
    return this.configurations.apps.update(mapping(body));
  }

  /** @throws {UnknownCloudAppError} @throws {UnusableCloudNodeError} */
  async app(appName: string): Promise<CloudAppConfiguration> {
    return usable(await this.storedApp(appName));
  }

  /** Usable applications, in the order of their names. */
  async apps(): Promise<readonly CloudAppConfiguration[]> {
    return usableOf(await this.configurations.apps.readAll());
  }

  /** @throws {UnknownCloudAppError} */
  async isAppDisabled(appName: string): Promise<boolean> {
    return (await this.storedApp(appName)).isDisabled;
  }

  /** @throws {UnknownCloudAppError} */
  setAppDisabled(appName: string, isDisabled: boolean): Promise<void> {
    const { apps } = this.configurations;
    return isDisabled ? apps.disable(appName) : apps.enable(appName);
  }

  /** Removes an application with its jobs. @throws {UnknownCloudAppError} */
  async removeApp(appName: string): Promise<void> {
    const removed = await this.configurations.apps.remove(appName);
    if (removed === undefined) throw new UnknownCloudAppError(appName);
  }

  /** @see CloudJobs.add */
  addJob(body: CloudJobOptions): Promise<void> {
    return this.configurations.jobs.add(mapping(body));
  }

  /** @see CloudJobs.update */
  updateJob(body: CloudJobOptions): Promise<void> {
    return this.configurations.jobs.update(mapping(body));
  }

  /** @throws {UnknownCloudJobError} @throws {UnusableCloudNodeError} */
  async job(jobName: string): Promise<CloudJobConfiguration> {
    return usable(await this.storedJob(jobName));
  }

  /** Usable jobs, in the order of their names. */
  async jobs(): Promise<readonly CloudJobConfiguration[]> {
    return usableOf(await this.configurations.jobs.readAll());
  }

  /** @throws {UnknownCloudJobError} */
  async isJobDisabled(jobName: string): Promise<boolean> {
    return (await this.storedJob(jobName)).isDisabled;
  }

  /** @throws {UnknownCloudJobError} */
  setJobDisabled(jobName: string, isDisabled: boolean): Promise<void> {
    const { jobs } = this.configurations;
    return isDisabled ? jobs.disable(jobName) : jobs.enable(jobName);
  }

  /** @throws {UnknownCloudJobError} */
  async removeJob(jobName: string): Promise<void> {
    if (!(await this.configurations.jobs.remove(jobName))) throw new UnknownCloudJobError(jobName);
  }

  /**
   * Runs all items of a job once, now.
   * @throws {UnknownCloudJobError} @throws {UnusableCloudNodeError}
   * @throws {CloudTriggerError} for a daemon, for a disabled job or application, and while no scheduler has the job
   */
  async trigger(jobName: string): Promise<void> {
    const stored = await this.storedJob(jobName);
    const { appName, jobExecutionType } = usable(stored);
    if (jobExecutionType === 'DAEMON') throw new CloudTriggerError(jobName, 'it is a daemon, which runs all the time');
    if (stored.isDisabled) throw new CloudTriggerError(jobName, 'it is disabled; enable it first');
    const app = await this.configurations.apps.read(appName);
    if (app?.isDisabled)
      throw new CloudTriggerError(jobName, `its application "${appName}" is disabled; enable it first`);
    if (!(await this.ask(jobName))) {
      throw new CloudTriggerError(jobName, 'no scheduler has it; look at the log of the schedulers, or try again');
    }
  }

  /** @returns false if no instance was there to be asked */
  private async ask(jobName: string): Promise<boolean> {
    try {
      const { asked, pending } = await this.operate.trigger(jobName);
      return asked.length + pending.length > 0;
    } catch (error) {
      if (error instanceof UnknownJobError) return false;
      throw error;
    }
  }

  private async storedApp(appName: string): Promise<Stored<CloudAppConfiguration>> {
    const stored = await this.configurations.apps.read(appName);
    if (stored === undefined) throw new UnknownCloudAppError(appName);
    return stored;
  }

  private async storedJob(jobName: string): Promise<Stored<CloudJobConfiguration>> {
    const stored = await this.configurations.jobs.read(jobName);
    if (stored === undefined) throw new UnknownCloudJobError(jobName);
    return stored;
  }
}

function usable<Configuration>({ configuration, name, problems }: Stored<Configuration>): Configuration {
  if (configuration === undefined) throw new UnusableCloudNodeError(name, problems);
  return configuration;
}

function usableOf<Configuration>(nodes: readonly Stored<Configuration>[]): readonly Configuration[] {
  return nodes.flatMap(({ configuration }) => configuration ?? []);
}

/** @throws {BadRequestException} if the body is no object */
function mapping<Body>(body: Body): Body {
  if (isObject(body)) return body;
  throw new BadRequestException(`The body must be a JSON object, but is ${show(body)}.`);
}
