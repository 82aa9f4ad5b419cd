import type { Clock } from '../clock/index.js';
import type { ElasticJobListener, JobConfiguration, JobName, ShardingContext } from '../domain/index.js';
import type { MemoryRegistry, MemoryRegistryCenter } from '../registry/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import type { JobEvent } from '../tracing/index.js';
import { InstanceClock } from './instance-clock.js';
import type { VirtualClock } from './virtual-clock.js';

/** The simulated process in which a handler runs. */
export interface TestProcess {
  /** Its index in the cluster. */
  readonly index: number;
  /** Its own time: what is timed by it stands still with the process, and ends with it. */
  readonly clock: Clock;
}

/** A job's handler that may also ask for the process that it runs in. */
export type TestJobHandler = (context: ShardingContext, process: TestProcess) => unknown;

/** A job of a test cluster. */
export interface TestJob {
  readonly configuration: JobConfiguration;
  readonly handler: TestJobHandler;
  /** Told of the runs of every instance. */
  readonly listeners?: readonly ElasticJobListener[];
}

/** One run of one item, as the handler saw it. Times are milliseconds of virtual wall time. */
export interface TestRun {
  readonly jobName: JobName;
  readonly instance: number;
  readonly item: number;
  readonly fireTime: number;
  readonly source: ShardingContext['source'];
  readonly token: bigint | undefined;
  readonly startedAt: number;
  /** Undefined while it runs, and for ever if its instance crashed. */
  endedAt: number | undefined;
}

export interface TestInstanceOptions {
  readonly sessionTimeoutMs?: number;
  readonly latencyMs?: number;
  readonly drainTimeoutMs?: number;
  readonly hungGraceMs?: number;
  readonly suspendedGraceMs?: number;
}

/** One simulated process of a test cluster. */
export class TestInstance implements TestProcess {
  readonly runtime: ElasticJobRuntime;
  readonly center: MemoryRegistryCenter;
  readonly events: JobEvent[] = [];
  /** Every id that it has been registered under. */
  readonly instanceIds = new Set<string>();
  readonly clock: InstanceClock;
  private readonly time: VirtualClock;
  private sessionId = '';
  private state: 'running' | 'paused' | 'crashed' = 'running';

  constructor(
    readonly index: number,
    options: TestInstanceOptions,
    private readonly jobs: readonly TestJob[],
    private readonly registry: MemoryRegistry,
    clock: VirtualClock,
    private readonly recorded: TestRun[],
  ) {
    this.time = clock.fork({ hostAddress: `10.0.0.${index + 1}`, pid: 1000 + index });
    this.clock = new InstanceClock(this.time);
    this.center = registry.center({
      namespace: 'test',
      clock: this.clock,
      sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
      requestTimeoutMs: 5_000,
      latencyMs: options.latencyMs ?? 1,
    });
    this.runtime = new ElasticJobRuntime({
      registry: this.center,
      clock: this.clock,
      drainTimeoutMs: options.drainTimeoutMs,
      hungGraceMs: options.hungGraceMs,
      suspendedGraceMs: options.suspendedGraceMs,
    });
    this.runtime.events.on((event) => this.hear(event));
  }

  async start(): Promise<void> {
    for (const { configuration, handler, listeners } of this.jobs) {
      await this.runtime.registrar.register({
        configuration,
        className: configuration.jobName,
        place: 'createTestCluster',
        listeners,
        handler: (context) => this.record(context, handler),
      });
    }
    await this.runtime.start();
  }

  crash(): void {
    this.state = 'crashed';
    this.clock.halt();
    this.center.freeze();
  }

  pause(): void {
    this.assertAlive();
    this.state = 'paused';
    this.clock.pause();
    this.center.freeze();
  }

  resume(): void {
    this.assertAlive();
    this.state = 'running';
    this.clock.resume();
    this.center.thaw();
  }

  partition(): void {
    this.registry.suspend(this.sessionId);
  }

  heal(): void {
    this.registry.resume(this.sessionId);
  }

  setWall(ms: number): void {
    this.time.setWall(ms);
  }

  async leave(): Promise<void> {
    this.assertAlive();
    if (this.state === 'paused') throw new Error(`Instance ${this.index} is paused; resume it before it leaves.`);
    await this.runtime.stop();
  }

  async stop(): Promise<void> {
    if (this.state === 'crashed') return;
    if (this.state === 'paused') this.resume();
    await this.runtime.stop();
  }

  isTakingPart(jobName: JobName): boolean {
    const { phase, jobs } = this.runtime.status();
    return (
      this.state === 'running' && phase === 'running' && jobs.some((job) => job.jobName === jobName && job.isJoined)
    );
  }

  owners(jobName: JobName): ReadonlyMap<number, string> {
    const tree = this.runtime.registrar.of(jobName).currentSession!.tree;
    return new Map(tree.items().flatMap((item) => (tree.owner(item) === undefined ? [] : [[item, tree.owner(item)!]])));
  }

  private assertAlive(): void {
    if (this.state === 'crashed') throw new Error(`Instance ${this.index} has crashed; join() starts another one.`);
  }

  private hear(event: JobEvent): void {
    this.events.push(event);
    if (event.kind === 'joined') this.instanceIds.add(event.instanceId);
    if (event.kind === 'session' && event.state !== 'LOST') this.sessionId = event.sessionId ?? this.sessionId;
  }

  private async record(context: ShardingContext, handler: TestJobHandler): Promise<void> {
    const run: TestRun = {
      jobName: context.jobName,
      instance: this.index,
      item: context.shardingItem,
      fireTime: context.fireTime.getTime(),
      source: context.source,
      token: context.token,
      startedAt: this.clock.wallNow(),
      endedAt: undefined,
    };
    this.recorded.push(run);
    try {
      await handler(context, this);
    } finally {
      // A handler that waited for something outside its process cannot end while that stands still.
      await this.clock.whenRunning();
      run.endedAt = this.clock.wallNow();
    }
  }
}
