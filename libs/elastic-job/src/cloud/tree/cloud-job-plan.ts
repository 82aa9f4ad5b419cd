import type { JobName, JobOptions } from '../../domain/index.js';
import type { TaskResources, TaskTemplate } from '../task-order.js';
import type { CloudAppConfiguration } from './cloud-app.js';
import type { CloudJobConfiguration } from './cloud-job.js';
import { type CloudOwnSettings, readOwnSettings, usersProps } from './own-settings.js';

/** Settings of a job's tasks, beside the options that every job has. */
export interface CloudTaskOptions extends Omit<CloudOwnSettings, 'timeZone'> {
  readonly executor: 'task';
  readonly appName: string;
  readonly resources: TaskResources;
  readonly task: Required<Pick<TaskTemplate, 'command'>> & Pick<TaskTemplate, 'image'>;
  /** Fetch the image only where it is missing, or for each task. */
  readonly imagePullPolicy: 'IfNotPresent' | 'Always';
  /** The schedule that a daemon's task follows by itself; undefined of a transient job, which its options schedule. */
  readonly daemonCron: string | undefined;
  /** Of so many runs of a daemon one is traced; 0: all of them. */
  readonly eventTraceSamplingCount: number;
}

/** A job of ElasticJob-Cloud as one of this library's. */
export interface CloudJobPlan {
  readonly options: JobOptions;
  readonly tasks: CloudTaskOptions;
}

/**
 * The options of the Lite job that a cloud job is. A daemon is resident.
 *
 * ElasticJob-Cloud counts every fire time that it could not begin as long as `misfire` is on, and otherwise keeps one:
 * its ready counter is always 1 then. So no job of its tree skips all of them. It marks running items always, whatever
 * `monitorExecution` says; so does this. It heeds none of `disabled`, `overwrite`, `maxTimeDiffSeconds` and the types
 * of sharding and thread pools: they have the defaults here. The resources of an application were those of an executor
 * that several tasks shared; a task of ours has its own alone.
 * @param app that of the job
 */
export function planCloudJob(job: CloudJobConfiguration, app: CloudAppConfiguration): CloudJobPlan {
  const isDaemon = job.jobExecutionType === 'DAEMON';
  const { timeZone: _, ...own } = readOwnSettings(job.props).settings;
  const tasks: CloudTaskOptions = {
    executor: 'task',
    appName: app.appName,
    resources: { cpu: job.cpuCount, memoryMb: Math.ceil(job.memoryMB) },
    // ElasticJob-Cloud has Mesos run the script in a shell.
    task: { image: app.appURL, command: ['/bin/sh', '-c', app.bootstrapScript] },
    imagePullPolicy: app.appCacheEnable ? 'IfNotPresent' : 'Always',
    daemonCron: isDaemon ? job.cron : undefined,
    eventTraceSamplingCount: app.eventTraceSamplingCount,
    ...own,
  };
  return { options: liteOptionsOf(job), tasks };
}

/** The part of the plan that stands in Lite's `config`. @see planCloudJob */
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
