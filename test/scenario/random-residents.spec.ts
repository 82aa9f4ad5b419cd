import { describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestRun,
  VirtualClock,
} from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { endsWith, expectGrowingTokens, expectNoOverlap, expectOncePerTarget, range } from './support/run-checks.js';

const JOB = 'follow-orders';
const SEEDS = 30;
const TOTAL = 5;
/** Long enough for every session to end, every plan to be made and the longest pause. */
const QUIET_MS = 90_000;

describe('random histories of a resident job', () => {
  it(`run no item twice at once, and each item on its owner after the faults (${SEEDS} seeds)`, async () => {
    let moves = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        moves += await judge(new History(seed));
      } catch (error) {
        throw new Error(`The history of seed ${seed} breaks a promise.`, { cause: error });
      }
    }
    // Otherwise the histories would not exercise hand-overs.
    expect(moves).toBeGreaterThan(SEEDS * 5);
  }, 60_000);
});

/** @returns how often an item began on another instance than before */
async function judge(history: History): Promise<number> {
  await history.run();
  const { cluster, deaths } = history;
  const runs = cluster.runs(JOB);
  expectNoOverlap(runs, endsWith(deaths));
  expectGrowingTokens(runs);
  expectOncePerTarget(runs);
  const open = runs.filter(({ endedAt, instance }) => endedAt === undefined && !deaths.has(instance));
  // An item that has just ended is about to begin again.
  expect(open.length).toBeGreaterThanOrEqual(TOTAL - 1);
  for (const { item, instance } of open) expect(cluster.assignment(JOB).get(item)).toBe(instance);
  await cluster.stop();
  const before = (run: TestRun, index: number) => runs.slice(0, index).findLast(({ item }) => item === run.item);
  return runs.filter((run, index) => before(run, index)?.instance !== run.instance).length;
}

class History {
  private readonly chance: VirtualClock;
  readonly deaths = new Map<number, number>();
  private readonly left = new Set<number>();
  private readonly cutOff = new Set<number>();
  cluster!: TestCluster;

  constructor(private readonly seed: number) {
    this.chance = new VirtualClock({ seed });
  }

  async run(): Promise<void> {
    const handler = (context: ShardingContext) => this.follow(context);
    const job = { name: JOB, shardingTotalCount: TOTAL, resident: true, handler };
    this.cluster = await createTestCluster({ instances: 3, jobs: [job], seed: this.seed });
    const { cluster } = this;
    for (let step = 0; step < 10; step++) {
      await this.disturb();
      await cluster.advance(this.below(8_000));
    }
    await this.setServers('ENABLED');
    for (const instance of this.cutOff) await cluster.heal(instance);
    if (this.living().length === 0) await cluster.join();
    await cluster.advance(QUIET_MS);
  }

  /** Runs until it is aborted, and takes a moment to stop; sometimes it ends or fails by itself. */
  private async follow({ signal }: ShardingContext): Promise<void> {
    const { clock } = this.cluster ?? {};
    if (clock === undefined) return;
    await clock.sleep(this.below(5) === 0 ? this.below(5_000) : 3_600_000, signal).catch(() => {});
    if (signal.aborted) await clock.sleep(this.below(1_500));
    else if (this.below(2) === 0) throw new Error('no broker');
  }

  private async disturb(): Promise<void> {
    const living = this.living();
    const chosen = living[this.below(living.length)];
    switch (chosen === undefined || living.length < 2 ? 5 : this.below(6)) {
      case 0:
        this.deaths.set(chosen!, this.cluster.clock.wallNow());
        this.cutOff.delete(chosen!);
        return this.cluster.crash(chosen!);
      case 1:
        this.cutOff.add(chosen!);
        return this.cluster.partition(chosen!);
      case 2:
        for (const instance of this.cutOff) await this.cluster.heal(instance);
        return this.cutOff.clear();
      case 3:
        this.left.add(chosen!);
        return this.cluster.leave(chosen!);
      case 4:
        return this.setServers(this.below(2) === 0 ? 'ENABLED' : 'DISABLED');
      default:
        return void (await this.cluster.join());
    }
  }

  /** The switches of one server, or of all if they are to be enabled. */
  private async setServers(status: 'ENABLED' | 'DISABLED'): Promise<void> {
    const operator = await operatorOf(this.cluster);
    const servers = await operator.children(`/${JOB}/servers`);
    const chosen = status === 'ENABLED' ? servers : servers.slice(0, 1);
    for (const ip of chosen) await operator.set(`/${JOB}/servers/${ip}`, status);
  }

  private living(): number[] {
    return range(this.cluster.instances.length).filter((index) => !this.deaths.has(index) && !this.left.has(index));
  }

  private below(limit: number): number {
    return Math.floor(this.chance.random() * limit);
  }
}
