import { expect, it } from 'vitest';
import { VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import type { JavaPeer } from './support/java-peer.js';
import { JOB, MixedCluster } from './support/mixed-cluster.js';
import { endsWith, expectGrowingTokens, expectNoOverlap, expectOncePerTarget, range } from './support/run-checks.js';

const SEEDS = 60;
const TOTAL = 5;
/** Long enough for every session to end, every plan to be made and every item to run. */
const QUIET_MS = 60_000;

it(`runs each item once for each fire time after the faults of ${SEEDS} histories of both kinds`, async () => {
  let failovers = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      failovers += await runHistory(seed);
    } catch (error) {
      throw new Error(`The history of seed ${seed} breaks a promise.`, { cause: error });
    }
  }
  expect(failovers).toBeGreaterThan(SEEDS / 4); // Otherwise the histories would not exercise failover.
}, 60_000);

/** @returns the number of failovers that ours have run */
async function runHistory(seed: number): Promise<number> {
  const history = await History.start(seed);
  for (let step = 0; step < 8; step++) await history.disturb();
  await history.calmDown();
  const { cluster, deaths } = history;

  const runs = cluster.ours.runs(JOB);
  expectNoOverlap(runs, endsWith(deaths));
  expectGrowingTokens(runs);
  expectOncePerTarget(runs);
  expect(await history.livingOwners()).toHaveLength(TOTAL);
  expect(await history.leftBehind()).toEqual([]);
  for (const fireTime of history.fireTimes(20_000)) {
    const { java, ours } = cluster.itemsAt(fireTime);
    expect([...java, ...ours].toSorted((a, b) => a - b)).toEqual(range(TOTAL));
  }
  await cluster.stop();
  return runs.filter(({ source }) => source === 'FAILOVER').length;
}

/** A shared job and its faults, which a seed decides. */
class History {
  readonly deaths = new Map<number, number>();
  private readonly peers: JavaPeer[] = [];
  private isQuiet = false;
  private servers = 0;

  private constructor(
    readonly cluster: MixedCluster,
    private readonly chance: VirtualClock,
  ) {}

  static async start(seed: number): Promise<History> {
    const chance = new VirtualClock({ seed });
    let history: History | undefined;
    const cluster = await MixedCluster.start({
      instances: 2,
      handler: ({ signal }) => history?.work(signal),
      job: { cron: '0/5 * * * * ?', shardingTotalCount: TOTAL, shardingTimeoutMs: 20_000 },
    });
    history = new History(cluster, chance);
    await history.startJava();
    return history;
  }

  async disturb(): Promise<void> {
    const living = this.cluster.ours.instances.flatMap((_, index) => (this.deaths.has(index) ? [] : [index]));
    const chosen = living[this.pick(living.length)];
    const peer = this.peers[this.pick(this.peers.length)];
    switch (this.pick(6)) {
      case 0:
        await this.startJava();
        break;
      case 1:
        await this.cluster.ours.join();
        break;
      case 2:
        if (living.length > 1) await this.end(chosen!, () => this.cluster.ours.crash(chosen!));
        break;
      case 3:
        if (living.length > 1) await this.end(chosen!, () => this.cluster.ours.leave(chosen!));
        break;
      case 4:
        if (peer !== undefined) this.forget(peer).crash();
        break;
      default:
        if (peer !== undefined) await this.cluster.ours.clock.advanceUntil(this.forget(peer).shutdown());
    }
    await this.cluster.advance(this.pick(9_000));
  }

  /** No more faults, and short runs, until everything has run. */
  async calmDown(): Promise<void> {
    this.isQuiet = true;
    await this.cluster.advance(QUIET_MS);
    await this.cluster.advance(23_000);
  }

  /** The owner of each item, if it lives. */
  async livingOwners(): Promise<string[]> {
    const living = await this.cluster.nodes('instances');
    return (await this.cluster.owners()).flatMap((owner) => (living.includes(owner ?? '') ? [owner!] : []));
  }

  /** Entries of the queue, and marks of instances that are gone. */
  async leftBehind(): Promise<string[]> {
    const left = await this.cluster.nodes('leader/failover/items');
    const living = await this.cluster.nodes('instances');
    for (const item of range(TOTAL)) {
      for (const mark of ['running', 'failover', 'failovering']) {
        const holder = await this.cluster.read(`sharding/${item}/${mark}`);
        if (holder !== undefined && !living.includes(holder)) left.push(`${item}/${mark} of ${holder}`);
      }
    }
    return left;
  }

  /** The fire times of the last stretch without the very last, which may be under way. */
  fireTimes(ms: number): number[] {
    const last = Math.floor(this.cluster.ours.clock.wallNow() / 5_000) * 5_000 - 5_000;
    return range(ms / 5_000 - 1).map((index) => last - index * 5_000);
  }

  private async startJava(): Promise<void> {
    this.servers += 1;
    const latencyMs = 1 + this.pick(4);
    this.peers.push(
      await this.cluster.java({ serverIp: `10.0.1.${this.servers}`, latencyMs, handler: () => this.work() }),
    );
  }

  private async end(instance: number, how: () => unknown): Promise<void> {
    await how();
    this.deaths.set(instance, this.cluster.ours.clock.wallNow());
  }

  private forget(peer: JavaPeer): JavaPeer {
    this.peers.splice(this.peers.indexOf(peer), 1);
    return peer;
  }

  private async work(signal?: AbortSignal): Promise<void> {
    await this.cluster.ours.clock.sleep(this.isQuiet ? 100 : this.pick(6_000), signal).catch(() => {});
  }

  /** A number from 0 to below `count`. */
  private pick(count: number): number {
    return Math.floor(this.chance.random() * count);
  }
}
