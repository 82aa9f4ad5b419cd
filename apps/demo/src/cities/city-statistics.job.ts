import { Injectable } from '@nestjs/common';
import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { CitiesSource } from './cities.source.js';
import { StatisticsStore } from './statistics.store.js';

/** Small, so that a crash loses little work. */
const CITIES_PER_WRITE = 500;

/** Small enough that a run ends before the next one is due. */
const CITIES_PER_RUN = 6 * CITIES_PER_WRITE;

/** Counts the world's cities by country: every five seconds each of the twelve items counts its next cities. */
@Injectable()
export class CityStatisticsJob {
  constructor(
    private readonly cities: CitiesSource,
    private readonly store: StatisticsStore,
  ) {}

  @ElasticJob({ name: 'city-statistics', cron: '0/5 * * * * ?', shardingTotalCount: 12, failover: true })
  async aggregate(context: ShardingContext): Promise<void> {
    const counted = await this.store.countedCities(context);
    const open = this.cities.ofShard(context).filter(({ cityId }) => !counted.has(cityId));
    const cities = open.slice(0, CITIES_PER_RUN);

    for (let start = 0; start < cities.length; start += CITIES_PER_WRITE) {
      // Ends a run that is known to be lost. More is not possible here: the process may be paused right after this
      // line, for longer than its session lives, and then write. That write has an old token, and the store refuses it.
      context.assertHeld();
      await this.store.count(context, cities.slice(start, start + CITIES_PER_WRITE));
    }
  }
}
