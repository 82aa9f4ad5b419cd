import {
  type JobOptions,
  resolveJobOptions,
  type ShardingContext,
} from '../../../libs/elastic-job/src/domain/index.js';
import {
  MemoryRegistry,
  type MemoryRegistryCenter,
  type RegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/process/elastic-job-runtime.js';
import type { JobDefinition } from '../../../libs/elastic-job/src/runtime/settings/job-definition.js';
import type { RuntimeOptions } from '../../../libs/elastic-job/src/runtime/settings/runtime-options.js';

export const JOB = 'settle-orders';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const SERVER = '10.0.0.1';

/** One process over an in-memory registry, and an operator with a shell. Requests take no time. */
export class OneProcess {
  /** The registry's clock. The clock of the process can be set separately. */
  readonly clock = new VirtualClock();
  readonly host: VirtualClock;
  readonly registry = new MemoryRegistry(this.clock);
  readonly center: MemoryRegistryCenter;
  readonly operator: RegistryCenter = this.connection(this.clock);
  readonly runtime: ElasticJobRuntime;
  readonly told: JobEvent[] = [];
  /** Item and source of each run of the job, in order. */
  readonly runs: string[] = [];
  /** Work of every item. */
  work: (context: ShardingContext) => unknown = () => {};
  private readonly ending: (() => void)[] = [];

  /** @param rate of the clock of the process; above 1 it is fast */
  constructor(options: Partial<RuntimeOptions> = {}, rate = 1) {
    this.host = this.clock.fork({ rate });
    this.center = this.connection(this.host);
    this.runtime = new ElasticJobRuntime({ registry: this.center, clock: this.host, ...options });
    this.runtime.events.on((event) => void this.told.push(event));
  }

  /** A process whose job has two items and runs each minute. It has joined and not run yet. */
  static async start(
    job: Partial<JobOptions> = {},
    options?: Partial<RuntimeOptions>,
    rate?: number,
  ): Promise<OneProcess> {
    const process = new OneProcess(options, rate);
    await process.operator.connect();
    await process.runtime.registrar.register(process.job(job));
    await process.clock.advanceUntil(process.runtime.start());
    return process;
  }

  stop(): Promise<void> {
    for (const end of this.ending.splice(0)) end();
    return this.clock.advanceUntil(this.runtime.stop());
  }

  job(options: Partial<JobOptions> = {}): JobDefinition {
    const configuration = resolveJobOptions(
      { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, failover: true, ...options },
      { place: 'spec' },
    );
    return { configuration, className: 'spec', place: 'spec', handler: (context) => this.run(context) };
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Advances until that second of the minute comes next. */
  async untilSecond(second: number): Promise<void> {
    await this.advance(MINUTE - ((this.clock.wallNow() - second * SECOND) % MINUTE));
  }

  /** The instance id of the process, which leads. */
  get id(): string {
    return this.runtime.status().jobs[0]!.leader!;
  }

  /** A handler that runs until it is released or its signal aborts. */
  hang({ signal }: ShardingContext): Promise<void> {
    return new Promise((resolve, reject) => {
      this.ending.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }

  /** Ends hanging handlers. New runs do not hang. */
  async release(): Promise<void> {
    this.work = () => {};
    for (const end of this.ending.splice(0)) end();
    await this.advance(SECOND);
  }

  toldOf<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.told.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  path(below: string): string {
    return `/${JOB}/${below}`;
  }

  /** Marks the item as run by this instance. */
  mark(item: number): Promise<unknown> {
    return this.operator.create(this.path(`sharding/${item}/running`), this.id, 'PERSISTENT');
  }

  unmark(item: number): Promise<void> {
    return this.operator.delete(this.path(`sharding/${item}/running`));
  }

  /** Makes a run that has ended look as if its holder had died. */
  async queueUnfinished(item: number): Promise<void> {
    const path = this.path(`sharding/${item}/record`);
    const { data } = (await this.operator.read(path))!;
    await this.operator.set(path, data.replace(/,"settled":\{.*?\}/, ''));
    await this.operator.create(this.path(`leader/failover/items/${item}`), '', 'PERSISTENT');
  }

  private connection(clock: VirtualClock): MemoryRegistryCenter {
    return this.registry.center({ namespace: 'test', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 });
  }

  private run(context: ShardingContext): unknown {
    const { jobName, shardingItem, source } = context;
    this.runs.push(`${jobName === JOB ? shardingItem : jobName} ${source}`);
    return this.work(context);
  }
}
