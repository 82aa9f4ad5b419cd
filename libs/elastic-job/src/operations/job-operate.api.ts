import { publicCalls } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import { formatTriggerRequest } from '../coordination/index.js';
import { sharedClass } from '../copies/index.js';
import type { CronDialect, JobName, Redact, ShardingStrategy } from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import {
  assertItem,
  assertReadable,
  DUMP_TABLE,
  type DumpOptions,
  pathsOf,
  scopeOf,
  type ServerScope,
  type SwitchScope,
  switchScopeOf,
  TRIGGER_TABLE,
  type TriggerOptions,
} from './command-arguments.js';
import { createJob, type FindTemplate, type NewJob } from './create-job.js';
import { dumpJob } from './job-dump.js';
import {
  type CancelOutcome,
  type ItemCancelOutcome,
  type LossOutcome,
  requestCancel,
  requestCancels,
  requestLoss,
  requestReshard,
  requestResignation,
  requestRuns,
  type ReshardOutcome,
  type ResignOutcome,
  type TriggerReceipt,
} from './requests.js';
import { previewRerun, type RerunPreview } from './rerun-preview.js';
import type { RerunOptions } from './rerun-request.js';
import { type OpenRerun, openReruns, requestRerun, type RerunReceipt, withdrawRerun } from './reruns.js';
import { remove, shutDown } from './scoped-commands.js';
import { switchScope, type SwitchOutcome, switchServer } from './switches.js';

/**
 * Operator's commands for any job of the namespace: instances of this package and Java's instances follow them. Each
 * command reads the nodes that it concerns, and is then one transaction: all of it happens, or nothing. If a node was
 * changed meanwhile, the command reads again. Some have further steps: `disable` and `enable` of a whole job if a
 * server joins meanwhile, `remove` of a created job, and `cancelAll`. If such a step fails, they reject with
 * `PartlyDoneError`.
 *
 * If an answer is lost, a command rejects with `RegistryUnavailableError`, and may have been done. Every command can be
 * repeated then; only a repeated `trigger` may be a second run, if the first request was taken
 * already, and a repeated `rerun` is a second one.
 *
 * Commands reject with `UnknownJobError` if the namespace has no such job, `UnknownServerError` if the job has no such
 * server, `InvalidArgumentError` for an impossible name, and `ConfigurationError` for wrong and unknown options.
 * @see ElasticJob, `JobOperateAPI`
 */
