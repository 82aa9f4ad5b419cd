import { publicCalls } from '../async-context/index.js';
import { sharedClass } from '../copies/index.js';
import { inDescendingOrder, type JobName } from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { jobNamesIn, readJobs } from './job-facts.js';

/** A server at a glance, over all jobs of the namespace. */
export interface ServerBriefInfo {
  readonly serverIp: string;
  /** Ids of the instances that run there now, each once, in Java's order. */
  readonly instances: readonly string[];
  /** Jobs that have run there, in the order of their names. */
  readonly jobNames: readonly JobName[];
  /** Those of the jobs for which the server is disabled. */
  readonly disabledJobNames: readonly JobName[];
}

/** Lists the servers. Values are frozen. @see ElasticJob, `ServerStatisticsAPI` */
@sharedClass('ServerStatisticsApi')
@publicCalls()
export class ServerStatisticsApi {
  constructor(private readonly registry: RegistryCenter) {}

  /** 2 requests, and two for each job. */
  async getServersTotalCount(): Promise<number> {
    return (await this.getAllServersBriefInfo()).length;
  }

  /** Every server that a job knows, in ascending order of the texts. 2 requests, and two for each job. */
  async getAllServersBriefInfo(): Promise<readonly ServerBriefInfo[]> {
    const jobs = await readJobs(this.registry, await jobNamesIn(this.registry), ['instances', 'servers']);
    const serverIps = new Set(jobs.flatMap(({ servers }) => servers.map(({ serverIp }) => serverIp)));
    const infos = [...serverIps].toSorted().map((serverIp) => {
      const on = <T extends { readonly serverIp: string }>(ones: readonly T[]) =>
        ones.filter((one) => one.serverIp === serverIp);
      const knowing = jobs.filter(({ servers }) => on(servers).length > 0);
      const disabled = knowing.filter(({ servers }) => on(servers).some(({ status }) => status === 'DISABLED'));
      const instanceIds = jobs.flatMap(({ instances }) => on(instances).map(({ jobInstanceId }) => jobInstanceId));
      return Object.freeze({
        serverIp,
        instances: Object.freeze(inDescendingOrder(new Set(instanceIds))),
        jobNames: Object.freeze(knowing.map(({ paths }) => paths.jobName)),
        disabledJobNames: Object.freeze(disabled.map(({ paths }) => paths.jobName)),
      });
    });
    return Object.freeze(infos);
  }
}
