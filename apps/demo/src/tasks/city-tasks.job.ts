import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { CitiesSource } from '../cities/cities.source.js';
import { StatisticsStore } from '../cities/statistics.store.js';
import { Mishaps } from './mishaps.js';

const CITIES_PER_WRITE = 500;
/** Small enough that a task ends within seconds. */
const CITIES_PER_TASK = 12 * CITIES_PER_WRITE;
/** Makes a task long enough for a mishap in the middle. */
const WRITE_DELAY_MS = 100;

/** Counts the world's cities by country, each item in a process of its own. */
@Injectable()
export class CityTasksJob {
  constructor(
    private readonly cities: CitiesSource,
    private readonly store: StatisticsStore,
    private readonly mishaps: Mishaps,
  ) {}

  @ElasticJob({
    name: 'city-tasks',
    cron: '0/4 * * * * ?',
    shardingTotalCount: 6,
    failover: true,
    executor: 'task',
    resources: { cpu: 0.25, memoryMb: 400 },
  })
  async aggregate(context: ShardingContext): Promise<void> {
    await this.mishaps.befall(context.signal);
    const counted = await this.store.countedCities(context);
    const open = this.cities.ofShard(context).filter(({ cityId }) => !counted.has(cityId));
    const cities = open.slice(0, CITIES_PER_TASK);

    for (let start = 0; start < cities.length; start += CITIES_PER_WRITE) {
      await sleep(WRITE_DELAY_MS);
      context.assertHeld();
      const added = await this.store.count(context, cities.slice(start, start + CITIES_PER_WRITE));
      console.log(JSON.stringify({ added })); // The scheduler gets the output of its tasks.
    }
  }
}
