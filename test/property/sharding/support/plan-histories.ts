import {
  createShardingStrategy,
  inDescendingOrder,
  type JobInstance,
  planSharding,
  serverIpOf,
} from '../../../../libs/elastic-job/src/domain/index.js';
import { SeededRandom } from '../../schedule/random-cron.js';

export type Owners = ReadonlyMap<number, string>;

const SEED = 20_261_121;
const ROUNDS = 2_000;
const JOB = 'settle-orders';

export interface Step {
  readonly ids: readonly string[];
  readonly total: number;
  readonly before: Owners;
  readonly after: Owners;
}

/** Instances that join and leave, and a total that changes. Each plan is made from the one before. */
export function* historyOf(
  type: string,
  { mostInstances, mostItems }: { mostInstances: number; mostItems: number },
): Iterable<Step> {
  const random = new SeededRandom(SEED);
  let before: Owners = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const pool = Array.from({ length: 2 * mostInstances }, (_, i) => `10.0.0.${i}@-@${i}`);
    const present = new Set(before.values());
    const kept = pool.filter((id) => present.has(id) && random.whole(0, 9) > 0);
    const joined = pool.filter((id) => !present.has(id) && random.whole(0, 2 * mostInstances) === 0);
    const ids = [...kept, ...joined].slice(0, mostInstances);
    if (ids.length === 0) ids.push(random.pick(pool));
    const total = random.whole(0, 4) === 0 || before.size === 0 ? random.whole(1, mostItems) : before.size;
    const after = planOf(type, ids, total, before);
    yield { ids, total, before, after };
    before = after;
  }
}

export function planOf(type: string, ids: readonly string[], total: number, current: Owners = new Map()): Owners {
  return planSharding(createShardingStrategy(type), instancesOf(ids), JOB, total, current);
}

/** In Java's order. */
export function instancesOf(ids: readonly string[]): readonly JobInstance[] {
  return inDescendingOrder(ids).map((jobInstanceId) => ({ jobInstanceId, serverIp: serverIpOf(jobInstanceId) }));
}

/** The number of items with another owner than before, without those beyond the new total. */
export function moves({ before, after }: Step): number {
  return [...before].filter(([item, owner]) => after.has(item) && after.get(item) !== owner).length;
}

export function countOf(owners: Owners, id: string): number {
  return [...owners.values()].filter((owner) => owner === id).length;
}
