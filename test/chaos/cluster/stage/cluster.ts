import type { Ensemble } from '@test/support/faults/index.js';
import type { History, JobPlan, RegistryStep, Span } from '../check/index.js';
import { FaultJournal } from './fault-journal.js';
import { LogDirectory } from './log-directory.js';
import { RunStore } from './run-store.js';
import { TreeWatch } from './tree-watch.js';
import { type Version, Workforce, type WorkerKind, type WorkerPrograms } from './workforce.js';

export interface ClusterOptions {
  readonly kind: WorkerKind;
  readonly programs: WorkerPrograms;
  readonly ensemble: Ensemble;
  readonly tickMs: number;
  readonly namespace: string;
  readonly sessionTimeoutMs: number;
  readonly jobs: readonly JobPlan[];
  readonly workers: number;
  readonly version: Version;
  /** Longest wait of a due target without an excuse. @default 1_000 */
  readonly slackMs?: number;
  /**
   * Offset of a worker's clock from the host's as it joins, in milliseconds.
   * @default workers use the host's clock
   */
  readonly drawClockMs?: () => number;
  /** The directory that keeps the logs. @default they are removed */
  readonly keep?: string;
}

const HEARTBEAT_MS = 50;
const STALL_MS = 300;
const SETTLE_LIMIT_MS = 60_000;

/** Workers, their store and their ensemble, with all their logs. */
export class Cluster {
  readonly faults = new FaultJournal();
  readonly #stalls: Span[] = [];
  readonly #registry: RegistryStep[] = [];
  readonly #heart: NodeJS.Timeout;
  #beatAt = Date.now();

  private constructor(
    readonly options: ClusterOptions,
    readonly logs: LogDirectory,
    private readonly store: RunStore,
    readonly workforce: Workforce,
    readonly tree: TreeWatch,
  ) {
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_MS);
  }

  /** Resolves when all workers share the jobs. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { ensemble, namespace, jobs, version, workers } = options;
    const logs = await LogDirectory.make(options.keep);
    const store = await RunStore.start(logs.file('store', 'effects'));
    const workforce = new Workforce({ ...options, logs, store }, version);
    const tree = await TreeWatch.open(ensemble.connect, namespace, jobs, workforce);
    const cluster = new Cluster(options, logs, store, workforce, tree);
    try {
      await cluster.noteRegistry();
      for (let n = 0; n < workers; n += 1) await workforce.join();
      await tree.untilShared(SETTLE_LIMIT_MS);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get ensemble(): Ensemble {
    return this.options.ensemble;
  }

  /** Notes which server's clock is the registry's, where clocks differ. Call it when another server may lead. */
  async noteRegistry(): Promise<void> {
    if (this.ensemble.members.every(({ clock }) => clock === undefined)) return;
    const { clock } = await this.ensemble.leader();
    this.#registry.push({ from: Date.now(), aheadMs: clock?.offsetMs ?? 0 });
  }

  /** Everything that has happened in the span. */
  async history(span: Span): Promise<History> {
    const { jobs, sessionTimeoutMs, tickMs, slackMs = 1_000 } = this.options;
    const { faults } = this.faults;
    const { runs, effects, told, early } = await this.logs.read();
    const { sights } = this.tree;
    const rest = { stalls: this.#stalls, sessionTimeoutMs, tickMs, slackMs };
    return { ...span, jobs, runs, effects, told, early, faults, sights, registry: this.#registry, ...rest };
  }

  async stop(): Promise<void> {
    clearInterval(this.#heart);
    await this.workforce.stop();
    await this.tree.stop();
    await this.store.stop();
    await this.logs.stop();
  }

  #beat(): void {
    const now = Date.now();
    if (now - this.#beatAt > STALL_MS) this.#stalls.push({ from: this.#beatAt, to: now + STALL_MS });
    this.#beatAt = now;
  }
}
