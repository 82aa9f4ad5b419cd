import type { Clock } from '../clock/index.js';
import {
  type CodeOption,
  ConfigurationError,
  type JobConfiguration,
  type JobHandler,
  type JobName,
  type JobOptions,
  type JobWork,
  resolveJobOptions,
  type ShardingContext,
  type ShardingStrategy,
  UnknownJobError,
} from '../domain/index.js';
import { resolveWork } from '../executor/index.js';
import type { JobDefinition } from './job-definition.js';
import type { JobRuntime } from './job-runtime.js';

/** A job as the registrar lists it. */
export interface RegisteredJob {
  readonly jobName: JobName;
  readonly place: string;
  /** The settings in force. */
  readonly configuration: JobConfiguration;
}

/** A job that has no decorated method gives its name itself. */
export type NamedJobOptions = JobOptions & { readonly name: JobName };

/** What the registrar needs of the process. */
export interface JobHost {
  readonly clock: Clock;
  /** What runs an item of the job. @throws {ConfigurationError} if it cannot be run so here */
  handlerOf(definition: JobDefinition): JobHandler;
  create(definition: JobDefinition): JobRuntime;
  /** Joins the job if the process is running. */
  admit(job: JobRuntime): Promise<void>;
  dismiss(job: JobRuntime): Promise<void>;
  /** Writes the settings to the registry. Resolves when this process goes by them. */
  rewrite(job: JobRuntime, configuration: JobConfiguration): Promise<void>;
}

/** Goes around one run of an item: calls `run`, once, and returns or throws what it does. */
export type RunInterceptor = (context: ShardingContext, run: () => unknown) => unknown;

/** Adds, changes and removes jobs, before the start and while the process runs. */
export class JobRegistrar {
  private readonly runtimes = new Map<JobName, JobRuntime>();
  private intercept: RunInterceptor = (_, run) => run();

  /** @param strategies users' own, which options may name */
  constructor(
    private readonly host: JobHost,
    private readonly strategies: readonly ShardingStrategy[] = [],
  ) {}

  /**
   * Adds a job; it starts with the process, or at once if that runs. Resolves when it has joined.
   * @param work a function, a dataflow, or a type such as `new HttpJobType()`
   * @throws {ConfigurationError} for wrong options or props, or if the name is taken
   */
  async add(options: NamedJobOptions, work: JobWork): Promise<void> {
    const place = 'JobRegistrar.add';
    const { handler, findPropsFaults, type } = resolveWork(this.host.clock, work);
    const configuration = resolveJobOptions(options, { place, strategies: this.strategies });
    const className = type ?? configuration.jobName;
    await this.register({ configuration, className, place, handler, findPropsFaults });
  }

  /**
   * Writes settings to the registry's `config` node, so that every instance of the job goes by them from now on. The cron
   * `''` makes it a one-off job.
   * @returns the settings in force @throws {ConfigurationError} for wrong options @throws {SessionLostError} if the job has not joined
   */
  async change(
    jobName: JobName,
    changes: Partial<Omit<JobOptions, 'name' | 'overwrite' | CodeOption>>,
  ): Promise<JobConfiguration> {
    const job = this.of(jobName);
    const { jobName: name, ...current } = job.configuration;
    // An undefined cron is an oversight, and no wish for a one-off job.
    const options = { ...current, name, ...changes, cron: changes.cron ?? current.cron };
    const configuration = resolveJobOptions(options, {
      place: 'JobRegistrar.change',
      strategies: [...this.strategies, current.strategy],
      surplusItemParameters: true,
    });
    await this.host.rewrite(job, configuration);
    return job.configuration;
  }

  /** Lets something go around every run of every job that is registered from now on; the latest is the outermost. */
  around(interceptor: RunInterceptor): void {
    const inner = this.intercept;
    this.intercept = (context, run) => interceptor(context, () => inner(context, run));
  }

  /** As `add`, for a job whose options are resolved already. */
  async register(definition: JobDefinition): Promise<void> {
    const { jobName, props } = definition.configuration;
    const faults = definition.findPropsFaults?.(props) ?? [];
    if (faults.length > 0) throw new ConfigurationError(`job "${jobName}" (${definition.place})`, faults);
    const other = this.runtimes.get(jobName);
    if (other !== undefined) {
      const remedy =
        other.definition.place === definition.place
          ? 'is its provider listed in two modules? Let one of them export it'
          : 'give one of them another name';
      throw new ConfigurationError(`job "${jobName}" (${definition.place})`, [
        `name "${jobName}": ${other.definition.place} has it already; ${remedy}`,
      ]);
    }
    const { intercept } = this;
    const own = this.host.handlerOf(definition);
    const handler: JobHandler = (context) => intercept(context, () => own(context));
    const job = this.host.create({ ...definition, handler });
    this.runtimes.set(jobName, job);
    try {
      await this.host.admit(job);
    } catch (error) {
      // Unless it has been removed meanwhile, and the name may be another's.
      if (this.runtimes.get(jobName) === job) await this.remove(jobName);
      throw error;
    }
  }

  /** Lets the running items end within the drain time and takes this instance out of the job. The job's nodes stay. */
  async remove(jobName: JobName): Promise<void> {
    const job = this.of(jobName);
    this.runtimes.delete(jobName);
    await this.host.dismiss(job);
  }

  /** Stops the schedule of a job in this process; items that run go on, and other instances do not notice. */
  pause(jobName: JobName): void {
    this.of(jobName).schedule.pause();
  }

  resume(jobName: JobName): void {
    const job = this.of(jobName);
    job.schedule.resume();
    job.currentSession?.lookAgain();
  }

  get jobs(): readonly RegisteredJob[] {
    return [...this.runtimes.values()].map((job) => ({
      jobName: job.jobName,
      place: job.definition.place,
      configuration: job.configuration,
    }));
  }

  /** The next fire times, in milliseconds since the epoch. */
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

  /** @throws {UnknownJobError} */
  of(jobName: JobName): JobRuntime {
    const job = this.runtimes.get(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    return job;
  }

  get all(): readonly JobRuntime[] {
    return [...this.runtimes.values()];
  }
}
