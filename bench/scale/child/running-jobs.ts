import { JobIndex } from '../../../libs/elastic-job/src/console/index.js';
import {
  type RegistryCenter,
  MemoryRegistry,
  ZooKeeperRegistryCenter,
} from '../../../libs/elastic-job/src/registry/index.js';
import {
  type JobHandler,
  resolveJobOptions,
  type ShardingContext,
} from '../../../libs/elastic-job/src/domain/index.js';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobGroup, StartOptions, Vitals, WatchOptions, Window } from './instance-calls.js';
import { LatenessLog } from './lateness.js';
import { LedgerFile } from './ledger-file.js';
import { PhasedClock } from './phased-clock.js';

/** Long, so that a process that computes for long, for example while it starts very many jobs, keeps its session. */
const SESSION_TIMEOUT_MS = 30_000;
/** A request, and a new session, may have to wait while this process computes. */
const REQUEST_TIMEOUT_MS = 60_000;
const LIMITS = { drainTimeoutMs: 1_000, connectionTimeoutMs: REQUEST_TIMEOUT_MS };
/** Longest wait for the last second of a window. */
const LATEST_MS = 10_000;
/** The figures of a window are taken this long before its full seconds, when nothing is due. */
const BEFORE_MS = 40;

/** One session of this process, and its jobs. */
interface Phase {
  readonly clock: PhasedClock;
  readonly behindMs: number;
  readonly registry: RegistryCenter;
  readonly runtime: ElasticJobRuntime;
}

/** The jobs of this process. Their handlers only report their lateness. */
export class RunningJobs {
  private readonly lateness = new LatenessLog();
  private readonly phases: readonly Phase[];
  private readonly ledger: LedgerFile | undefined;
  private planned = 0;
  private joined = 0;
  private index: JobIndex | undefined;
  private readonly news = new EventTarget();

  constructor(private readonly options: StartOptions) {
    const { phases = 1, ledger } = options;
    this.ledger = ledger === undefined ? undefined : new LedgerFile(ledger);
    this.phases = Array.from({ length: phases }, (_, phase) => this.phase((phase * 1_000) / phases));
  }

  async start(): Promise<number> {
    const begun = performance.now();
    const { groups, untilPlanned } = this.options;
    for (const group of groups) {
      for (let n = 0; n < group.count; n += 1) {
        const phase = this.phases[n % this.phases.length]!;
        await phase.runtime.registrar.register(definitionOf(group, n, this.handlerOf(group.prefix, phase)));
      }
    }
    // One after the other, as a process has one session. If all joins are under way together, V8 takes their objects
    // for long-lived. It then allocates later ones of their kind among the old objects, where each keeps others alive.
    for (const { runtime } of this.phases) await runtime.start();
    const jobs = groups.reduce((sum, { count }) => sum + count, 0);
    if (untilPlanned) await this.until(() => this.planned >= jobs);
    return performance.now() - begun;
  }

  async add(group: JobGroup): Promise<number> {
    const begun = performance.now();
    const phase = this.phases[0]!;
    for (let n = 0; n < group.count; n += 1) {
      await phase.runtime.registrar.register(definitionOf(group, n, this.handlerOf(group.prefix, phase)));
    }
    return performance.now() - begun;
  }

  /** Watches the next due instants, the first of which is at least a second away. */
  async watch({ instants, everySeconds, items }: WatchOptions): Promise<Window> {
    const periodMs = everySeconds * 1_000;
    const from = Math.ceil((Date.now() + 1_000) / periodMs) * periodMs;
    const to = from + instants * periodMs;
    this.lateness.open(from, to, instants * items);
    await untilTime(from - BEFORE_MS);
    const before = this.vitals();
    await untilTime(to - BEFORE_MS);
    const after = this.vitals();
    return {
      lateness: await this.lateness.close(LATEST_MS),
      cpuMs: after.cpuMs - before.cpuMs,
      requests: after.requests - before.requests,
    };
  }

  vitals(): Vitals {
    const { user, system } = process.cpuUsage();
    const traffics = this.phases.map(({ registry }) => registry.traffic.foreground + registry.traffic.background);
    return {
      cpuMs: (user + system) / 1_000,
      rss: process.memoryUsage.rss(),
      requests: traffics.reduce((sum, requests) => sum + requests, 0),
      sessions: this.phases.map(({ registry }) => registry.session.id ?? ''),
    };
  }

