import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@test/support/seeded.js';
import type { Cluster } from './cluster.js';
import { COMMON_FAULTS, type CommonFault } from './common-faults.js';
import { editByHand } from './hands.js';
import { WORKER_FAULTS, type WorkerFault } from './worker-faults.js';

type FaultKind = WorkerFault | CommonFault;

/** Number of times that each fault comes before all are dealt anew. */
const SHARES = {
  SIGKILL: 4,
  'SIGKILL of a leader': 2,
  'SIGSTOP, short': 3,
  'SIGSTOP, past the session': 3,
  cut: 3,
  'black hole': 2,
  'black hole to the server': 1,
  'black hole to the client': 1,
  delay: 2,
  'ZooKeeper leader killed': 1,
  'quorum lost': 1,
  'ensemble restarted': 1,
  'all workers restarted': 1,
  throttled: 2,
  'read-only items': 2,
  'quota exceeded': 1,
  'clock ahead': 3,
  'clock behind': 3,
} satisfies Readonly<Record<FaultKind, number>>;
const OF_CLOCKS: ReadonlySet<string> = new Set(['clock ahead', 'clock behind'] satisfies FaultKind[]);
const REFUSALS: ReadonlySet<string> = new Set(['throttled', 'read-only items', 'quota exceeded'] satisfies FaultKind[]);
/** Number of workers that stay well, so that due items can run. */
const LEAST_WELL = 3;
const LONGEST_CALM_MS = 4_000;

/** Faults besides those of processes, networks and servers. */
export interface BreakageOptions {
  /** Wall clocks of workers, which then have their own. */
  readonly clocks: boolean;
  /** The servers' consent to writes. */
  readonly refusals: boolean;
  /** Operators edit the tree all the time, whatever else is broken. Drawn apart, so that the other faults stay. */
  readonly hands?: Seeded;
}

/** Breaks one thing after the other at random. Several workers may suffer at the same time while others are well. */
export class Breakage {
  readonly #suffering = new Map<string, Promise<void>>();
  readonly #cards: readonly string[];
  #deck: string[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly random: Seeded,
    private readonly options: BreakageOptions,
  ) {
    const { clocks, refusals } = options;
    this.#cards = Object.entries(SHARES)
      .filter(([kind]) => (clocks || !OF_CLOCKS.has(kind)) && (refusals || !REFUSALS.has(kind)))
      .flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
  }

  /** Resolves when the time is up and everything is healed. */
  async run(ms: number): Promise<void> {
    const end = performance.now() + ms;
    const { hands } = this.options;
    const edits = hands && editByHand(this.cluster, hands, end);
    while (performance.now() < end) {
      await delay(this.random.between(0, LONGEST_CALM_MS));
      await this.#break(this.#draw());
    }
    await edits;
    await Promise.all(this.#suffering.values());
  }

  async #break(kind: string): Promise<void> {
    if (isCommon(kind)) {
      await Promise.all(this.#suffering.values());
      return COMMON_FAULTS[kind](this.cluster, this.random);
    }
    while (this.#well().length <= LEAST_WELL) await Promise.race(this.#suffering.values());
    if (!isOfWorkers(kind)) throw new TypeError(`There is no fault ${kind}.`);
    const victim = this.#victim(kind);
    const healed = WORKER_FAULTS[kind](this.cluster, victim, this.random);
    this.#suffering.set(
      victim.name,
      healed.finally(() => this.#suffering.delete(victim.name)),
    );
  }

  #victim(kind: WorkerFault) {
    const { jobs } = this.cluster.options;
    const well = this.#well();
    const leader = this.cluster.tree.leader(this.random.of(jobs).name);
    const chosen = this.random.of(well);
    return (kind === 'SIGKILL of a leader' && well.find(({ name }) => name === leader)) || chosen;
  }

  #well() {
    return this.cluster.workforce.all.filter(({ name }) => !this.#suffering.has(name));
  }

  #draw(): string {
    if (this.#deck.length === 0) this.#deck = [...this.#cards];
    return this.#deck.splice(this.random.below(this.#deck.length), 1)[0]!;
  }
}

function isOfWorkers(kind: string): kind is WorkerFault {
  return kind in WORKER_FAULTS;
}

function isCommon(kind: string): kind is CommonFault {
  return kind in COMMON_FAULTS;
}
