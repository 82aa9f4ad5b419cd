import { setTimeout as delay } from 'node:timers/promises';
import type { JobPlan, Run } from '../test/chaos/cluster/check/index.js';
import { Cluster } from '../test/chaos/cluster/stage/cluster.js';
import type { Worker } from '../test/chaos/cluster/stage/worker.js';
import type { WorkerPrograms } from '../test/chaos/cluster/stage/workforce.js';
import { Ensemble, type TestServer } from '@test/support/faults/index.js';
import type { PeerEvent } from '@test/support/peers/journal.js';

export interface CrewOptions {
  readonly server: TestServer;
  readonly programs: WorkerPrograms;
  readonly tickMs: number;
  readonly sessionTimeoutMs: number;
  /** Number of workers that die at the same time. */
  readonly victims: number;
}

/** One item of a killed worker, in milliseconds. */
export interface Rescue {
  readonly fromKillMs: number;
  readonly toDeletionMs: number;
  /** Both instants as the rescuer saw them. */
  readonly fromDeletionMs: number;
}

/** One orderly departure, in milliseconds. */
export interface HandOver {
  /** From the start of the drain to the leader's committed plan. */
  readonly committedMs: number;
  /** For each item that fell due meanwhile: from the start of the drain to its start. */
  readonly startedMs: readonly number[];
}

const JOB: JobPlan = { name: 'each-second', cron: '* * * * * ?', periodMs: 1_000, items: 16 };
const SURVIVORS = 3;
const SHORT = { leastMs: 5, mostMs: 20, version: '', observes: true };
/** A victim is still working when it dies. */
const LONG = { ...SHORT, leastMs: 600_000, mostMs: 600_000 };
const LIMIT_MS = 30_000;

/** Workers, some of which die in mid-run, and some of which leave. */
export class Crew {
  readonly #kills = new Map<string, number>();
  readonly #victims: number;

  private constructor(
    private readonly cluster: Cluster,
    victims: number,
  ) {
    this.#victims = victims;
  }

  static async start({ server, victims, ...rest }: CrewOptions): Promise<Crew> {
    const ensemble = new Ensemble([server]);
    const given = { kind: 'node', namespace: 'bench', jobs: [JOB], workers: SURVIVORS, version: SHORT } as const;
    return new Crew(await Cluster.start({ ...rest, ...given, ensemble }), victims);
  }

  /** Lets some workers join, kills them in mid-run, each at a moment of its own, and waits for their rescue. */
  async crash(): Promise<void> {
    const { workforce, tree } = this.cluster;
    workforce.version = LONG;
    const since = workforce.journal.mark;
    const victims = await Promise.all(Array.from({ length: this.#victims }, () => workforce.join()));
    await tree.untilShared(LIMIT_MS);
    const isAtIt = ({ name }: Worker) => this.#events(since, name).some((event) => kindOf(event) === 'begun');
    await workforce.journal.until('a victim runs something', () => victims.some(isAtIt), LIMIT_MS);
    // Items that the first workers run are not given to the others; of the rest all are begun by then.
    await delay(1_200);
    await Promise.all(victims.map((victim) => this.#kill(victim)));
    await tree.untilShared(LIMIT_MS);
    // The next trigger of all workers.
    await delay(1_500);
  }

  /** Rescue of each item that a victim was running. */
  async rescues(): Promise<readonly Rescue[]> {
    const { runs } = await this.cluster.logs.read();
    return [...this.#kills].flatMap(([victim, killedAt]) =>
      runs.filter((run) => run.worker === victim).flatMap((run) => this.#rescue(run, killedAt, runs)),
    );
  }

  /** Lets one worker join, and another one leave: in turns, so that the leader leaves as well. */
  async depart(): Promise<HandOver> {
    const { workforce, tree } = this.cluster;
    workforce.version = SHORT;
    await workforce.join();
    await tree.untilShared(LIMIT_MS);
    // At a random phase of a second.
    await delay(Math.random() * 1_000);
    const leaver = workforce.all[0]!;
    const owned = tree.sights.at(-1)!.owners;
    const since = workforce.journal.mark;
    await workforce.leave(leaver);
    const begunAt = this.#events(since, leaver.name).find(({ event }) => event === 'leaving')!.at;
    const isWithout = (event: PeerEvent) =>
      kindOf(event) === 'resharded' && event.at >= begunAt && !event.text!.includes(`"${leaver.ip}@-@`);
    const committed = await workforce.journal.until('the items are assigned', () =>
      this.#events(since).find(isWithout),
    );
    await delay(1_200);
    const items = owned.flatMap((owner, item) => (owner === leaver.name ? [item] : []));
    const startedMs = await this.#starts(items, begunAt, committed.at);
    return { committedMs: committed.at - begunAt, startedMs };
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  async #kill(victim: Worker): Promise<void> {
    await delay(Math.random() * 500);
    this.#kills.set(victim.name, Date.now());
    await this.cluster.workforce.kill(victim);
  }

  #rescue(run: Run, killedAt: number, runs: readonly Run[]): readonly Rescue[] {
    const next = runs.find(
      ({ item, fireTime, source, begunAt }) =>
        item === run.item && fireTime === run.fireTime && source === 'FAILOVER' && begunAt > killedAt,
    );
    if (next === undefined) throw new Error(`Item ${run.item} of ${run.worker} was not rescued.`);
    const gone = this.#events(0, next.worker).find(
      ({ event, text = '' }) => event === 'gone' && this.cluster.workforce.nameOf(ipOf(text)) === run.worker,
    );
    // Another victim may have rescued it, and died as well.
    if (gone === undefined) return [];
    const { begunAt } = next;
    return [{ fromKillMs: begunAt - killedAt, toDeletionMs: gone.at - killedAt, fromDeletionMs: begunAt - gone.at }];
  }

  async #starts(items: readonly number[], from: number, to: number): Promise<readonly number[]> {
    const { runs } = await this.cluster.logs.read();
    return runs
      .filter(({ item, fireTime = 0 }) => items.includes(item) && fireTime > from && fireTime <= to)
      .map(({ begunAt }) => begunAt - from);
  }

  #events(since: number, peer?: string): readonly PeerEvent[] {
    return this.cluster.workforce.journal.events
      .slice(since)
      .filter((event) => peer === undefined || event.peer === peer);
  }
}

function kindOf({ event, text }: PeerEvent): string | undefined {
  return event === 'runtime' ? /"kind":"([^"]+)"/.exec(text ?? '')?.[1] : undefined;
}

/** The address in the path of an instance's node. */
function ipOf(path: string): string | undefined {
  return /([\d.]+)@-@[^/]*$/.exec(path)?.[1];
}
