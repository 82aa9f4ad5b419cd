import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serverIpOf, type JobInstance } from '../cluster/index.js';
import { createShardingStrategy } from './create-sharding-strategy.js';
import { javaHashCode } from './strategies.js';
import { planSharding } from './plan-sharding.js';

interface Assignment {
  readonly instance: string;
  readonly items: readonly number[];
}

interface StrategyVector {
  readonly id: string;
  readonly strategy: string;
  readonly jobName: string;
  readonly instances: readonly string[];
  readonly total: number;
  readonly assignment?: readonly Assignment[];
}

interface EndToEndVector extends Omit<StrategyVector, 'instances' | 'assignment'> {
  readonly instanceChildren: readonly string[];
  readonly assignment: readonly Assignment[];
}

interface ShardingVectors {
  readonly strategyVectors: readonly StrategyVector[];
  readonly endToEndVectors: readonly EndToEndVector[];
  readonly javaHashVectors: readonly { readonly text: string; readonly javaHashCode: number }[];
}

const fixture = new URL('../../../../../test/fixtures/sharding-vectors.json', import.meta.url);
const vectors: ShardingVectors = JSON.parse(readFileSync(fixture, 'utf8'));
const answered = vectors.strategyVectors.filter((vector) => vector.assignment !== undefined);
const refusedByJava = vectors.strategyVectors.filter((vector) => vector.assignment === undefined);

describe('sharding as Java computes it', () => {
  it.each(vectors.javaHashVectors)('hashes the text "$text" as Java does', (vector) => {
    expect(javaHashCode(vector.text)).toBe(vector.javaHashCode);
  });

  it.each(answered)('gives each instance what Java gives it in $id ($strategy, $total items)', (vector) => {
    const strategy = createShardingStrategy(vector.strategy);
    const sharded = strategy.shard(vector.instances.map(instanceOf), vector.jobName, vector.total);
    expect(asAssignment(sharded)).toEqual(vector.assignment);
  });

  it.each(refusedByJava)('gives every item one owner in $id, on which Java fails', (vector) => {
    const strategy = createShardingStrategy(vector.strategy);
    const sharded = strategy.shard(vector.instances.map(instanceOf), vector.jobName, vector.total);
    expect([...sharded.values()].flat().toSorted((a, b) => a - b)).toEqual(itemsUpTo(vector.total));
  });

  it.each(vectors.endToEndVectors)(
    'plans the same owners as Java for $id, with its instances in any order',
    (vector) => {
      const strategy = createShardingStrategy(vector.strategy);
      const plan = planSharding(strategy, vector.instanceChildren.map(instanceOf), vector.jobName, vector.total);
      expect(new Map(plan)).toEqual(ownersOf(vector.assignment));
      expect([...plan.keys()]).toEqual(itemsUpTo(vector.total));
    },
  );
});

function instanceOf(jobInstanceId: string): JobInstance {
  return { jobInstanceId, serverIp: serverIpOf(jobInstanceId) };
}

function asAssignment(sharded: ReadonlyMap<JobInstance, readonly number[]>): Assignment[] {
  return [...sharded].map(([instance, items]) => ({ instance: instance.jobInstanceId, items }));
}

function ownersOf(assignment: readonly Assignment[]): Map<number, string> {
  return new Map(assignment.flatMap(({ instance, items }) => items.map((item): [number, string] => [item, instance])));
}

function itemsUpTo(total: number): number[] {
  return Array.from({ length: total }, (_, item) => item);
}
