import { expect, it } from 'vitest';
import { CitiesSource } from './cities.source.js';

const ITEMS = 12;
const source = new CitiesSource();
const shards = Array.from({ length: ITEMS }, (_, shardingItem) =>
  source.ofShard({ shardingItem, shardingTotalCount: ITEMS }),
);

it('holds well over 100,000 cities under distinct ids', () => {
  const ids = new Set(source.all.map(({ cityId }) => cityId));

  expect(ids.size).toBe(source.all.length);
  expect(ids.size).toBeGreaterThan(100_000);
});

it('assigns every city to exactly one of twelve items', () => {
  const ids = shards.flat().map(({ cityId }) => cityId);

  expect(ids).toHaveLength(source.all.length);
  expect(new Set(ids).size).toBe(source.all.length);
});

it('gives none of twelve items 5 % more cities than an even share', () => {
  const sizes = shards.map((cities) => cities.length);

  expect(Math.max(...sizes)).toBeLessThan((source.all.length / ITEMS) * 1.05);
});
