import { publicCalls } from '../../async-context/index.js';
import { sharedClass } from '../../copies/index.js';
import {
  assertNoFaults,
  type CodeOption,
  dialectOfEdit,
  ConfigurationError,
  findNearestName,
  followMisfire,
  handled,
  type JobConfiguration,
  type ItemWork,
  type JobName,
  type JobOptions,
  type JobOptionsSource,
  type JobWork,
  type OnThrown,
  resolveJobOptions,
  type ShardingContext,
  switchesFailover,
  takeSettings,
  UnknownJobError,
} from '../../domain/index.js';
import { resolveWork } from '../../executor/index.js';
import type { JobDefinition } from '../settings/index.js';
import type { JobRuntime } from '../job/index.js';
import type { OwnJobs } from './own-jobs.js';

/** A job as listed by the registrar. */
export interface RegisteredJob {
  readonly jobName: JobName;
  readonly place: string;
  /** Settings in force. */
  readonly configuration: JobConfiguration;
}

/** Options of a job without a decorated method, which must name it. */
export type NamedJobOptions = JobOptions & { readonly name: JobName };

/** Wraps one run of an item: calls `run` once, and returns or throws its outcome. */
export type RunInterceptor = (context: ShardingContext, run: () => unknown) => unknown;

/** Place of jobs that were added at run time. */
const ADDED = 'JobRegistrar.add';
const CHANGED = 'JobRegistrar.change';
const UNRECORDED = 'monitorExecution must be true: the record of a run counts the launches of its task';

/**
 * Adds, changes and removes jobs, before the start and while the process runs.
 *
 * A name goes through these states, even if calls overlap. `add` rejects with a `ConfigurationError` ("taken") wherever
 * nothing else is said.
 *
 * - Free: `add` takes the name and joins. All other calls throw `UnknownJobError`.
 * - Joining: `remove` ends the joining, and `add` rejects with `LeftJobError`. `change` rejects until the job has
 *   joined.
 * - Joined: all calls work; `remove` drains.
 * - Removed by an operator: `remove` drains, `resume` joins again, and other calls work as far as they need no session.
 * - Leaving, until the drain is over: `add` waits for the end of the drain, and the first waiter takes the name.
 *   `remove` returns the same promise. Other calls throw `UnknownJobError` with `isLeaving`.
 * - Left behind, since a handler has not returned: the error of `add` names the items; other calls as while leaving.
 *
 * A job belongs to the process until its last handler has returned: it learns of the loss of the session, is in the
 * status, and `ElasticJobRuntime.stop` waits for it within its own deadline. Once the process stops, `add` rejects with
 * `ShuttingDownError`, and `remove` resolves with the drain under way. An operator's trigger that waits while its job
 * leaves is reported as skipped. `cancel` reaches its runs until they end.
 */
@sharedClass('JobRegistrar')
@publicCalls()
export class JobRegistrar {
  /** Jobs of this process, including those that leave. */
  private readonly runtimes = new Map<JobName, JobRuntime>();
  /** Drains of jobs that are leaving, or have left a handler behind. */
  private readonly removals = new Map<JobName, Promise<void>>();
  private intercept: RunInterceptor | undefined;
  /** @internal What all jobs of this process have in common. */
  readonly common: Pick<JobOptionsSource, 'cronDialect' | 'defaults' | 'strategies'>;

  /**
   * @internal
   * @param common dialect for options that name none, and for an edited `cron` unless it is Quartz's; users' own
   * strategies, which options may name; settings of added jobs that leave them open
   */
  constructor(
    private readonly ownJobs: OwnJobs,
    { cronDialect, defaults, strategies }: Pick<JobOptionsSource, 'cronDialect' | 'defaults' | 'strategies'> = {},
  ) {
    this.common = { cronDialect, defaults, strategies };
  }

