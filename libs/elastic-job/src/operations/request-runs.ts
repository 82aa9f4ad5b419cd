import {
  assertNotElasticJob2,
  formatTriggerRequest,
  isCommitted,
  type JobPaths,
  parseConfiguration,
  type TriggerRequest,
  unknownJob,
  untilAccepted,
} from '../coordination/index.js';
import type { JobName } from '../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { type JobFacts, namesBelow, readJob } from './job-facts.js';

/** Result of a request for a run. Instance ids, in Java's order. */
export interface TriggerReceipt {
  /** Id of the run: `ShardingContext.trigger.id` on our instances. */
  readonly id: string;
  /** Instances that were asked for this run. */
  readonly asked: readonly string[];
  /** Instances that have not taken an earlier request yet; it stands, and this one was not added. */
  readonly pending: readonly string[];
  /**
   * Why no item runs for the request, if that is known: `disabled`: the servers of all instances are disabled;
   * `resident`: the items run at all times; `no-instance`: nobody is there to be asked.
   */
  readonly skipped?: 'disabled' | 'resident' | 'no-instance';
}

/**
 * Writes the request for every instance without a waiting one, in one transaction. Java removes all requests first and
 * then writes one after the other, so that two operators can each remove the other's request.
 * @throws {UnknownJobError}
 * @throws {ElasticJob2ConfigurationError} for a job of ElasticJob 2; nothing is written
 */
export function requestRuns(
  registry: RegistryCenter,
  paths: JobPaths,
  request: TriggerRequest,
): Promise<TriggerReceipt> {
  const { jobName } = paths;
  return repeat(untilAccepted(jobName, 'asking for a run'), async () => {
    const [{ root, config, instances, servers }, requested, [parent]] = await Promise.all([
      readJob(registry, paths, ['instances', 'servers']),
      namesBelow(registry, paths.triggers),
      registry.readMany([paths.triggers]),
    ]);
    if (root === undefined) throw await unknownJob(registry, jobName);
    // Instances of ElasticJob 2 never look at such a request.
    if (config !== undefined) assertNotElasticJob2(config.data, jobName);
    const instanceIds = instances.map(({ jobInstanceId }) => jobInstanceId);
    const asked = instanceIds.filter((instanceId) => !requested.includes(instanceId));
    const pending = instanceIds.filter((instanceId) => requested.includes(instanceId));
    const gone = requested.filter((instanceId) => !instanceIds.includes(instanceId));
    const operations: Operation[] = [
      ...(parent === undefined && asked.length > 0 ? [creation(paths.triggers)] : []),
      // Without the check, a request to an instance that has gone meanwhile would stay.
      ...asked.map((instanceId): Operation => ({ kind: 'check', path: paths.instance(instanceId) })),
      ...asked.map((instanceId) => creation(paths.trigger(instanceId), formatTriggerRequest(request))),
      ...gone.map((instanceId): Operation => ({ kind: 'delete', path: paths.trigger(instanceId) })),
    ];
    if (!(await isCommitted(registry, operations))) return undefined;
    const skipped = skipReason(jobName, { config, instances, servers });
    return Object.freeze({
      id: request.id,
      asked: Object.freeze(asked),
      pending: Object.freeze(pending),
      ...(skipped !== undefined && { skipped }),
    });
  });
}

/** The request is made all the same, as Java's is: the job may be enabled before an instance takes it. */
function skipReason(
  jobName: JobName,
  { config, instances, servers }: Pick<JobFacts, 'config' | 'instances' | 'servers'>,
): TriggerReceipt['skipped'] {
  if (instances.length === 0) return 'no-instance';
  const disabled = new Set(servers.flatMap(({ serverIp, status }) => (status === 'DISABLED' ? serverIp : [])));
  if (instances.every(({ serverIp }) => disabled.has(serverIp))) return 'disabled';
  return config !== undefined && isResident(config.data, jobName) ? 'resident' : undefined;
}

function isResident(text: string, jobName: JobName): boolean {
  try {
    return parseConfiguration(text, jobName).nestjs.resident === true;
  } catch {
    return false; // Another text may be in force, which only the instances know.
  }
}
