import type { JobName, JobOptions } from '../../domain/index.js';
import type { TaskResources, TaskTemplate } from '../task-order.js';
import type { CloudAppConfiguration } from './cloud-app.js';
import type { CloudJobConfiguration } from './cloud-job.js';
import { type CloudOwnSettings, readOwnSettings, usersProps } from './own-settings.js';

/** Settings of a job's tasks, besides the options that every job has. */
export interface CloudTaskOptions extends Omit<CloudOwnSettings, 'timeZone'> {
  readonly executor: 'task';
  readonly appName: string;
  readonly resources: TaskResources;
  readonly task: Required<Pick<TaskTemplate, 'command'>> & Pick<TaskTemplate, 'image'>;
  /** Fetches the image only if it is missing, or for each task. */
  readonly imagePullPolicy: 'IfNotPresent' | 'Always';
  /** Schedule that a daemon's task follows itself; undefined for a transient job, whose options have the schedule. */
  readonly daemonCron: string | undefined;
  /** One of so many runs of a daemon is traced; 0: all of them. */
  readonly eventTraceSamplingCount: number;
}

/** A job of ElasticJob-Cloud, converted into a job of this library. */
export interface CloudJobPlan {
  readonly options: JobOptions;
  readonly tasks: CloudTaskOptions;
}

/**
 * Options of the Lite job for a cloud job. A daemon is resident.
 *
 * With `misfire` on, ElasticJob-Cloud counts every fire time that it could not begin; otherwise it keeps one, since its
 * ready counter is always 1 then. So no job of its tree skips all of them. It always marks running items, whatever
 * `monitorExecution` says, and so does this. It ignores `disabled`, `overwrite`, `maxTimeDiffSeconds` and the types of
 * sharding and thread pools, which have the defaults of this process. There, the resources of an application were those
 * of an executor that several tasks shared; here each task has its own resources only.
 * @param app that of the job
 */
export function planCloudJob(job: CloudJobConfiguration, app: CloudAppConfiguration): CloudJobPlan {
  const isDaemon = job.jobExecutionType === 'DAEMON';
  const { timeZone: _, ...own } = readOwnSettings(job.props).settings;
  const tasks: CloudTaskOptions = {
    executor: 'task',
    appName: app.appName,
    resources: { cpu: job.cpuCount, memoryMb: Math.ceil(job.memoryMB) },
    // Mesos runs the script in a shell.
    task: { image: app.appURL, command: ['/bin/sh', '-c', app.bootstrapScript] },
    imagePullPolicy: app.appCacheEnable ? 'IfNotPresent' : 'Always',
    daemonCron: isDaemon ? job.cron : undefined,
    eventTraceSamplingCount: app.eventTraceSamplingCount,
    ...own,
  };
  return { options: liteOptionsOf(job), tasks };
}

/** The part of the plan that Lite's `config` holds. @see planCloudJob */
export function liteOptionsOf(job: CloudJobConfiguration): JobOptions & { readonly name: JobName } {
  const isDaemon = job.jobExecutionType === 'DAEMON';
  const { timeZone } = readOwnSettings(job.props).settings;
  return {
    name: job.jobName,
    cron: isDaemon ? undefined : job.cron,
    timeZone,
    resident: isDaemon,
    shardingTotalCount: job.shardingTotalCount,
    shardingItemParameters: job.shardingItemParameters,
    jobParameter: job.jobParameter,
    monitorExecution: true,
    failover: job.failover && !isDaemon,
    misfirePolicy: isDaemon ? undefined : job.misfire ? 'all' : 'once',
    reconcileIntervalMinutes: Math.max(job.reconcileIntervalMinutes, 0),
    jobErrorHandlerType: job.jobErrorHandlerType,
    description: job.description,
    props: usersProps(job.props),
  };
}