  async declare(name: string): Promise<void> {
    const phase = this.phases[0]!;
    const configuration = resolveJobOptions({ name, shardingTotalCount: 1 }, { place: 'bench' });
    phase.runtime.templates.declare({ name, configuration, place: 'bench', handler: this.handlerOf(name, phase) });
    await phase.runtime.templates.open();
  }

  untilJobs(count: number): Promise<void> {
    return this.until(() => this.joined === count);
  }

  async create(template: string, count: number): Promise<void> {
    const operate = this.operator();
    const settings = { cron: '0 0 0 1 1 ? 2099', shardingTotalCount: 1, failover: true };
    for (let n = 0; n < count; n += 1) await operate.create({ ...settings, name: `created-${n}`, template });
  }

  async remove(count: number): Promise<void> {
    const { registry } = this.phases[0]!;
    const operate = this.operator();
    let tell = (): void => {};
    const watch = await registry.watchChildren('/', () => tell());
    for (let n = 0; n < count; n += 1) await operate.remove(`created-${n}`);
    for (;;) {
      const changed = new Promise<void>((resolve) => (tell = resolve));
      const left = (await registry.children('/')).filter((name) => name.startsWith('created-'));
      if (left.length === 0) break;
      await changed;
    }
    watch.close();
  }

  openConsole(): void {
    const { clock, registry } = this.phases[0]!;
    const { namespace } = this.options;
    const parts = { clock, registry, namespace, redact: (text: string) => text, isShared: true };
    this.index = new JobIndex({ ...parts, onError: (error) => console.error(error) });
    this.index.start();
  }

  async closeConsole(): Promise<number> {
    const indexed = this.index?.state({}).indexed ?? 0;
    await this.index?.stop();
    this.index = undefined;
    return indexed;
  }

  async leave(): Promise<void> {
    await Promise.all(this.phases.map(({ runtime }) => runtime.stop()));
  }

  private operator(): JobOperateApi {
    const { registry, clock } = this.phases[0]!;
    return new JobOperateApi(registry, clock);
  }

  private phase(behindMs: number): Phase {
    const { servers, namespace, ip, sessionTimeoutMs = SESSION_TIMEOUT_MS } = this.options;
    const clock = new PhasedClock(behindMs, ip);
    const limits = { namespace, sessionTimeoutMs, requestTimeoutMs: REQUEST_TIMEOUT_MS };
    const registry =
      servers === undefined
        ? new MemoryRegistry(clock).center({ ...limits, clock })
        : new ZooKeeperRegistryCenter({ ...limits, servers }, clock);
    const runtime = new ElasticJobRuntime({ registry, clock, ...LIMITS });
    runtime.events.on((event) => {
      this.ledger?.hear(event);
      if (event.kind === 'resharded') this.planned += 1;
      else if (event.kind === 'joined') this.joined += 1;
      else if (event.kind === 'left') this.joined -= 1;
      else if (event.kind === 'error') console.error(event.message, event.error);
      else return;
      this.news.dispatchEvent(new Event('news'));
    });
    return { clock, behindMs, registry, runtime };
  }

  private handlerOf(prefix: string, { behindMs }: Phase): JobHandler {
    return (context: ShardingContext) => {
      this.lateness.note(prefix, context.fireTime.getTime() + behindMs, Date.now());
      this.ledger?.run(context);
    };
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise((resolve) => this.news.addEventListener('news', resolve, { once: true }));
    }
  }
}

function definitionOf(group: JobGroup, n: number, handler: JobHandler) {
  const { prefix, items, cron, reconcileIntervalMinutes } = group;
  const name = `${prefix}-${n}`;
  const text = typeof cron === 'string' ? cron : cron[n % cron.length]!;
  const settings = { shardingTotalCount: items, failover: true, monitorExecution: true, reconcileIntervalMinutes };
  const options = { name, cron: text, ...settings };
  const configuration = resolveJobOptions(options, { place: 'bench' });
  return { configuration, className: name, place: 'bench', handler };
}

/** Waits in real time: fire times come by the host's clock. */
function untilTime(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
}
