import { expect, it } from 'vitest';
import { CitiesSource } from './cities.source.js';

const ITEMS = 12;
const source = new CitiesSource();
const shards = Array.from({ length: ITEMS }, (_, shardingItem) =>
  source.ofShard({ shardingItem, shardingTotalCount: ITEMS }),
);

it('given the data set, when it is loaded, then there are well over 100,000 cities under distinct ids', () => {
  const ids = new Set(source.all.map(({ cityId }) => cityId));

  expect(ids.size).toBe(source.all.length);
  expect(ids.size).toBeGreaterThan(100_000);
});

it('given twelve items, when the data set is sharded, then every city belongs to exactly one of them', () => {
  const ids = shards.flat().map(({ cityId }) => cityId);

  expect(ids).toHaveLength(source.all.length);
  expect(new Set(ids).size).toBe(source.all.length);
});

it('given twelve items, when the data set is sharded, then no item has 5 % more than its part', () => {
  const sizes = shards.map((cities) => cities.length);

  expect(Math.max(...sizes)).toBeLessThan((source.all.length / ITEMS) * 1.05);
});
