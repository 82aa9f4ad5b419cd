import type { ShardingContext } from '@app/elastic-job';
import { FencedError } from '@app/elastic-job/guards/sql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { City } from './cities.source.js';
import { openStatisticsDatabase, type StatisticsDatabase } from './statistics.database.js';
import { StatisticsStore } from './statistics.store.js';

const city = (cityId: number, country: string, population: number): City => ({ cityId, name: '', country, population });
const KYOTO = city(12, 'JP', 1_463_723);
const NARA = city(24, 'JP', 354_630);
const BERN = city(13, 'CH', 121_631);

let database: StatisticsDatabase;
let store: StatisticsStore;

beforeEach(async () => {
  database = await openStatisticsDatabase(':memory:');
  store = new StatisticsStore(database);
});

afterEach(() => database.destroy());

const run = (shardingItem: number, token: bigint): ShardingContext => ({
  jobName: 'city-statistics',
  taskId: '',
  jobParameter: '',
  shardingTotalCount: 12,
  shardingItem,
  shardingParameter: undefined,
  fireTime: new Date(0),
  source: 'NORMAL_TRIGGER',
  trigger: 'schedule',
  attempt: 1,
  signal: new AbortController().signal,
  token,
  tokenEpoch: 0,
  checkpoint: { save: () => Promise.resolve(), load: () => Promise.resolve(undefined), clear: () => Promise.resolve() },
  props: {},
  assertHeld: () => undefined,
  isMoving: () => false,
});

it('sums the cities and inhabitants of a country over all items that counted them', async () => {
  const paris = city(25, 'FR', 2_138_551);
  const lyon = city(36, 'FR', 522_969);

  await store.count(run(1, 1n), [paris, BERN]);
  await store.count(run(0, 2n), [lyon, KYOTO, NARA]);

  expect(await store.byCountry()).toEqual([
    { country: 'CH', cities: 1, population: BERN.population },
    { country: 'FR', cities: 2, population: paris.population + lyon.population },
    { country: 'JP', cities: 2, population: KYOTO.population + NARA.population },
  ]);
});

it('adds only new cities if a later run meets counted ones again', async () => {
  await store.count(run(0, 1n), [KYOTO]);

  expect(await store.count(run(0, 2n), [KYOTO, NARA])).toBe(1);
  expect(await store.count(run(0, 2n), [KYOTO, NARA])).toBe(0);

  expect(await store.byCountry()).toEqual([
    { country: 'JP', cities: 2, population: KYOTO.population + NARA.population },
  ]);
});

it('refuses a stale run, and changes nothing, once its rescuer has written', async () => {
  await store.count(run(0, 2n), [KYOTO]);

  await expect(store.count(run(0, 1n), [NARA])).rejects.toThrow(FencedError);

  expect(await store.countedCities(run(0, 2n))).toEqual(new Set([KYOTO.cityId]));
  expect(await store.byCountry()).toEqual([{ country: 'JP', cities: 1, population: KYOTO.population }]);
});

it('returns to an item the cities that it has counted itself, and none of other items', async () => {
  await store.count(run(0, 1n), [KYOTO, NARA]);
  await store.count(run(1, 2n), [BERN]);

  expect(await store.countedCities(run(0, 3n))).toEqual(new Set([KYOTO.cityId, NARA.cityId]));
  expect(await store.countedCities(run(1, 3n))).toEqual(new Set([BERN.cityId]));
});
