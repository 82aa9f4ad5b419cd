import type { TaskBackend } from '../../../libs/elastic-job/src/cloud/index.js';
import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type JobConfiguration,
  resolveJobOptions,
  type ShardingContext,
} from '../../../libs/elastic-job/src/domain/index.js';
import {
  JobConfigurationApi,
  JobOperateApi,
  ShardingOperateApi,
} from '../../../libs/elastic-job/src/operations/index.js';
import {
  MemoryRegistry,
  type MemoryRegistryCenter,
  type RegistryCenter,
  SessionLostError,
} from '../../../libs/elastic-job/src/registry/index.js';
import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import { VirtualTimeline } from '../../../libs/elastic-job/src/testing/virtual-timeline.js';
import { EventLog, type EntryOf, type Fact } from '../log.js';
import { Chance } from './chance.js';
import { Disturbances } from './disturbances.js';
import { type EffectStore, GuardedStore } from './guarded-store.js';
import { isOfOlderRelease, type Plan } from './plan.js';
import { SimulatedInstance } from './simulated-instance.js';
import { TaskWorld } from './task-world.js';

/** Removes one of the library's promises, from outside. */
export interface Mutation {
  /** Way of every process's requests. */
  readonly through?: (center: MemoryRegistryCenter, clock: Clock) => RegistryCenter;
  readonly store?: () => EffectStore;
  /** Context that handlers get. */
  readonly context?: (context: ShardingContext) => ShardingContext;
  /** The backend of tasks that schedulers share. */
  readonly backend?: (backend: TaskBackend) => TaskBackend;
}

/** Time within which tasks that were left behind are released, in milliseconds. */
export const LONGEST_TIDYING_MS = 180_000;
/** Time within which all re-runs have ended, in milliseconds. Each target may wait for a fire time that is due. */
const LONGEST_RERUNS_MS = 600_000;
/** A re-run, without the nodes below it. */
const RERUN = /^\/[^/]+\/reruns\/([^/]+)$/;

const START = Date.UTC(2030, 0, 1, 12);

/** The processes, the registry and an operator of one history, on one time line. */
export class World {
  readonly log = new EventLog();
  readonly instances: SimulatedInstance[] = [];
  readonly chance: Chance;
  readonly registry: MemoryRegistry;
  readonly clock: VirtualClock;
  /** Undefined: handlers run the items. */
  readonly tasks: TaskWorld | undefined;
  private readonly configurations: readonly JobConfiguration[];
  private readonly timeline: VirtualTimeline;
  private readonly store: EffectStore;
  private readonly operator: MemoryRegistryCenter;
  /** True once no process is of an earlier release any more. */
  isUpgraded = false;
  /** Ids of all re-runs that operators have asked for. */
  private readonly reruns = new Set<string>();
  private readonly openReruns = new Set<string>();
  private zxid = 0n;
  private runs = 0;

  constructor(
    readonly plan: Plan,
    private readonly mutation: Mutation = {},
  ) {
    this.chance = new Chance(plan.seed ^ 0x5eed);
    this.configurations = plan.jobs.map(({ periodMs: _periodMs, ...options }) =>
      resolveJobOptions(options, { place: 'the simulation' }),
    );
    this.timeline = new VirtualTimeline(this.chance.fork().next, 1);
    this.clock = new VirtualClock({ seed: plan.seed, wall: START }, this.timeline);
    this.registry = new MemoryRegistry(this.clock);
    this.store = mutation.store?.() ?? new GuardedStore();
    this.operator = this.registry.center({
      namespace: 'test',
      clock: this.clock,
      sessionTimeoutMs: 600_000,
      requestTimeoutMs: 5_000,
      latencyMs: 4,
    });
    const { backend: through = (backend: TaskBackend) => backend } = mutation;
    const { clock, note: log } = this;
    this.tasks = plan.tasks && new TaskWorld({ plan, tasks: plan.tasks, clock, log, through });
    this.registry.onCommit(({ zxid, sessionId, operations, changes }) => {
      this.zxid = zxid;
      const writes = changes.map(({ kind, node: { path, data, stat } }) => ({
        kind,
        path: path.slice('/test'.length),
        data,
        isEphemeral: stat.ephemeralOwner !== undefined,
      }));
      for (const { kind, path } of writes) this.noteRerun(kind, path);
      this.note({ kind: 'commit', session: sessionId, operations: operations.map(localize), writes });
    });
  }

  readonly note = (fact: Fact): void => {
    this.log.entries.push({ at: this.clock.wallNow(), zxid: this.zxid, ...fact });
  };

  get jobConfigurations(): JobConfigurationApi {
    return new JobConfigurationApi(this.operator);
  }

  get jobs(): JobOperateApi {
    return new JobOperateApi(this.operator, this.clock);
  }

  get items(): ShardingOperateApi {
    return new ShardingOperateApi(this.operator);
  }

