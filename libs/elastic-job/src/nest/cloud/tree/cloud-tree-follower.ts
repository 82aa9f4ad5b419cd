/**
 * Makes a scheduler join the jobs that are registered in ElasticJob-Cloud's tree.
 *
 * State: for each registered job, its plan, or the reason why it rests here: disabled, faulty, or not allowed. A job
 * that does not rest is a Lite job of the template `CLOUD_TEMPLATE`, which this process joins.
 *
 * Guarantees: registering, changing, disabling or removing a job takes effect on every scheduler. Changing, disabling
 * or removing a job cancels its runs, as in Java. A job that cannot run is reported with its faults, and does not
 * affect the others.
 *
 * Failures: while a scheduler of ElasticJob-Cloud lives, nothing is followed; that is reported, and checked again.
 * While a registry does not answer the jobs go on as they are, and failed steps are repeated.
 */
import type { Clock } from '../../../clock/index.js';
import {
  CLOUD_TEMPLATE,
  type CloudConfigurations,
  type CloudJobChange,
  type CloudJobPlan,
  type CloudTakeover,
  cloudVersionOf,
  findForbidden,
  planCloudJob,
  type SeenCloudJob,
  type TaskAllow,
} from '../../../cloud/index.js';
import {
  CancelledError,
  ConfigurationError,
  type JobName,
  type OnThrown,
  parseCreatedJob,
} from '../../../domain/index.js';
import type { ElasticJobRuntime, JobTemplate } from '../../../runtime/index.js';
import { BackOff, Reconcilers, repeat } from '../../../repeat/index.js';
import { describeTakeover, type HandOver } from './hand-over.js';
import type { LiteJobs } from './lite-jobs.js';

/** Pauses between failed attempts, in milliseconds. */
const PAUSES = { firstMs: 500, longestMs: 30_000 };
/** Most jobs whose two sides are compared side by side. */
const JOBS_AT_ONCE = 50;

/** Surroundings of a follower. */
interface CloudTreeFollowerParts {
  readonly runtime: ElasticJobRuntime;
  readonly clock: Clock;
  readonly configurations: CloudConfigurations;
  readonly takeover: CloudTakeover;
  readonly handOver: HandOver;
  readonly lite: LiteJobs;
  readonly allow: TaskAllow | undefined;
  /** Adapts the plan to the backend. */
  readonly fit: (plan: CloudJobPlan, onThrown: OnThrown) => FittedPlan;
}

/** A plan for the backend, and its faults there, one text each. */
export interface FittedPlan {
  readonly plan: CloudJobPlan;
  readonly faults: readonly string[];
}

/** A registered job as this process sees it. */
interface Followed {
  readonly job: SeenCloudJob;
  /** Undefined if it rests. */
  readonly plan: CloudJobPlan | undefined;
}

export class CloudTreeFollower {
  private readonly followed = new Map<JobName, Followed>();
  /** Jobs whose registration and Lite job have agreed since they last rested: only these are joined. */
  private readonly admitted = new Set<JobName>();
  /** Versions of the registered jobs behind the `config` nodes that this process follows. */
  private readonly versions = new Map<JobName, bigint | undefined>();
  private readonly settling: Reconcilers<JobName>;
  private readonly ending = new AbortController();
  private following: Promise<void> | undefined;
  private stopListening = (): void => {};

  constructor(private readonly parts: CloudTreeFollowerParts) {
    this.settling = new Reconcilers({
      clock: parts.clock,
      atOnce: JOBS_AT_ONCE,
      pauses: PAUSES,
      work: (jobName) => this.settle(jobName),
      onFailure: (jobName, error) => this.reportUnsettled(jobName, error),
    });
  }

  /** Call before the process starts. @param template template of the jobs, without the follower's additions */
  declare(template: Omit<JobTemplate, 'name' | 'admits' | 'onConfigurationOf' | 'place'>): void {
    this.parts.runtime.templates.declare({
      ...template,
      name: CLOUD_TEMPLATE,
      place: 'the tree of ElasticJob-Cloud',
      admits: (jobName) => this.admitted.has(jobName),
      onConfigurationOf: (jobName, text) => this.receiveConfiguration(jobName, text),
    });
  }

  /** Call when both registries are connected, and the process has started. */
  start(): void {
    this.stopListening = this.parts.runtime.events.on((event) => {
      // It was under way when the job came to rest or was removed.
      if (event.kind === 'started' && this.isResting(event.trigger.jobName)) this.cancelRuns(event.trigger.jobName);
    });
    this.following ??= this.follow(this.ending.signal);
  }

  /** Stops listening and writing. Never rejects. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.settling.stop();
    this.stopListening();
    await this.following;
  }

  /** The plan of a job; undefined for a job that is not registered, or rests. */
  planOf(jobName: JobName): CloudJobPlan | undefined {
    return this.followed.get(jobName)?.plan;
  }

