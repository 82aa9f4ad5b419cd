/**
 * Applications and jobs that operators register in the registry, to be run in tasks.
 *
 * State: ElasticJob-Cloud's tree, in a namespace of its own: `/config/app` and `/config/job` hold a text for each name,
 * `/state/disable` names those that rest, `/ha/framework_id` the schedulers as one.
 *
 * Guarantees: a job is registered only while its application is. Each write is one transaction, so of two operators who
 * register the same name one is refused. Every written text can be read back. All schedulers have one id.
 *
 * Failures: a wrong text from elsewhere is reported with its faults, and does not affect the others. If the answer to a
 * write is lost, the error says so; a second attempt finds the work done, by this or another operator.
 */
import { publicCalls } from '../../async-context/index.js';
import type { Clock } from '../../clock/index.js';
import { untilAccepted } from '../../coordination/index.js';
import { creation, type Operation, type RegistryCenter } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { CloudApps } from './cloud-apps.js';
import { type CloudJobChange, CloudJobFeed } from './cloud-job-feed.js';
import { CloudJobs } from './cloud-jobs.js';
import { CLOUD_PATHS } from './cloud-paths.js';

/** The applications and jobs of a namespace. */
@publicCalls()
export class CloudConfigurations {
  readonly jobs: CloudJobs;
  readonly apps: CloudApps;

  /** @param registry of the namespace, such as `CLOUD_NAMESPACE` */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
  ) {
    this.jobs = new CloudJobs(registry);
    this.apps = new CloudApps(registry, this.jobs);
  }

  /**
   * The id of all schedulers of the namespace, created by the first of them and kept. An id that ElasticJob-Cloud has
   * got from Mesos stays.
   * @see ElasticJob-Cloud 3.0.2, `FrameworkIDService`
   */
  frameworkId(): Promise<string> {
    const { clock, registry } = this;
    const path = CLOUD_PATHS.frameworkId;
    return repeat(untilAccepted('framework', 'its id'), async () => {
      const node = await registry.read(path);
      if (node !== undefined && node.data !== '') return node.data;
      const data = clock.uuid();
      if (node === undefined) await registry.ensurePath(CLOUD_PATHS.ha);
      const write: Operation =
        node === undefined ? creation(path, data) : { kind: 'set', path, data, version: node.stat.version };
      return (await registry.transaction([write])).kind === 'committed' ? data : undefined;
    });
  }

  /** Yields all jobs, and then their changes. @throws the signal's reason @see CloudJobFeed */
  watch(signal: AbortSignal): AsyncIterable<CloudJobChange> {
    return new CloudJobFeed(this.registry, this.clock).changes(signal);
  }
}
