import {
  type CloudConfigurations,
  type CloudJobConfiguration,
  formatCloudTaskId,
  readOwnSettings,
  UNASSIGNED_SLAVE_ID,
} from '../../../cloud/index.js';
import type { Clock } from '../../../clock/index.js';
import { JobPaths } from '../../../coordination/index.js';
import { CronSchedule, serverIpOf } from '../../../domain/index.js';
import type { RecordedRun, ShardingInfo, ShardingStatisticsApi } from '../../../operations/index.js';
import { namesBelow, type RegistryCenter } from '../../../registry/index.js';
import { usableOf } from './cloud-registrations.js';

/** An item of a job. @see ElasticJob-Cloud 3.0.2, `TaskContext.MetaInfo` */
interface CloudMetaInfoAnswer {
  readonly jobName: string;
  readonly shardingItems: readonly number[];
}

/** A running task. @see ElasticJob-Cloud 3.0.2, `TaskContext` */
export interface CloudTaskAnswer {
  readonly id: string;
  readonly metaInfo: CloudMetaInfoAnswer;
  readonly type: 'READY' | 'FAILOVER';
  /** The machine; `unassigned-slave` before it is known. */
  readonly slaveId: string;
  readonly idle: boolean;
}

/** A job with runs that are due. @see ElasticJob-Cloud 3.0.2, `CloudJobController.findAllReadyTasks` */
export interface CloudReadyAnswer {
  readonly jobName: string;
  /** A whole number, as text. */
  readonly times: string;
}

/** An item that waits for failover. @see ElasticJob-Cloud 3.0.2, `FailoverTaskInfo` */
export interface CloudFailoverAnswer {
  readonly taskInfo: CloudMetaInfoAnswer;
  readonly originalTaskId: string;
}

/** Most owed runs of one job in an answer; larger numbers are shown as this one. */
const MOST_TIMES = 10_000;

interface JobItems {
  readonly job: CloudJobConfiguration;
  readonly items: readonly ShardingInfo[];
}

/**
 * ElasticJob-Cloud's queues of the registered jobs, derived from the nodes of Lite's items. Every answer asks the
 * registry: 4 requests and a few more for each job.
 */
export class CloudQueues {
  constructor(
    private readonly configurations: CloudConfigurations,
    private readonly sharding: ShardingStatisticsApi,
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
  ) {}

  /** Items that run now. */
  async running(): Promise<readonly CloudTaskAnswer[]> {
    const found = await this.itemsWhere(({ holder }) => holder !== undefined);
    return found.map(({ info, jobName }) => {
      const { item, holder = '', lastRun, task } = info;
      const isFailover = task === undefined ? info.failover : task.source === 'FAILOVER';
      const type = isFailover ? 'FAILOVER' : 'READY';
      // A run without a task runs in its scheduler.
      const slaveId = task === undefined ? serverIpOf(holder) || holder : (task.node ?? UNASSIGNED_SLAVE_ID);
      const uuid = task?.id ?? runOf(lastRun);
      const id = formatCloudTaskId({ jobName, items: [item], type, slaveId, uuid });
      return { id, metaInfo: { jobName, shardingItems: [item] }, type, slaveId, idle: false };
    });
  }

  /** Jobs that owe a run: a missed fire time that will be caught up on, or an operator's trigger. */
  async ready(): Promise<readonly CloudReadyAnswer[]> {
    const ready: CloudReadyAnswer[] = [];
    for (const { items, job } of await this.jobs()) {
      const triggers = await namesBelow(this.registry, new JobPaths(job.jobName).triggers);
      const times = this.owedTimes(job, items) + (triggers.length > 0 ? 1 : 0);
      if (times > 0) ready.push({ jobName: job.jobName, times: String(times) });
    }
    return ready;
  }

  /** Items whose run will be repeated, or whose task will be adopted. */
  async failover(): Promise<readonly CloudFailoverAnswer[]> {
    const found = await this.itemsWhere(({ isQueued }) => isQueued);
    return found.map(({ info, jobName }) => {
      const { item, lastRun } = info;
      const slaveId = (lastRun && serverIpOf(lastRun.instanceId)) || UNASSIGNED_SLAVE_ID;
      const uuid = runOf(lastRun);
      const originalTaskId = formatCloudTaskId({ jobName, items: [item], type: 'READY', slaveId, uuid });
      return { taskInfo: { jobName, shardingItems: [item] }, originalTaskId };
    });
  }

  private async itemsWhere(isWanted: (info: ShardingInfo) => boolean) {
    const jobs = await this.jobs();
    return jobs.flatMap(({ items, job: { jobName } }) => items.filter(isWanted).map((info) => ({ jobName, info })));
  }

  private async jobs(): Promise<readonly JobItems[]> {
    const jobs = usableOf(await this.configurations.jobs.readAll());
    return Promise.all(jobs.map(async (job) => ({ job, items: await this.sharding.getShardingInfo(job.jobName) })));
  }

  /** Java counts the owed runs with `misfire`, and keeps only one without. */
  private owedTimes({ cron, misfire, props }: CloudJobConfiguration, items: readonly ShardingInfo[]): number {
    const owing = items.filter(({ isMisfired }) => isMisfired);
    if (owing.length === 0) return 0;
    if (!misfire || !cron) return 1;
    const { timeZone } = readOwnSettings(props).settings;
    const now = this.clock.wallNow();
    return Math.max(
      ...owing.map(({ lastRun }) => {
        return Math.max(1, countFireTimes(cron, timeZone, lastRun?.fireTime ?? now, now));
      }),
    );
  }
}

/** Names a launch whose task is unknown, since Java's instances leave no record. */
function runOf(lastRun: RecordedRun | undefined): string {
  return lastRun?.run ?? 'unknown';
}

function countFireTimes(cron: string, timeZone: string | undefined, after: number, until: number): number {
  const schedule = new CronSchedule(cron, timeZone, 'natural');
  let count = 0;
  let last = schedule.next(after);
  for (; last !== undefined && last <= until && count < MOST_TIMES; count += 1) last = schedule.next(last);
  return count;
}
