import { type JobName, type JobOptions, show } from '../../domain/index.js';
import type { TaskResources, TaskTemplate } from '../task-order.js';
import type { CloudAppConfiguration } from './cloud-apps.js';
import type { CloudJobConfiguration } from './cloud-jobs.js';
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

/**
 * Programs that jobs of the registry may run in tasks. A job that asks for anything else does not run here.
 * @default nothing
 */
export interface TaskAllow {
  /**
   * An image as `appURL` names it; without tag and digest, all images of that name. Backends without images need none.
   * @default none
   */
  readonly images?: readonly string[];
  /** The whole text of a `bootstrapScript`. @default none */
  readonly commands?: readonly string[];
  /** The whole text of a `podTemplate`. @default none */
  readonly podTemplates?: readonly string[];
}

/** Finds the parts of a job that are not allowed. Each text names the entry for `allow`. */
export function findForbidden(
  { podTemplate, task: { command, image } }: CloudTaskOptions,
  { images = [], commands = [], podTemplates = [] }: TaskAllow = {},
): readonly string[] {
  const script = command.at(-1);
  return [
    ...(image === undefined || images.some((name) => isNamed(name, image))
      ? []
      : [refusal(`appURL ${show(image)}`, 'images')]),
    ...(script !== undefined && commands.includes(script)
      ? []
      : [refusal(`bootstrapScript ${show(script)}`, 'commands')]),
    ...(podTemplate === undefined || podTemplates.includes(podTemplate)
      ? []
      : [refusal('props.elastic-job.io/podTemplate', 'podTemplates')]),
  ];
}

function isNamed(allowed: string, image: string): boolean {
  return image === allowed || (image.startsWith(allowed) && /^[:@][^/]*$/.test(image.slice(allowed.length)));
}

function refusal(what: string, list: keyof TaskAllow): string {
  return `${what} is not allowed in this process; add it to allow.${list} of ElasticJobCloudModule`;
}
