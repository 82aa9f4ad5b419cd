import { type Ensemble, ProcessClock, startFaultNetwork } from '@test/support/faults/index.js';
import { Journal, type PeerEvent } from '@test/support/peers/journal.js';
import { PeerProcess } from '@test/support/peers/peer-process.js';
import type { JobPlan } from '../check/index.js';
import { HostTime } from './host-time.js';
import type { LogDirectory } from './log-directory.js';
import type { RunStore } from './run-store.js';
import { RunTaker } from './run-taker.js';
import type { Worker, WorkerSettings } from './worker.js';

export type WorkerKind = 'node' | 'java';

/** Programs that the workers run. */
export interface WorkerPrograms {
  /** The script of our workers. */
  readonly node: string;
  /** The class path of Java's peer, if there is one. */
  readonly java?: string;
}

export interface WorkforceOptions {
  readonly kind: WorkerKind;
  readonly programs: WorkerPrograms;
  readonly ensemble: Ensemble;
  readonly logs: LogDirectory;
  readonly store: RunStore;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  readonly jobs: readonly JobPlan[];
  /** From `ClusterOptions`. */
  readonly drawClockMs?: () => number;
}

/** Decorators of the workers that join from now on. */
export interface Version extends Pick<WorkerSettings, 'leastMs' | 'mostMs' | 'version' | 'observes'> {
  /** Program of our workers. @default `WorkerPrograms.node` */
  readonly program?: string;
}

const JVM_FLAGS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', '-Xshare:auto', '-Xmx128m'];

/** The instances of the jobs, as they come and go. */
export class Workforce {
  /** Messages of the processes. */
  readonly journal = new Journal();
  /** Processes that ended without being told to, with their last words. */
  readonly deaths: string[] = [];
  readonly #workers = new Map<string, Worker>();
  readonly #starting = new Set<Worker>();
  readonly #names = new Map<string, string>();
  readonly #taker: RunTaker;
  #count = 0;

  constructor(
    private readonly options: WorkforceOptions,
    public version: Version,
  ) {
    this.#taker = new RunTaker(options.store, options.logs.file('taker', 'runs'));
  }

  /** Workers that have joined their jobs and live. */
  get all(): readonly Worker[] {
    return [...this.#workers.values()];
  }

  /** Also finds those that are gone. */
  nameOf(ip: string | undefined): string | undefined {
    return ip === undefined ? undefined : this.#names.get(ip);
  }

  byName(name: string | undefined): Worker | undefined {
    return name === undefined ? undefined : this.#workers.get(name);
  }

  /** Resolves when the new instance has joined its jobs. */
  async join(): Promise<Worker> {
    const number = (this.#count += 1);
    const { kind, ensemble } = this.options;
    const [name, ip] = [`${kind}-${number}`, `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`];
    this.#names.set(ip, name);
    const network = await startFaultNetwork(ensemble.members.map(({ port }) => port));
    const { drawClockMs } = this.options;
    const clock = drawClockMs && (await ProcessClock.make(Math.round(drawClockMs())));
    const plain = this.#command(name, ip, network.connect);
    const process = new PeerProcess(name, clock?.command(plain) ?? plain, (event) => this.#hear(event));
    const worker = { name, ip, process, network, clock };
    this.#starting.add(worker);
    await process.untilReady();
    if (kind === 'java') await this.#startJobs(worker);
    this.#starting.delete(worker);
    this.#workers.set(name, worker);
    void this.#noteDeath(worker);
    return worker;
  }

  /** SIGKILL. */
  async kill(worker: Worker): Promise<void> {
    this.#workers.delete(worker.name);
    await worker.process.kill();
    await worker.network.stop();
    await worker.clock?.stop();
  }

  /** Leaves its jobs in order, then ends. */
  async leave(worker: Worker): Promise<void> {
    await worker.process.call('leave');
    await this.kill(worker);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.all, ...this.#starting].map((worker) => this.kill(worker)));
    await this.#taker.done();
  }

  #command(name: string, ip: string, servers: string): readonly string[] {
    const { kind, programs, namespace, sessionTimeoutMs, logs, store, jobs } = this.options;
    if (kind === 'java') {
      const given = [servers, namespace, String(sessionTimeoutMs), ip];
      return ['java', ...JVM_FLAGS, '-cp', programs.java!, 'peer.Main', ...given];
    }
    const same = { name, ip, servers, namespace, sessionTimeoutMs, store: store.url, jobs };
    const logged = { runLog: logs.file(name, 'runs'), toldLog: logs.file(name, 'told') };
    const { program = programs.node, ...version } = this.version;
    const settings: WorkerSettings = { ...same, ...logged, epochMs: HostTime.here().epochMs, ...version };
    return ['node', '--enable-source-maps', program, JSON.stringify(settings)];
  }

  async #startJobs({ process }: Worker): Promise<void> {
    const { leastMs: ms, mostMs: most, version } = this.version;
    for (const { name: job, cron, items } of this.options.jobs) {
      await process.call('behave', { job, behaviour: { kind: 'sleep', ms, most } });
      const config = { jobName: job, cron, shardingTotalCount: items, failover: true, misfire: true };
      const rest = { monitorExecution: true, maxTimeDiffSeconds: -1, reconcileIntervalMinutes: 10 };
      const changed = { jobParameter: version, overwrite: version !== '' };
      await process.call('start', { config: { ...config, ...rest, ...changed } });
    }
  }

  async #noteDeath({ name, process }: Worker): Promise<void> {
    await process.ended;
    if (this.#workers.has(name)) this.deaths.push(`${name}: ${process.lastWords()}`);
  }

  #hear(event: PeerEvent): void {
    this.#taker.hear(event);
    this.journal.add(event);
  }
}