  /** Does a request, and notes its begin and its end. Never rejects. */
  async command(
    asked: Pick<EntryOf<'operation'>, 'name' | 'jobName' | 'item' | 'instance'>,
    act: () => Promise<unknown>,
  ): Promise<void> {
    this.note({ kind: 'operation', ...asked, outcome: 'asked' });
    try {
      const id = await act();
      this.note({ kind: 'operation', ...asked, id: typeof id === 'string' ? id : undefined, outcome: 'done' });
    } catch (error) {
      const name = error instanceof Error ? error.constructor.name : String(error);
      this.note({ kind: 'operation', ...asked, error: name, outcome: 'failed' });
    }
  }

  /** Deletes the election node of a job, as an operator may by hand. */
  depose(jobName: string): Promise<void> {
    return this.operator.delete(`/${jobName}/leader/election/instance`);
  }

  /** Marks an item as running, as an operator may by hand. */
  mark(jobName: string, item: number, instanceId: string): Promise<string> {
    return this.operator.create(`/${jobName}/sharding/${item}/running`, instanceId, 'PERSISTENT');
  }

  /** Edits the node of a job as Java's API allows: failover counts as off if the job has no `monitorExecution`. */
  async switchFailoverOn(jobName: string, jobParameter: string): Promise<void> {
    const path = `/${jobName}/config`;
    const { data, stat } = (await this.operator.read(path))!;
    const edited = data
      .replace(/^failover: .*$/m, 'failover: true')
      .replace(/^jobParameter: .*$/m, `jobParameter: ${jobParameter}`);
    await this.operator.set(path, edited, stat.version);
  }

  /** The history from its start to its end. */
  async run(): Promise<EventLog> {
    const { plan } = this;
    await this.clock.advanceUntil(this.operator.connect());
    for (let count = plan.instances; count > 0; count -= 1) this.join();
    const disturbances = new Disturbances(this);
    for (const disturbance of plan.disturbances) {
      this.clock.setTimer(disturbance.at, () => disturbances.happen(disturbance));
    }
    this.clock.setTimer(plan.calmAt, () => disturbances.end());
    await this.clock.advance(plan.endAt);
    await this.untilTidy();
    await this.close();
    return this.log;
  }

  join(): void {
    const instance = new SimulatedInstance(this.instances.length, this.surroundings(), this.clock);
    this.instances.push(instance);
    this.note({ kind: 'fault', fault: 'join', instance: instance.index, lasts: false });
    instance.start().catch((error: unknown) => {
      this.note({ kind: 'fault', fault: `start failed: ${String(error)}`, instance: instance.index, lasts: false });
      instance.state = 'leaving';
      // An orchestrator starts another process.
      if (error instanceof SessionLostError) this.join();
    });
  }

  private noteRerun(kind: 'created' | 'changed' | 'deleted', path: string): void {
    const [, id] = RERUN.exec(path) ?? [];
    if (id === undefined) return;
    this.reruns.add(id);
    if (kind === 'deleted') this.openReruns.delete(id);
    else this.openReruns.add(id);
  }

  /**
   * Waits for the end of all re-runs, and for the release of tasks that were left behind: two rounds of reconciliation,
   * and a grace.
   */
  private async untilTidy(): Promise<void> {
    for (let waitedMs = 0; this.openReruns.size > 0 && waitedMs < LONGEST_RERUNS_MS; waitedMs += 1_000)
      await this.clock.advance(1_000);
    for (let waitedMs = 0; this.tasks?.hasLeft === true && waitedMs < LONGEST_TIDYING_MS; waitedMs += 10_000)
      await this.clock.advance(10_000);
  }

  private async close(): Promise<void> {
    this.note({ kind: 'closing' });
    const leaving = this.instances.filter(({ state }) => state === 'running').map((instance) => instance.leave());
    await this.clock.advanceUntil(Promise.all(leaving));
    this.tasks?.end();
    await this.clock.advance(this.plan.sessionTimeoutMs + 20_000); // Running handlers come to their end.
    await this.clock.advanceUntil(this.operator.close());
    await this.clock.advance(10);
    // Timers of processes that died stay in the time line.
    const dead = this.instances.filter(({ state }) => state === 'crashed');
    const pendingTimers = dead.reduce((left, { clock }) => left - clock.pendingTimers, this.clock.pendingTimers);
    this.note({ kind: 'over', pendingTimers });
  }

  private surroundings() {
    return {
      plan: this.plan,
      configurations: this.configurations,
      registry: this.registry,
      store: this.store,
      tasks: this.tasks,
      isOlder: () => !this.isUpgraded && isOfOlderRelease(this.plan, this.instances.length),
      isRerun: (id: string) => this.reruns.has(id),
      chance: this.chance.fork(),
      through: this.mutation.through ?? ((center: MemoryRegistryCenter) => center),
      seen: this.mutation.context ?? ((context: ShardingContext) => context),
      nextRun: () => (this.runs += 1),
      log: this.note,
    };
  }
}

function localize<O extends { readonly path: string }>(operation: O): O {
  return { ...operation, path: operation.path.slice('/test'.length) };
}