  /**
   * Adds a job, which starts with the process, or at once if the process runs. Resolves when it has joined. If a job of
   * the same name is being removed, waits for that first.
   * @param work a function, a dataflow, or a type such as `new HttpJobType()`
   * @throws {ConfigurationError} for wrong options or props, or if the name is taken
   * @throws {ElasticJob2ConfigurationError} if the process runs and the registry holds an ElasticJob 2 job of that name
   * @throws {ShuttingDownError} once the process stops
   */
  async add(options: NamedJobOptions, work: JobWork): Promise<void> {
    const place = ADDED;
    const resolved = resolveWork(this.ownJobs.clock, work);
    const type = 'type' in work ? work.type : undefined;
    const configuration = resolveJobOptions(options, { place, ...this.common });
    const className = options.className ?? type ?? configuration.jobName;
    await this.register({ configuration, className, place, ...resolved });
  }

  /**
   * Writes settings to the registry's `config` node, so that every instance of the job follows them from now on. The
   * cron `''` makes it a one-off job. If only one of `misfire` and `misfirePolicy` is given, the other follows it.
   * @returns the settings in force
   * @throws {ConfigurationError} for wrong options, and for `name`, `overwrite`, options of the code and unknown ones
   * @throws {SessionLostError} if the job has not joined
   */
  async change(
    jobName: JobName,
    changes: Partial<Omit<JobOptions, 'name' | 'overwrite' | CodeOption>>,
  ): Promise<JobConfiguration> {
    const { settings, problems } = takeSettings(CHANGED, changes);
    const job = this.of(jobName);
    const { jobName: name, ...current } = job.configuration;
    // An undefined cron is an oversight, not a wish for a one-off job.
    const follows = followMisfire(current, settings);
    const options = { ...current, ...follows, name, ...settings, cron: settings.cron ?? current.cron };
    const { cronDialect: usual, strategies = [] } = this.common;
    const cronDialect = dialectOfEdit(settings.cron, usual);
    const configuration = resolveJobOptions(options, {
      place: CHANGED,
      problems,
      cronDialect,
      strategies: [...strategies, current.strategy],
      surplusItemParameters: true,
      idleFailover: !switchesFailover(settings),
    });
    if (settings.cron !== undefined) this.ownJobs.assertFires(configuration, CHANGED);
    await this.ownJobs.rewrite(job, configuration, Object.keys({ ...follows, ...settings }));
    return job.configuration;
  }

  /** Wraps every run of all jobs that are registered from now on. The latest interceptor is the outermost. */
  around(interceptor: RunInterceptor): void {
    const inner = this.intercept;
    this.intercept = (context, run) =>
      interceptor(context, () => handled(inner === undefined ? run() : inner(context, run)));
  }

  /** Like `add`, for a job whose options are already resolved. */
  async register(definition: JobDefinition): Promise<void> {
    const { jobName } = definition.configuration;
    assertNoFaults(
      (onThrown) => this.findFaults(definition, onThrown),
      (faults, options) => new ConfigurationError(`job "${jobName}" (${definition.place})`, faults, options),
    );
    // Without a removal the name is taken at once, so that the second of two callers is refused.
    if (this.removals.has(jobName)) await this.removals.get(jobName);
    this.ownJobs.assertOpen();
    this.assertFree(definition);
    const job = this.ownJobs.create({ ...definition, handler: this.handlerOf(definition) });
    this.runtimes.set(jobName, job);
    try {
      await this.ownJobs.admit(job);
    } catch (error) {
      // The job may have been removed meanwhile, and the name may belong to another one.
      if (this.runtimes.get(jobName) === job) await this.remove(jobName);
      throw error;
    }
  }

  /**
   * Lets running items end within the drain time and removes this instance from the job. The job's nodes stay. Resolves
   * when the instance has left. A handler that ignores its signal may still run then, and keeps the name.
   * @throws {UnknownJobError}
   */
  async remove(jobName: JobName): Promise<void> {
    const removal = this.removals.get(jobName) ?? this.takeOut(this.of(jobName));
    this.removals.set(jobName, removal);
    return removal;
  }

  /** Stops the job's schedule in this process. Running items go on, and other instances do not notice. */
  pause(jobName: JobName): void {
    this.of(jobName).schedule.pause();
  }

