import { errorOfImport, type JobName, resolveJobOptions, resolveTemplateLimits } from '../domain/index.js';
import { MemoryRegistry } from '../registry/index.js';
import type { JobEvent } from '../tracing/index.js';
import {
  FunctionsProgram,
  type TestJob,
  type TestProcess,
  type TestProgram,
  type TestTemplate,
} from './test-program.js';
import { checkedOptions, type TestClusterOptions, type TestTemplateOptions } from './test-cluster-options.js';
import type { INestApplicationContext } from './nest/index.js';
import { TestInstance, type TestRun } from './test-instance.js';
import { VirtualClock } from './virtual-clock.js';

/**
 * Several instances over one in-memory registry and one virtual clock. Time moves only with `advance`, which resolves
 * when everything that is due has happened.
 *
 * ```ts
 * const jobs = [{ name: 'sum', cron: '0/5 * * * * ?', shardingTotalCount: 4, handler }];
 * const cluster = await createTestCluster({ instances: 3, jobs });
 * cluster.crash(0);
 * await cluster.advance(20_000);
 * expect(cluster.assignment('sum')).toEqual(new Map([[0, 1], [1, 2], [2, 1], [3, 2]]));
 * ```
 */
export class TestCluster {
  readonly clock: VirtualClock;
  readonly registry: MemoryRegistry;
  /** @internal */
  readonly instances: TestInstance[] = [];
  private readonly options: TestClusterOptions;
  private readonly jobs: readonly TestJob[];
  private readonly templates: readonly TestTemplate[];
  private readonly recorded: TestRun[] = [];

  /** Use `createTestCluster`, which also starts the instances. */
  constructor(options: TestClusterOptions) {
    this.options = checkedOptions(options);
    const { seed, wall, jobs = [], templates = [] } = this.options;
    this.clock = new VirtualClock({ seed, wall });
    this.registry = new MemoryRegistry(this.clock);
    this.jobs = jobs.map(({ handler, listeners, ...job }) => ({
      configuration: resolveJobOptions(job, { place: 'createTestCluster' }),
      handler,
      listeners,
    }));
    this.templates = templates.map(templateOf);
  }

  /** Moves time on. Resolves when everything has come to rest. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Starts one more instance. @returns its index */
  async join(): Promise<number> {
    const index = this.instances.length;
    const instance = new TestInstance(index, this.options, this.registry, this.clock, this.recorded);
    this.instances.push(instance);
    // Outside of virtual time: an application may wait for the outside world while it is created.
    const program = await this.programOf(instance);
    await this.clock.advanceUntil(instance.start(program));
    return index;
  }

  /** Kills the process: it does nothing any more, and the registry ends its session after the timeout. */
  crash(index: number): void {
    this.instance(index).crash();
  }

  /**
   * Pauses the process, as SIGSTOP does: it does nothing and receives nothing, while time goes on. The registry ends
   * its session after the timeout.
   */
  pause(index: number): void {
    this.instance(index).pause();
  }

  /** Resumes the process. If its session may be over, it knows that first, and its signals are aborted by then. */
  async resume(index: number): Promise<void> {
    this.instance(index).resume();
    await this.advance(0);
  }

  /** Cuts the instance off from the registry; it goes on running and notices the loss. */
  partition(index: number): void {
    this.instance(index).partition();
  }

  /** Ends a partition. */
  async heal(index: number): Promise<void> {
    this.instance(index).heal();
    await this.advance(0);
  }

  /** Steps the wall clock of one instance, as an operator or NTP would. @param ms since the epoch */
  setWall(index: number, ms: number): void {
    this.instance(index).setWall(ms);
  }

  /** Shuts the instance down in order. Resolves when it is gone. */
  async leave(index: number): Promise<void> {
    await this.clock.advanceUntil(this.instance(index).leave());
  }

  /** Ends everything, also what still moves time on, which rejects. Call it when the test is over or was timed out. */
  async stop(): Promise<void> {
    await this.clock.interrupt(new Error('The cluster was stopped while time moved on.'));
    await this.clock.advanceUntil(Promise.all(this.instances.map((instance) => instance.stop())));
  }

  /** The owner of each assigned item, as an index of an instance; -1 for an unknown one. */
  assignment(jobName: JobName): ReadonlyMap<number, number> {
    const witness = this.instances.find((instance) => instance.isTakingPart(jobName));
    const owners = witness?.owners(jobName) ?? new Map<number, string>();
    const index = (id: string) => this.instances.findIndex((instance) => instance.instanceIds.has(id));
    return new Map([...owners].map(([item, instanceId]) => [item, index(instanceId)]));
  }

  /** Every run of the job so far, in the order in which they started. */
  runs(jobName: JobName): readonly TestRun[] {
    return this.recorded.filter((run) => run.jobName === jobName);
  }

  /** Events of the instance, in order. */
  events(index: number): readonly JobEvent[] {
    return this.instance(index).events;
  }

  /** The instance's application, for access to its providers. @throws if it runs plain functions */
  app(index: number): INestApplicationContext {
    const { app } = this.instance(index).launched;
    if (app === undefined) throw new TypeError(`Instance ${index} is no Nest application.`);
    return app;
  }

  private async programOf(process: TestProcess): Promise<TestProgram> {
    const { options } = this;
    if (options.module === undefined) return new FunctionsProgram(this.jobs, this.templates, process, options);
    const { ApplicationProgram } = await importNest();
    return ApplicationProgram.create(options.module, options.overrides ?? [], process);
  }

  private instance(index: number): TestInstance {
    const instance = this.instances[index];
    if (instance === undefined) throw new RangeError(`The cluster has no instance ${index}.`);
    return instance;
  }
}

/** Loaded on demand: tests of plain functions need no `@nestjs/testing`, which it imports. */
async function importNest(): Promise<typeof import('./nest/index.js')> {
  try {
    return await import('./nest/index.js');
  } catch (error) {
    throw errorOfImport(error, '@nestjs/testing', 'createTestCluster with a module');
  }
}

/**
 * Starts a cluster of plain functions or of Nest applications.
 * @throws {ConfigurationError} if a job's options are wrong, or a module imports no `ElasticJobModule`
 */
export async function createTestCluster(options: TestClusterOptions): Promise<TestCluster> {
  const cluster = new TestCluster(options);
  try {
    for (let index = 0; index < options.instances; index++) await cluster.join();
    await cluster.advance(1_000);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

function templateOf({ handler, ...template }: TestTemplateOptions): TestTemplate {
  const { name, maxItems, maxJobs, minIntervalMs, maxConfigBytes, findPropsFaults, ...options } = template;
  const place = 'createTestCluster';
  return {
    name,
    configuration: resolveJobOptions({ ...options, name, shardingTotalCount: 1 }, { place }),
    limits: resolveTemplateLimits(name, { maxItems, maxJobs, minIntervalMs, maxConfigBytes, findPropsFaults }, place),
    handler,
  };
}
