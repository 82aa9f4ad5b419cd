import { TaskJobType, TaskReconciliation, type TaskScheduling } from '../../../libs/elastic-job/src/cloud/index.js';
import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import { readRecords } from '../../../libs/elastic-job/src/coordination/index.js';
import type { JobConfiguration, ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import {
  type LaneName,
  type MemoryRegistry,
  type MemoryRegistryCenter,
  type RegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import { InstanceClock, type MemoryTasks, type VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import type { Fact } from '../log.js';
import { Chance } from './chance.js';
import type { EffectStore } from './guarded-store.js';
import { handle } from './handler.js';
import { longestRunMs } from './draw-job.js';
import { ofOlderRelease } from './older-release.js';
import { clockOffsetOf, type Plan, processOf } from './plan.js';
import { taskWork } from './task-work.js';
import type { TaskWorld } from './task-world.js';

/** Parts of the world in which a process is started. */
export interface Surroundings {
  readonly plan: Plan;
  /** The jobs of the plan as every process declares them. */
  readonly configurations: readonly JobConfiguration[];
  readonly registry: MemoryRegistry;
  readonly store: EffectStore;
  /** Undefined: handlers run the items. */
  readonly tasks: TaskWorld | undefined;
  /** True if the next process is of a release that knows no re-runs. */
  readonly isOlder: () => boolean;
  /** True if an operator has asked for a re-run of this id. */
  readonly isRerun: (id: string) => boolean;
  readonly chance: Chance;
  /** The way of a process's requests. A mutant changes it. */
  readonly through: (center: MemoryRegistryCenter, clock: Clock) => RegistryCenter;
  /** Context that a handler sees. A mutant changes it. */
  readonly seen: (context: ShardingContext) => ShardingContext;
  readonly nextRun: () => number;
  readonly log: (fact: Fact) => void;
}

/** One simulated process: its own clocks, its own connection, the real library. */
export class SimulatedInstance {
  readonly clock: InstanceClock;
  readonly runtime: ElasticJobRuntime;
  state: 'running' | 'paused' | 'leaving' | 'crashed' = 'running';
  readonly center: MemoryRegistryCenter;
  /** Handlers at work, with the functions that ask for their leases. */
  readonly work = new Map<ShardingContext, () => void>();
  /** True if it is of a release that knows no re-runs. */
  readonly isOlder: boolean;
  private readonly time: VirtualClock;
  private readonly type: TaskJobType | undefined;
  private readonly parts: ReturnType<SimulatedInstance['handlerParts']>;
  private backend: MemoryTasks | undefined;
  private reconciliation: TaskReconciliation | undefined;
  private readonly cuts = new Map<string, () => void>();

  constructor(
    readonly index: number,
    private readonly surroundings: Surroundings,
    private readonly clockOfRegistry: VirtualClock,
  ) {
    const { plan, registry, chance, log } = surroundings;
    const rate = chance.is(0.1) ? 0.97 + 0.06 * chance.next() : 1;
    this.time = clockOfRegistry.fork({ hostAddress: `10.0.0.${index + 1}`, pid: 1000 + index, rate });
    const offsetMs = clockOffsetOf(plan, index);
    if (offsetMs !== 0) this.time.setWall(this.time.wallNow() + offsetMs);
    if (offsetMs !== 0) log({ kind: 'fault', fault: `clock is off by ${offsetMs}`, instance: index, lasts: false });
    if (rate !== 1) log({ kind: 'fault', fault: 'drift', instance: index, lasts: false });
    this.clock = new InstanceClock(this.time);
    this.center = registry.center({
      namespace: 'test',
      clock: this.clock,
      sessionTimeoutMs: plan.sessionTimeoutMs,
      requestTimeoutMs: 3_000,
      latencyMs: latencyOf(chance.fork(), plan.latencyMs),
      newsLagMs: lagOf(new Chance(plan.seed ^ (0x1a6 + index)), plan.newsLagMs),
    });
    this.center.onSession(({ id, state }) =>
      log({ kind: 'session', instance: index, session: id ?? '', state: state ?? 'CLOSED' }),
    );
    this.isOlder = surroundings.isOlder();
    const through = surroundings.through(this.center, this.clock);
    const seen = this.isOlder ? ofOlderRelease(through) : through;
    const own = processOf(plan.seed, index);
    log({ kind: 'process', instance: index, ...own, isOlder: this.isOlder || undefined });
    this.runtime = new ElasticJobRuntime({ ...own, registry: seen, clock: this.clock, drainTimeoutMs: 3_000 });
    this.parts = this.handlerParts();
    this.type = surroundings.tasks && this.taskType(surroundings.tasks);
    this.runtime.events.on((event) => log({ kind: 'event', instance: index, wall: this.clock.wallNow(), event }));
  }

  get isThere(): boolean {
    return this.state === 'running' || this.state === 'paused';
  }

  async start(): Promise<void> {
    if (this.backend !== undefined)
      await this.backend.start({ clock: this.clock, cluster: 'simulation', emit: () => {} });
    for (const { jobName } of this.surroundings.configurations) await this.add(jobName);
    await this.runtime.start();
    this.reconciliation?.start();
    this.surroundings.log({ kind: 'started', instance: this.index });
  }

  /** Adds a job of the plan, before the start, or again. */
  add(jobName: string): Promise<void> {
    const configuration = this.surroundings.configurations.find((one) => one.jobName === jobName)!;
    const work = this.type === undefined ? { handler: this.handler } : taskWork(this.type, this.taskParts);
    return this.runtime.registrar.register({ configuration, className: jobName, place: 'the simulation', ...work });
  }

  private readonly handler = async (context: ShardingContext): Promise<void> => {
    const onAsk = (ask: (() => void) | undefined) => this.note(context, ask);
    await handle(this.surroundings.seen(context), { ...this.parts, onAsk });
  };

  private get taskParts() {
    return { ...this.parts, onAsk: (context: ShardingContext, ask?: () => void) => this.note(context, ask) };
  }

  private note(context: ShardingContext, ask: (() => void) | undefined): void {
    if (ask === undefined) this.work.delete(context);
    else this.work.set(context, ask);
  }

  private taskType(tasks: TaskWorld): TaskJobType {
    const { clock, runtime } = this;
    const { own, seen } = tasks.backend(this.index);
    this.backend = own;
    const { graceMs } = tasks;
    const settingsOf = (jobName: string) => {
      const { timeoutMs } = runtime.registrar.of(jobName).configuration;
      return { template: {}, resources: { cpu: 1, memoryMb: 64 }, timeoutMs, graceMs };
    };
    const scheduling: TaskScheduling = {
      backend: seen,
      cluster: 'simulation',
      clock,
      settingsOf,
      recordsOf: (items, signal) => readRecords(this.center, items, { signal }),
      emit: (event) => runtime.events.emit(event),
    };
    const type = new TaskJobType(scheduling);
    this.reconciliation = new TaskReconciliation(scheduling, type, graceMs);
    return type;
  }

  private handlerParts() {
    const { plan, chance, isRerun, log, nextRun, store } = this.surroundings;
    const longest = new Map(plan.jobs.map((job) => [job.name, longestRunMs(job)]));
    return {
      instance: this.index,
      clock: this.clock,
      chance: chance.fork(),
      store,
      longestMs: (jobName: string) => longest.get(jobName)!,
      isResident: (jobName: string) => plan.jobs.some(({ name, resident }) => name === jobName && resident === true),
      isRerun,
      checkpoints: plan.checkpoints,
      nextRun,
      log: (fact: Fact) => {
        if (this.state !== 'crashed') log(fact);
      },
    };
  }

  crash(): void {
    this.state = 'crashed';
    this.clock.halt();
    this.center.freeze();
    this.backend?.kill();
  }

  pause(): void {
    this.state = 'paused';
    this.clock.pause();
    this.center.freeze();
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.clock.resume();
    // Code that was stopped between two instructions goes on before anything is delivered.
    for (const ask of this.work.values()) ask();
    this.center.thaw();
  }

  async leave(): Promise<void> {
    const { log } = this.surroundings;
    this.state = 'leaving';
    log({ kind: 'leaving', instance: this.index });
    await this.runtime.stop();
    await this.reconciliation?.stop();
    if (this.backend !== undefined) await this.backend.stop();
    log({ kind: 'left', instance: this.index });
  }

  /**
   * Lets nothing through, or nothing in one direction.
   * @returns false if it is cut off already, or has no session
   */
  cut(how: 'both' | LaneName): boolean {
    const { registry } = this.surroundings;
    const id = this.sessionId;
    if (this.cuts.size > 0 || id === undefined) return false;
    if (how === 'both') registry.suspend(id);
    else registry.cut(id, how);
    this.cuts.set(how, () => (how === 'both' ? registry.resume(id) : registry.uncut(id, how)));
    return true;
  }

  /** Id of its session, if a fault can hit it. Undefined: there is no such session. */
  get sessionId(): string | undefined {
    const { id, state } = this.center.session;
    if (id === undefined || (state !== 'CONNECTED' && state !== 'RECONNECTED')) return undefined;
    // A process that has just closed its session may not have the answer yet.
    return this.surroundings.registry.knowsSession(id) ? id : undefined;
  }

  /** Id under which its jobs know it in this session. */
  get instanceId(): string | undefined {
    const id = this.sessionId;
    return id && `${this.clock.hostAddress()}@-@${this.clock.pid()}-${id}`;
  }

  get isCut(): boolean {
    return this.cuts.size > 0;
  }

  mend(): void {
    const mends = [...this.cuts.values()];
    this.cuts.clear();
    for (const mend of mends) {
      try {
        mend();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error; // It has closed its session, and does not have the answer yet.
      }
    }
  }

  /** Milliseconds that its clock is ahead of the registry's. */
  get offsetMs(): number {
    return this.time.wallNow() - this.clockOfRegistry.wallNow();
  }

  jump(ms: number): void {
    this.time.setWall(this.time.wallNow() + ms);
  }
}

// Most messages are quick and some are not, so any two of different clients may overtake each other.
function latencyOf(chance: Chance, usualMs: number): () => number {
  return () => (chance.is(0.03) ? 10 : 1) * (0.5 + Math.round(chance.next() * usualMs * 2) / 2);
}

/** A process talks to a server that keeps up, or to one that lags behind more or less. */
function lagOf(chance: Chance, longestMs: number): number | (() => number) {
  if (longestMs === 0 || chance.is(0.4)) return 0;
  return () => Math.round((0.5 + 0.5 * chance.next()) * longestMs);
}