  private async follow(signal: AbortSignal): Promise<void> {
    try {
      await this.untilDone('taking over the work that ElasticJob-Cloud has left', () => this.takeOver(), signal);
      await this.untilDone('looking for jobs that are not registered any more', () => this.settleStanding(), signal);
      const { handOver } = this.parts;
      await Promise.all([
        this.untilDone('following the registered jobs', () => this.receiveChanges(signal), signal),
        this.untilDone('passing on the work that was taken over', () => handOver.run(signal), signal),
      ]);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async untilDone(work: string, attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const onFailure = (error: unknown, failures: number) => {
      if (failures === 1) this.report(undefined, `${work} failed; trying again`, error);
    };
    await repeat({ signal, backOff: new BackOff(this.parts.clock, PAUSES), onFailure }, attempt);
  }

  private async takeOver(): Promise<void> {
    const { runtime, takeover } = this.parts;
    for (const event of await takeover.run()) {
      const jobName = 'jobName' in event ? event.jobName : undefined;
      runtime.events.emit({ kind: 'warning', jobName, message: describeTakeover(event) });
    }
  }

  /** Jobs may have been removed while no scheduler was running. */
  private async settleStanding(): Promise<void> {
    for (const jobName of await this.parts.lite.names()) this.settling.wake(jobName);
  }

  private async receiveChanges(signal: AbortSignal): Promise<void> {
    for await (const change of this.parts.configurations.watch(signal)) this.receive(change);
  }

  private receive(change: CloudJobChange): void {
    const jobName = change.kind === 'vanished' ? change.jobName : change.job.jobName;
    if (change.kind === 'vanished') {
      this.cancelRuns(jobName);
      this.followed.delete(jobName);
      this.versions.delete(jobName);
    } else {
      const plan = this.judge(change.job);
      if (change.job.isDisabled) this.cancelRuns(jobName);
      this.followed.set(jobName, { job: change.job, plan });
    }
    if (this.planOf(jobName) === undefined && this.admitted.delete(jobName))
      this.parts.runtime.templates.findJobsSoon();
    const isRegistered = change.kind !== 'vanished';
    // A job that cannot run here is created by others.
    if (isRegistered && !change.job.isDisabled && this.planOf(jobName) === undefined) return;
    this.settling.wake(jobName);
  }

  /** @returns undefined if it rests */
  private judge({ app, configuration, faults, isDisabled, jobName }: SeenCloudJob): CloudJobPlan | undefined {
    const { allow, fit } = this.parts;
    if (configuration === undefined || app === undefined) {
      this.reportFaults(jobName, faults);
      return undefined;
    }
    let options: ErrorOptions | undefined;
    const { plan, faults: unfit } = fit(planCloudJob(configuration, app), (cause) => (options = { cause }));
    const all = [...faults, ...findForbidden(plan.tasks, allow), ...unfit];
    if (all.length > 0) this.reportFaults(jobName, all, options);
    return all.length > 0 || isDisabled ? undefined : plan;
  }

  private reportFaults(jobName: JobName, faults: readonly string[], options?: ErrorOptions): void {
    const error = new ConfigurationError(`cloud job "${jobName}"`, faults, options);
    this.report(jobName, 'the job does not run here until it is corrected', error);
  }

  /** True for a job of the tree that rests here, or is not registered any more. */
  private isResting(jobName: JobName): boolean {
    if (this.planOf(jobName) !== undefined) return false;
    const className = this.parts.runtime.registrar.find(jobName)?.definition.className ?? '';
    return parseCreatedJob(className)?.template === CLOUD_TEMPLATE;
  }

  /** Cancels runs that began under another version of the registered job, and writes Lite's edits through. */
  private receiveConfiguration(jobName: JobName, text: string | undefined): void {
    const version = text === undefined ? undefined : versionIn(text, jobName);
    const before = this.versions.get(jobName);
    this.versions.set(jobName, version);
    if (version !== undefined && before !== undefined && version !== before) this.cancelRuns(jobName);
    if (this.planOf(jobName) !== undefined) this.settling.wake(jobName);
  }

  /** Makes both sides agree. @throws {UnsettledError} if they do not yet, which the next attempt may change */
  private async settle(jobName: JobName): Promise<undefined> {
    const settled = await this.parts.lite.settle(jobName).catch((error: unknown) => {
      // A job with settings that Lite refuses waits until it is changed.
      if (!(error instanceof ConfigurationError)) throw error;
      this.reportUnsettled(jobName, error);
    });
    if (settled === undefined) return;
    if (settled.kind === 'again') throw new UnsettledError();
    if (this.planOf(jobName) !== undefined && !this.admitted.has(jobName)) {
      this.admitted.add(jobName);
      this.parts.runtime.templates.findJobsSoon();
    }
    if (settled.kind === 'reverted') {
      this.report(
        jobName,
        'an edit of a registered job was taken back, since it cannot be registered',
        settled.because,
      );
    }
  }

  private reportUnsettled(jobName: JobName, error: unknown): void {
    if (this.ending.signal.aborted || error instanceof UnsettledError) return;
    this.report(jobName, 'following a registered job failed', error);
  }

  /** Also those of a job that is leaving this process. */
  private cancelRuns(jobName: JobName): void {
    const running = this.parts.runtime.registrar.find(jobName)?.running;
    for (const item of running?.list ?? []) running?.leaseOf(item)?.abortItem(item, new CancelledError(jobName, item));
  }

  private report(jobName: JobName | undefined, message: string, error: unknown): void {
    this.parts.runtime.errors.report(jobName, message, error);
  }
}

/** Both sides of a job do not agree yet. Nothing is wrong, so nothing is reported. */
class UnsettledError extends Error {}

function versionIn(text: string, jobName: JobName): bigint | undefined {
  try {
    return cloudVersionOf(text, jobName);
  } catch {
    return undefined; // The job itself reports an unreadable text.
  }
}
