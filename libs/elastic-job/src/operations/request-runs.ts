import {
  assertNotElasticJob2,
  formatTriggerRequest,
  isCommitted,
  type JobPaths,
  type TriggerRequest,
  unknownJob,
  untilAccepted,
} from '../coordination/index.js';
import { inJavaOrder } from '../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../registry/index.js';
import { namesBelow } from './job-facts.js';

/** Result of a request for a run. Instance ids, in Java's order. */
export interface TriggerReceipt {
  /** Id of the run: `ShardingContext.trigger.id` on our instances. */
  readonly id: string;
  /** Instances that were asked for this run. */
  readonly asked: readonly string[];
  /** Instances that have not taken an earlier request yet; it stands, and this one was not added. */
  readonly pending: readonly string[];
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
  return untilAccepted(jobName, 'asking for a run', async () => {
    const [[root, parent, config], instanceIds, requested] = await Promise.all([
      registry.readMany([paths.root, paths.triggers, paths.config]),
      namesBelow(registry, paths.instances),
      namesBelow(registry, paths.triggers),
    ]);
    if (root === undefined) throw await unknownJob(registry, jobName);
    // Instances of ElasticJob 2 never look at such a request.
    if (config !== undefined) assertNotElasticJob2(config.data, jobName);
    const asked = inJavaOrder(instanceIds.filter((instanceId) => !requested.includes(instanceId)));
    const pending = inJavaOrder(instanceIds.filter((instanceId) => requested.includes(instanceId)));
    const gone = requested.filter((instanceId) => !instanceIds.includes(instanceId));
    const operations: Operation[] = [
      ...(parent === undefined && asked.length > 0 ? [creation(paths.triggers)] : []),
      // Without the check, a request to an instance that has gone meanwhile would stay.
      ...asked.map((instanceId): Operation => ({ kind: 'check', path: paths.instance(instanceId) })),
      ...asked.map((instanceId) => creation(paths.trigger(instanceId), formatTriggerRequest(request))),
      ...gone.map((instanceId): Operation => ({ kind: 'delete', path: paths.trigger(instanceId) })),
    ];
    if (!(await isCommitted(registry, operations))) return undefined;
    return Object.freeze({ id: request.id, asked: Object.freeze(asked), pending: Object.freeze(pending) });
  });
}