@sharedClass('JobOperateApi')
@publicCalls()
export class JobOperateApi {
  /**
   * @param strategies the user's own, which new jobs may name by their type besides the built-in ones
   * @param cronDialect dialect of new jobs that name none
   * @param findTemplate finds the templates of this process, whose limits new jobs must keep
   */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
    private readonly strategies: readonly ShardingStrategy[] = [],
    private readonly cronDialect: CronDialect = 'quartz',
    private readonly findTemplate: FindTemplate = () => undefined,
    private readonly redact: Redact = (text) => text,
  ) {}

  /**
   * Creates a job for the whole cluster, from a template (`@ElasticJobTemplate`). Every instance that has the template
   * joins it at once, and after every restart, until the job is removed. One transaction; in a process that has the
   * template, one read more, for its `maxJobs`. After a lost reply the job may exist: then a second `create` rejects
   * with `JobExistsError`.
   * @throws {JobExistsError} if the namespace has such a node, also while such a job is being removed
   * @throws {ConfigurationError} for wrong options, for `overwrite`, options of the code and unknown ones, or for props
   * that the template refuses
   * @throws {TemplateLimitError} if this process has the template, and the job would be beyond one of its limits
   * @throws {InvalidArgumentError} for a name that no job or template can have
   */
  async create(job: NewJob): Promise<void> {
    const { strategies, cronDialect, findTemplate } = this;
    const now = this.clock.wallNow();
    await createJob(this.registry, job, { now, strategies, cronDialect, findTemplate });
  }

  /**
   * Asks every instance of the job to run its items once, now. A request that an instance has not taken yet stays as it
   * is, so two operators never cancel each other; requests to instances that are gone are removed. The receipt says if
   * nothing will run for it, and why. 5 requests.
   * @throws {ElasticJob2ConfigurationError} for a job of ElasticJob 2, whose instances would never see the request
   * @throws {RequestTooLargeError} if the parameters exceed what an instance reads (256 KB) or, once for each instance,
   * what a request may hold
   */
  async trigger(jobName: JobName, input: TriggerOptions = {}): Promise<TriggerReceipt> {
    const { parameters } = TRIGGER_TABLE.checked('JobOperateApi.trigger', input);
    const paths = pathsOf(jobName);
    const request = { id: this.clock.uuid(), parameters };
    assertReadable(`trigger ${jobName}`, formatTriggerRequest(request));
    return requestRuns(this.registry, paths, request);
  }

  /**
   * Runs past fire times once more, for some items. It outlives every process, until each target (one item at one fire
   * time) has ended once, with any outcome, or it is withdrawn. An item runs one thing at a time: a due fire time goes
   * before the next target. The schedule is not touched: no fire time counts as done or missed by it, jobs that start
   * after this one do not, and the checkpoint stays. Disabled items wait. 5 requests, and one more if re-runs are open.
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError} @throws {RequestTooLargeError}
   * @throws {ConfigurationError} for wrong options, and for an instant that is not past
   * @throws {NoSuchFireTimeError} for an instant that the schedule lacks, unless `anyTime`
   * @throws {TooManyRerunsError} beyond 16 open re-runs of a job, or 10,000 targets of these
   * @throws {JavaPeersError} @throws {ResidentJobError} @throws {UnmonitoredJobError}
   * @throws {ConfigurationNodeError} @throws {ElasticJob2ConfigurationError} if the settings cannot be read
   */
  async rerun(jobName: JobName, options: RerunOptions): Promise<RerunReceipt> {
    return requestRerun(this.registry, this.clock, jobName, options);
  }

  /**
   * Says for each target of a re-run if it would begin, and why, without a write. `not` stands where `rerun` would
   * refuse the whole. 5 requests, and up to two more if re-runs are open.
   * @throws as `rerun` does for wrong options, an unknown job, and settings that cannot be read
   */
  async previewRerun(jobName: JobName, options: RerunOptions): Promise<RerunPreview> {
    return previewRerun(this.registry, this.clock, jobName, options);
  }

  /**
   * The open re-runs of a job, the oldest first, with the progress of each item. 4 requests at most, if they fit.
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   */
  async reruns(jobName: JobName): Promise<readonly OpenRerun[]> {
    return openReruns(this.registry, pathsOf(jobName));
  }

  /**
   * Withdraws a re-run: nothing more of it begins, and what runs goes on. What has ended stays so.
   * @throws {UnknownJobError} @throws {UnknownRerunError} @throws {InvalidArgumentError}
   * @throws {PartlyDoneError} if it is withdrawn, and its nodes could not be deleted; a leader does that
   */
  async withdrawRerun(jobName: JobName, id: string): Promise<void> {
    return withdrawRerun(this.registry, jobName, id);
  }

  /**
   * Asks the instance that runs an item to abort this run: its signal aborts with `CancelledError`, and once its
   * handler has returned it is settled as `aborted`. It does not run elsewhere instead, also if its process dies before
   * the handler has returned, and the next fire time runs as usual. 2 requests.
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  async cancel(jobName: JobName, item: number): Promise<CancelOutcome> {
    const paths = pathsOf(jobName);
    assertItem(item);
    return requestCancel(this.registry, paths, item);
  }

  /**
   * Asks for the abort of every present run of the job, as `cancel` does for one. ElasticJob-Cloud does so when it
   * disables or changes a job. Disable the job first, or its next fire time begins new runs. 3 requests, and two for
   * each running item.
   * @returns the outcomes, by ascending item; empty if nothing runs
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   * @throws {PartlyDoneError} if some were asked; `done` has their outcomes
   */
  async cancelAll(jobName: JobName): Promise<readonly ItemCancelOutcome[]> {
    return requestCancels(this.registry, pathsOf(jobName));
  }

  /**
   * Confirms that the task which works on an item is gone for good, where its backend cannot tell (`UNREACHABLE`). The
   * run ends, and with failover the item runs again. If the task still ran, the work would be done twice at once, and
   * only the fencing token would tell the two apart. An instance of the job can do more:
   * `FailoverService.confirmLost` asks for no state. 2 requests.
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  async confirmLost(jobName: JobName, item: number): Promise<LossOutcome> {
    const paths = pathsOf(jobName);
    assertItem(item);
    return requestLoss(this.registry, paths, item);
  }

  /**
   * Asks the leader of the job for a new plan. It does not wait for it: a leader of ours plans at once, and Java's at
   * the next trigger. 2 requests.
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   */
  async reshard(jobName: JobName): Promise<ReshardOutcome> {
    return requestReshard(this.registry, pathsOf(jobName));
  }

  /**
   * Takes leadership from the instance that leads, so that the others elect another leader. What it has planned and not
   * written yet is refused. It may be elected again a second later, if nobody else was. Present runs go on. 2 requests.
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   */
  async resign(jobName: JobName): Promise<ResignOutcome> {
    return requestResignation(this.registry, pathsOf(jobName));
  }

  /**
   * Instances on these servers get no items from the next trigger on; present runs go on. Survives restarts.
   *
   * For a whole job, `disabled` of its settings is set in the same transaction. So servers rest as well that it has
   * never had, such as new pods, also where the code says `overwrite`. 4 requests, and up to 3 more if a server has
   * come meanwhile; 3 for one server or without `newServers`.
   * @throws {UnknownJobError} @throws {UnknownServerError}
   * @throws {PartlyDoneError} if such a server could not be switched; `done` has the outcome for the others
   */
  async disable(jobName: JobName, scope: SwitchScope = {}): Promise<SwitchOutcome> {
    return switchScope(this.registry, this.strategies, 'DISABLED', { jobName, ...switchScopeOf('disable', scope) });
  }

  /**
   * Reverses `disable`: for a whole job also `disabled` of its settings, in the same transaction, even if the code has
   * set it. As many requests.
   * @throws {UnknownJobError} @throws {UnknownServerError} @throws {PartlyDoneError}
   */
  async enable(jobName: JobName, scope: SwitchScope = {}): Promise<SwitchOutcome> {
    return switchScope(this.registry, this.strategies, 'ENABLED', { jobName, ...switchScopeOf('enable', scope) });
  }

  /**
   * Disables one server in every job that has run on it. 4 requests, if they fit, and two more for each further 500
   * jobs.
   * @returns the jobs in which it was enabled so far
   * @throws {UnknownServerError}
   */
  disableServer(serverIp: string): Promise<readonly JobName[]> {
    return switchServer(this.registry, serverIp, 'DISABLED');
  }

  /**
   * Enables one server in every job that has run on it. 4 requests, if they fit, and two more for each further 500
   * jobs.
   * @returns the jobs in which it was disabled so far
   * @throws {UnknownServerError}
   */
  enableServer(serverIp: string): Promise<readonly JobName[]> {
    return switchServer(this.registry, serverIp, 'ENABLED');
  }

  /**
   * Takes instances out of the job permanently: each ends the job in its process, which otherwise goes on. They come
   * back when the process is restarted. 3 requests.
   * @returns the ids of the instances, in Java's order
   * @throws {UnknownJobError} @throws {UnknownServerError}
   */
  async shutdown(jobName: JobName, scope: ServerScope = {}): Promise<readonly string[]> {
    return shutDown(this.registry, scopeOf('shutdown', jobName, scope));
  }

  /**
   * Takes the instances on one server out of all their jobs. 4 requests, if they fit, and two more for each further 500
   * jobs.
   * @throws {UnknownServerError}
   */
  shutdownServer(serverIp: string): Promise<readonly string[]> {
    return shutDown(this.registry, { serverIp });
  }

  /**
   * Shuts instances down and forgets their servers, including that they were disabled. The rest of the job stays;
   * `JobConfigurationApi.removeJobConfiguration` removes all of it. 3 requests.
   *
   * A job that was created from a template is removed as a whole, unless only one server is named. Its instances let
   * present runs end within their `drainTimeoutMs`, and leave; the last of them deletes its nodes, or this call does if
   * there is none. This resolves as soon as the removal has begun, and a second call resumes it after a crash. The name
   * is free once the job's root is gone.
   * @throws {UnknownJobError} @throws {UnknownServerError}
   * @throws {PartlyDoneError} if the removal has begun, and its nodes could not be deleted
   */
  async remove(jobName: JobName, scope: ServerScope = {}): Promise<void> {
    return remove(this.registry, scopeOf('remove', jobName, scope));
  }

  /**
   * Shuts the instances on one server down and forgets it in all jobs. 4 requests, if they fit, and two more for each
   * further 500 jobs.
   * @throws {UnknownServerError}
   */
  removeServer(serverIp: string): Promise<void> {
    return remove(this.registry, { serverIp });
  }

  /**
   * The job's nodes and their values as text, one `path | value` for each, secrets hidden. With `hideSecrets: false` it
   * is byte for byte the answer of Java's dump service. A request for each level of the tree, and for each 20 nodes.
   * @throws {UnknownJobError}
   * @see ElasticJob, `SnapshotService.dumpJobDirectly`
   */
  async dump(jobName: JobName, options: DumpOptions = {}): Promise<string> {
    const { clock, redact, registry } = this;
    const paths = pathsOf(jobName);
    return dumpJob(registry, paths, DUMP_TABLE.checked('JobOperateApi.dump', options), { clock, redact });
  }
}
