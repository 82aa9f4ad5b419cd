import type { JobName, ShardingContext } from '../domain/index.js';
import type { MemoryRegistry, MemoryRegistryCenter } from '../registry/index.js';
import type { ElasticJobRuntime } from '../runtime/index.js';
import type { JobEvent } from '../tracing/index.js';
import { InstanceClock } from './instance-clock.js';
import type { TestProcess, TestProgram } from './test-program.js';
import type { VirtualClock } from './virtual-clock.js';

/** One run of one item, as the handler saw it. Times are milliseconds of virtual wall time. */
export interface TestRun {
  readonly jobName: JobName;
  readonly instance: number;
  readonly item: number;
  readonly fireTime: number;
  readonly source: ShardingContext['source'];
  readonly token: bigint | undefined;
  readonly startedAt: number;
  /** Undefined while it runs, and for ever if its instance has crashed. */
  endedAt: number | undefined;
}

/** Behaviour of a simulated process and its connection; times in milliseconds. */
interface TestInstanceOptions {
  readonly sessionTimeoutMs?: number;
  readonly latencyMs?: number;
}

/** One simulated process of a test cluster. */
export class TestInstance implements TestProcess {
  readonly center: MemoryRegistryCenter;
  readonly events: JobEvent[] = [];
  /** Every id under which it has been registered. */
  readonly instanceIds = new Set<string>();
  readonly clock: InstanceClock;
  private readonly time: VirtualClock;
  private program: TestProgram | undefined;
  private sessionId = '';
  private state: 'running' | 'paused' | 'crashed' = 'running';

  constructor(
    readonly index: number,
    options: TestInstanceOptions,
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
  }

  get runtime(): ElasticJobRuntime {
    return this.launched.runtime;
  }

  /** The program that runs in it. */
  get launched(): TestProgram {
    if (this.program === undefined) throw new Error(`Instance ${this.index} has not been launched yet.`);
    return this.program;
  }

  async start(program: TestProgram): Promise<void> {
    this.program = program;
    program.runtime.events.on((event) => this.receive(event));
    program.runtime.registrar.around((context, run) => this.record(context, run));
    await program.start();
  }

  crash(): void {
    this.state = 'crashed';
    this.clock.pause();
    this.center.freeze();
    this.program?.runtime.events.silence();
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
    await this.launched.stop();
  }

  /** Ends what is left of it. A dead process is disconnected first, so that its resources here can be released. */
  async stop(): Promise<void> {
    if (this.state === 'crashed') this.center.unplug();
    this.clock.resume();
    this.center.thaw();
    await this.program?.stop();
  }

  isTakingPart(jobName: JobName): boolean {
    if (this.program === undefined || this.state !== 'running') return false;
    const { phase, jobs } = this.runtime.status();
    return phase === 'running' && jobs.some((job) => job.jobName === jobName && job.isJoined && !job.isLeaving);
  }

  owners(jobName: JobName): ReadonlyMap<number, string> {
    const tree = this.runtime.registrar.of(jobName).currentSession!.tree;
    return new Map(tree.items().flatMap((item) => (tree.owner(item) === undefined ? [] : [[item, tree.owner(item)!]])));
  }

  private assertAlive(): void {
    if (this.state === 'crashed') throw new Error(`Instance ${this.index} has crashed; join() starts another one.`);
  }

  private receive(event: JobEvent): void {
    this.events.push(event);
    if (event.kind === 'joined') this.instanceIds.add(event.instanceId);
    if (event.kind === 'session' && event.state !== 'LOST') this.sessionId = event.sessionId ?? this.sessionId;
  }

  private async record(context: ShardingContext, handler: () => unknown): Promise<void> {
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
      await handler();
    } finally {
      // A handler that waits for something outside of its process must not end while the process is paused.
      await this.clock.whenRunning();
      if (this.state !== 'crashed') run.endedAt = this.clock.wallNow();
    }
  }
}
