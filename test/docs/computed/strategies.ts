import { createTestCluster, type TestCluster } from '../../../libs/elastic-job/src/testing/index.js';

/** Strategies that pages compare, the default first. */
const STRATEGIES = ['BALANCED', 'STICKY', 'AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN'];
const NAMES = 'ABCD';
/** The instance that crashes. */
const B = 1;

/** The letter of the owner of each item, or of each job of one item. */
export type Owners = readonly string[];

/** Owners at three moments: three instances, after the crash of B, and after D has joined. */
export interface History {
  readonly strategy: string;
  readonly owners: readonly [Owners, Owners, Owners];
}

/** One job of eight items. */
export async function itemsOfOneJob(): Promise<readonly History[]> {
  return Promise.all(
    STRATEGIES.map(async (strategy) => {
      const name = `report-${strategy.toLowerCase()}`;
      const owners = await historyOf(strategy, [name], 8, (cluster) => [...cluster.assignment(name).values()]);
      return { strategy, owners };
    }),
  );
}

/** Twelve jobs of one item: `job-1` to `job-12`. */
export async function jobsOfOneItem(): Promise<readonly History[]> {
  const names = Array.from({ length: 12 }, (_, index) => `job-${index + 1}`);
  return Promise.all(
    STRATEGIES.map(async (strategy) => {
      const owners = await historyOf(strategy, names, 1, (cluster) =>
        names.map((name) => cluster.assignment(name).get(0)!),
      );
      return { strategy, owners };
    }),
  );
}

/** How many places have another letter. */
export function movedBetween(former: Owners, next: Owners): number {
  return former.filter((owner, place) => owner !== next[place]).length;
}

async function historyOf(
  strategy: string,
  names: readonly string[],
  shardingTotalCount: number,
  owners: (cluster: TestCluster) => readonly number[],
): Promise<History['owners']> {
  const cluster = await createTestCluster({
    instances: 3,
    jobs: names.map((name) => ({ name, cron: '0 0 2 * * ?', strategy, shardingTotalCount, handler: () => {} })),
  });
  const letters = () => owners(cluster).map((owner) => NAMES[owner]!);
  const three = letters();
  cluster.crash(B);
  await cluster.advance(20_000);
  const afterCrash = letters();
  await cluster.join();
  await cluster.advance(1_000);
  const afterJoin = letters();
  await cluster.stop();
  return [three, afterCrash, afterJoin];
}
