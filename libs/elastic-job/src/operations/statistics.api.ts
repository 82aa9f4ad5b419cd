import { publicCalls } from '../async-context/index.js';
import { type Clock, SystemClock } from '../clock/index.js';
import { sharedClass } from '../copies/index.js';
import { inDescendingOrder, type JobBriefStatus, type JobName, parseCreatedJob } from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { TextTurns } from '../turns/index.js';
import { assertServerIp, pathsOf } from './command-arguments.js';
import {
  eachJob,
  isOfFailure,
  type JobFacts,
  jobNamesIn,
  type JobPart,
  readJob,
  readJobs,
  settingsOf,
  statusOf,
  textLengthOf,
} from './job-facts.js';

/** A job at a glance. */
export interface JobBriefInfo {
  readonly jobName: JobName;
  readonly status: JobBriefStatus;
  readonly description: string;
  /** Undefined: a job that runs after others, or a one-off job, which runs only when it is triggered. */
  readonly cron: string | undefined;
  /** Jobs after which it starts. */
  readonly after: readonly JobName[];
  /** Number of registered instances; on one server, if the request was for one. */
  readonly instanceCount: number;
  /** 0 if the `config` node does not have it. */
  readonly shardingTotalCount: number;
  /** Number of disabled items, whatever the status; undefined if the request was for one server. */
  readonly disabledItemCount: number | undefined;
  /**
   * Number of items whose last run has failed, after all of its attempts; `getShardingInfo` names them. An item that
   * runs again does not count until it has ended. Undefined if the request was for one server. Java's instances leave
   * no record, and beside them no end is recorded.
   */
  readonly failedItemCount: number | undefined;
  /** Template of a created job; undefined for a job that is declared in code. */
  readonly template: string | undefined;
  /** True for a created job that is being removed. */
  readonly isBeingRemoved: boolean;
  /**
   * Why the job's `config` node cannot be read, for example because ElasticJob 2 wrote it; its values are missing then.
   */
  readonly problem: string | undefined;
}

const ALL_PARTS: readonly JobPart[] = ['instances', 'servers', 'items', 'records'];

/**
 * Lists the jobs and their states: every job of the namespace that has a `config` node, on whatever instances. Values
 * are frozen.
 * @see ElasticJob, `JobStatisticsAPI`
 */
@sharedClass('JobStatisticsApi')
@publicCalls()
export class JobStatisticsApi {
  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock = new SystemClock(),
  ) {}

  /** 2 requests, if they fit, and one more for each further 500 jobs. */
  async getJobsTotalCount(): Promise<number> {
    return (await this.describeJobs([], ({ paths }) => paths.jobName)).length;
  }

  /** Undefined if there is no such job. 2 requests. @throws {InvalidArgumentError} */
  async getJobBriefInfo(jobName: JobName): Promise<JobBriefInfo | undefined> {
    const job = await readJob(this.registry, pathsOf(jobName), ALL_PARTS);
    return job.config && briefInfo(job, job.config.data);
  }

  /** In the order of their names. 3 requests, if they fit, and two more for each further 500 jobs. */
  async getAllJobsBriefInfo(): Promise<readonly JobBriefInfo[]> {
    return Object.freeze(await this.describeJobs(ALL_PARTS, briefInfo));
  }

  /**
   * Jobs that know a server, with their state there: DISABLED or OK. 3 requests, if they fit, and two more for each
   * further 500 jobs of the namespace.
   * @throws {InvalidArgumentError}
   */
  async getJobsBriefInfo(serverIp: string): Promise<readonly JobBriefInfo[]> {
    assertServerIp(serverIp);
    const describe = (job: JobFacts, config: string) => infoOnServer(job, config, serverIp);
    return Object.freeze(await this.describeJobs(['instances', 'servers'], describe));
  }

  /** A namespace may be full of large nodes: they are read in turns, and not kept. */
  private async describeJobs<T>(
    parts: readonly JobPart[],
    describe: (job: JobFacts, config: string) => T | undefined,
  ): Promise<T[]> {
    const { registry } = this;
    const turns = new TextTurns(this.clock);
    const described: T[] = [];
    for await (const job of eachJob(registry, await jobNamesIn(registry), parts)) {
      if (job.config === undefined) continue;
      await turns.admit(textLengthOf(job));
      const info = describe(job, job.config.data);
      if (info !== undefined) described.push(info);
    }
    return described;
  }
}

function briefInfo(job: JobFacts, config: string): JobBriefInfo {
  return infoOf(job, config, {
    status: statusOf(job),
    instanceCount: job.instances.length,
    disabledItemCount: job.disabledItems.length,
    failedItemCount: [...job.records.values()].filter(isOfFailure).length,
  });
}

function infoOnServer(job: JobFacts, config: string, serverIp: string): JobBriefInfo | undefined {
  const server = job.servers.find((one) => one.serverIp === serverIp);
  if (server === undefined) return undefined;
  const count = job.instances.filter((instance) => instance.serverIp === serverIp).length;
  const status = server.status === 'DISABLED' ? 'DISABLED' : 'OK';
  return infoOf(job, config, { status, instanceCount: count, ...OF_ALL_SERVERS });
}

/** Counts that no single server has. */
const OF_ALL_SERVERS = { disabledItemCount: undefined, failedItemCount: undefined };

type BriefState = Pick<JobBriefInfo, 'status' | 'instanceCount' | 'disabledItemCount' | 'failedItemCount'>;

function infoOf({ paths, root }: JobFacts, config: string, state: BriefState): JobBriefInfo {
  const { jobName } = paths;
  const { template, isBeingRemoved = false } = parseCreatedJob(root?.data ?? '') ?? {};
  return Object.freeze({ jobName, ...state, template, isBeingRemoved, ...settingsIn(config, jobName) });
}

type BriefSettings = Pick<JobBriefInfo, 'description' | 'cron' | 'after' | 'shardingTotalCount' | 'problem'>;

function settingsIn(config: string, jobName: JobName): BriefSettings {
  const { problem, stored } = settingsOf(config, jobName);
  const { description = '', cron, nestjs, shardingTotalCount = 0 } = stored ?? {};
  const after = Object.freeze(cron ? [] : [...(nestjs?.after ?? [])]);
  return { description, cron: cron || undefined, after, shardingTotalCount, problem };
}

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

  /** 3 requests, if they fit, and two more for each further 500 jobs. */
  async getServersTotalCount(): Promise<number> {
    return (await this.getAllServersBriefInfo()).length;
  }

  /**
   * Every server that a job knows, in ascending order of the texts. 3 requests, if they fit, and two more for each
   * further 500 jobs.
   */
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