  /**
   * Ends a pause. Joins the job again if an operator has removed this instance from it, and re-creates its missing
   * nodes.
   */
  resume(jobName: JobName): void {
    const job = this.of(jobName);
    job.schedule.resume();
    job.currentSession?.expectWork();
    this.ownJobs.readmit(job);
  }

  /** Jobs that are not being removed. */
  get jobs(): readonly RegisteredJob[] {
    const staying = this.all.filter(({ jobName }) => !this.removals.has(jobName));
    return staying.map((job) => ({
      jobName: job.jobName,
      place: job.definition.place,
      configuration: job.configuration,
    }));
  }

  /** Next fire times, in milliseconds since the epoch. */
  nextFireTimes(jobName: JobName, count = 1): readonly number[] {
    return this.of(jobName).schedule.nextFireTimes(count);
  }

  lastFireTime(jobName: JobName): number | undefined {
    return this.of(jobName).schedule.lastFireTime;
  }

  /** True if the job's schedule runs in this process. */
  isTicking(jobName: JobName): boolean {
    return this.of(jobName).schedule.isTicking;
  }

  /**
   * @internal
   * @throws {UnknownJobError} also for a job that is being removed
   */
  of(jobName: JobName): JobRuntime {
    const job = this.runtimes.get(jobName);
    if (job !== undefined && !this.removals.has(jobName)) return job;
    const nearest = job === undefined ? findNearestName(jobName, [...this.runtimes.keys()]) : undefined;
    throw new UnknownJobError(jobName, 'process', job !== undefined, nearest);
  }

  /**
   * Finds a job, including one that is being removed.
   * @internal
   */
  find(jobName: JobName): JobRuntime | undefined {
    return this.runtimes.get(jobName);
  }

  /**
   * All jobs of which items may run here, including those being removed.
   * @internal
   */
  get all(): readonly JobRuntime[] {
    return [...this.runtimes.values()];
  }

  // A function of its own, whose context is all that the job's handler keeps in memory.
  private handlerOf(definition: JobDefinition): ItemWork {
    const { intercept } = this;
    const run = this.ownJobs.handlerOf(definition);
    return intercept === undefined ? run : (context, begun) => intercept(context, () => run(context, begun));
  }

  /** Drains the job and forgets it when its last handler has returned. Never rejects. */
  private async takeOut(job: JobRuntime): Promise<void> {
    await this.ownJobs.dismiss(job);
    if (job.running.size === 0) this.forget(job);
    else void job.running.ended().then(() => this.forget(job));
  }

  private forget({ jobName }: JobRuntime): void {
    this.runtimes.delete(jobName);
    this.removals.delete(jobName);
  }

  private findFaults(definition: JobDefinition, onThrown: OnThrown): readonly string[] {
    const { configuration, createdAs, findPropsFaults, tasks } = definition;
    // The registry provides the cron of a created job, and the props that its template leaves open.
    const ofCode = createdAs === undefined ? configuration : undefined;
    const never = ofCode && this.ownJobs.findNeverFault(ofCode);
    return [
      ...(never === undefined ? [] : [never]),
      ...((ofCode && findPropsFaults?.(ofCode.props, onThrown)) ?? []),
      ...(tasks === undefined || configuration.monitorExecution ? [] : [UNRECORDED]),
    ];
  }

  private assertFree({ configuration: { jobName }, place }: JobDefinition): void {
    const other = this.runtimes.get(jobName);
    if (other === undefined) return;
    throw new ConfigurationError(`job "${jobName}" (${place})`, [
      this.removals.has(jobName)
        ? `name "${jobName}": item ${other.running.list.join(', ')} of the job that was removed still runs in ` +
          'this process; add it once its handler has returned'
        : `name "${jobName}": ${other.definition.place} has it already; ${remedyFor(other.definition.place, place)}`,
    ]);
  }
}

function remedyFor(taken: string, place: string): string {
  if (taken === ADDED && place === ADDED) return 'this is the second add; remove the first job, or change it';
  return taken === place
    ? 'is its provider listed in two modules? Let one of them export it'
    : 'give one of them another name';
}
