import type { ElasticJobListener, JobConfiguration, JobHandler, JobName, ShardingContext } from '../domain/index.js';
import type { MemoryRegistry, MemoryRegistryCenter } from '../registry/index.js';
import { ElasticJobRuntime } from '../runtime/index.js';
import type { JobEvent } from '../tracing/index.js';
import { InstanceClock } from './instance-clock.js';
import type { VirtualClock } from './virtual-clock.js';

/** A job of a test cluster. */
export interface TestJob {
  readonly configuration: JobConfiguration;
  readonly handler: JobHandler;
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
export class TestInstance {
  readonly runtime: ElasticJobRuntime;
  readonly center: MemoryRegistryCenter;
  readonly events: JobEvent[] = [];
  /** Every id that it has been registered under. */
  readonly instanceIds = new Set<string>();
  private readonly time: VirtualClock;
  private readonly clock: InstanceClock;
  private sessionId = '';
  private isCrashed = false;

  constructor(
    private readonly index: number,
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
    this.isCrashed = true;
    this.clock.halt();
    this.registry.suspend(this.sessionId);
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

  async stop(): Promise<void> {
    if (!this.isCrashed) await this.runtime.stop();
  }

  isTakingPart(jobName: JobName): boolean {
    const { phase, jobs } = this.runtime.status();
    return !this.isCrashed && phase === 'running' && jobs.some((job) => job.jobName === jobName && job.isJoined);
  }

  owners(jobName: JobName): ReadonlyMap<number, string> {
    const tree = this.runtime.registrar.of(jobName).currentSession!.tree;
    return new Map(tree.items().flatMap((item) => (tree.owner(item) === undefined ? [] : [[item, tree.owner(item)!]])));
  }

  private hear(event: JobEvent): void {
    this.events.push(event);
    if (event.kind === 'joined') this.instanceIds.add(event.instanceId);
    if (event.kind === 'session' && event.state !== 'LOST') this.sessionId = event.sessionId ?? this.sessionId;
  }

  private async record(context: ShardingContext, handler: JobHandler): Promise<void> {
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
      await handler(context);
    } finally {
      if (!this.isCrashed) run.endedAt = this.clock.wallNow();
    }
  }
}
