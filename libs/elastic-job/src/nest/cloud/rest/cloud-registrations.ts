/**
 * Registered applications and jobs, as ElasticJob-Cloud's REST interface reads, writes and triggers them.
 * @see ElasticJob-Cloud 3.0.2, `CloudAppController` and `CloudJobController`
 */
import { BadRequestException } from '@nestjs/common';
import {
  type CloudAppConfiguration,
  type CloudConfigurations,
  type CloudJobConfiguration,
  type StoredCloudNode,
  UnknownCloudAppError,
  UnknownCloudJobError,
} from '../../../cloud/index.js';
import { isObject, show, UnknownJobError } from '../../../domain/index.js';
import type { JobOperateApi } from '../../../operations/index.js';
import { CloudTriggerError, UnusableCloudNodeError } from './cloud-rest.errors.js';

/** @throws {UnknownCloudAppError} */
export async function storedApp(
  { apps }: CloudConfigurations,
  appName: string,
): Promise<StoredCloudNode<CloudAppConfiguration>> {
  const stored = await apps.read(appName);
  if (stored === undefined) throw new UnknownCloudAppError(appName);
  return stored;
}

/** @throws {UnknownCloudJobError} */
export async function storedJob(
  { jobs }: CloudConfigurations,
  jobName: string,
): Promise<StoredCloudNode<CloudJobConfiguration>> {
  const stored = await jobs.read(jobName);
  if (stored === undefined) throw new UnknownCloudJobError(jobName);
  return stored;
}

/** @throws {UnusableCloudNodeError} */
export function usable<Configuration>(node: StoredCloudNode<Configuration>): Configuration {
  const { configuration, name, problems } = node;
  if (configuration === undefined) throw new UnusableCloudNodeError(name, problems);
  return configuration;
}

/** The configurations that can be used, in the order of their names. */
export function usableOf<Configuration>(nodes: readonly StoredCloudNode<Configuration>[]): readonly Configuration[] {
  return nodes.flatMap(({ configuration }) => configuration ?? []);
}

/** A body that is an object, whatever pipes the application has. @throws {BadRequestException} */
export function mapping<Body>(body: Body): Body {
  if (isObject(body)) return body;
  throw new BadRequestException(`The body must be a JSON object, but is ${show(body)}.`);
}

/**
 * Runs all items of a registered job once, now.
 * @throws {UnknownCloudJobError} @throws {UnusableCloudNodeError}
 * @throws {CloudTriggerError} for a daemon, for a disabled job or application, and while no scheduler has the job
 */
export async function triggerJob(
  configurations: CloudConfigurations,
  operate: JobOperateApi,
  jobName: string,
): Promise<void> {
  const stored = await storedJob(configurations, jobName);
  const { appName, jobExecutionType } = usable(stored);
  if (jobExecutionType === 'DAEMON') throw new CloudTriggerError(jobName, 'it is a daemon, which runs all the time');
  if (stored.isDisabled) throw new CloudTriggerError(jobName, 'it is disabled; enable it first');
  const app = await configurations.apps.read(appName);
  if (app?.isDisabled)
    throw new CloudTriggerError(jobName, `its application "${appName}" is disabled; enable it first`);
  if (!(await askInstances(operate, jobName))) {
    throw new CloudTriggerError(jobName, 'no scheduler has it; look at the log of the schedulers, or try again');
  }
}

/** @returns false if no instance was there to be asked */
async function askInstances(operate: JobOperateApi, jobName: string): Promise<boolean> {
  try {
    const { asked, pending } = await operate.trigger(jobName);
    return asked.length + pending.length > 0;
  } catch (error) {
    if (error instanceof UnknownJobError) return false;
    throw error;
  }
}
