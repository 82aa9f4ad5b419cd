import { describe, expect, it } from 'vitest';
import { createShardingStrategy } from '../../../libs/elastic-job/src/domain/index.js';
import { SeededRandom } from '../schedule/random-cron.js';
import { idsOf, wordOf } from './support/deployments.js';
import { instancesOf } from './support/plan-histories.js';

const SEED = 20_261_129;
const SETS = 1_000;
const BALANCED = createShardingStrategy('BALANCED');

describe('BALANCED', () => {
  it('gives each of three instances 1 to 8 of twelve jobs of one item, in 95 % of all cases', () => {
    const isShared = ({ least, most }: Loads) => least >= 1 && most <= 8;
    expect(shareOf(12, isShared)).toBeGreaterThanOrEqual(0.95);
  });

  it('gives each of three instances a third of 1,000 jobs of one item, within 15 %, in 98 % of all cases', () => {
    const isShared = ({ least, most }: Loads) => least >= 0.85 * (1_000 / 3) && most <= 1.15 * (1_000 / 3);
    expect(shareOf(1_000, isShared)).toBeGreaterThanOrEqual(0.98);
  }, 60_000);
});

interface Loads {
  readonly least: number;
  readonly most: number;
}

/** The part of all sets of names and ids in which the jobs are shared as required. */
function shareOf(jobs: number, isShared: (loads: Loads) => boolean): number {
  const random = new SeededRandom(SEED);
  let shared = 0;
  for (let set = 0; set < SETS; set += 1) {
    const ids = idsOf(random, 3);
    const counts = new Map(ids.map((id) => [id, 0]));
    const instances = instancesOf(ids);
    for (const name of namesOf(random, jobs)) {
      for (const [{ jobInstanceId: id }, items] of BALANCED.shard(instances, name, 1))
        counts.set(id, counts.get(id)! + items.length);
    }
    const loads = [...counts.values()];
    if (isShared({ least: Math.min(...loads), most: Math.max(...loads) })) shared += 1;
  }
  return shared / SETS;
}

/** Names of one application: numbered ones in every other set, and words in the others. */
function namesOf(random: SeededRandom, count: number): string[] {
  const prefix = wordOf(random);
  const isNumbered = random.whole(0, 1) === 0;
  return Array.from({ length: count }, (_, i) => (isNumbered ? `${prefix}-${i}` : `${wordOf(random)}.${prefix}${i}`));
}
