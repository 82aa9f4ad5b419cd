import { Injectable } from '@nestjs/common';
import type { ShardingContext } from '@app/elastic-job';
import { SqlGuard } from '@app/elastic-job/guards/sql';
import { sql, type Transaction } from 'kysely';
import type { City, Shard } from './cities.source.js';
import { summarize, type CountryStatistics } from './country-statistics.js';
import { StatisticsDatabase, type StatisticsSchema } from './statistics.database.js';

/** The job's store: refuses stale runs, and counts every city once. */
@Injectable()
export class StatisticsStore {
  private readonly guard: SqlGuard<StatisticsSchema>;

  constructor(private readonly database: StatisticsDatabase) {
    this.guard = new SqlGuard<StatisticsSchema>(database);
  }

  /** Ids of an item's cities that are already counted. */
  async countedCities({ shardingItem, shardingTotalCount }: Shard): Promise<ReadonlySet<number>> {
    const rows = await this.database
      .selectFrom('counted_city')
      .select('city_id')
      .where(sql`city_id % ${shardingTotalCount}`, '=', shardingItem)
      .execute();
    return new Set(rows.map((row) => row.city_id));
  }

  /**
   * Adds cities to their countries, all or none of them; a city that is already counted changes nothing.
   * @returns the number of new ones.
   * @throws {FencedError} if a newer run of the item has written; nothing was changed then.
   */
  async count(context: ShardingContext, cities: readonly City[]): Promise<number> {
    return this.guard.write(context, async (trx) => {
      const added = await markCounted(trx, cities);
      if (added.length > 0) await addToCountries(trx, context.shardingItem, added);
      return added.length;
    });
  }

  /** Number of counted cities. */
  async total(): Promise<number> {
    const { total } = await this.database
      .selectFrom('counted_city')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  /** The result, in the order of the countries. */
  async byCountry(): Promise<CountryStatistics[]> {
    return this.database.selectFrom('country_statistics').selectAll().orderBy('country').execute();
  }
}

type StatisticsTransaction = Transaction<StatisticsSchema>;

/** @returns the cities that were not marked before. */
async function markCounted(trx: StatisticsTransaction, cities: readonly City[]): Promise<readonly City[]> {
  const rows = await trx
    .insertInto('counted_city')
    .values(cities.map(({ cityId }) => ({ city_id: cityId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('city_id')
    .execute();
  const marked = new Set(rows.map((row) => row.city_id));
  return cities.filter(({ cityId }) => marked.has(cityId));
}

async function addToCountries(trx: StatisticsTransaction, item: number, cities: readonly City[]): Promise<void> {
  await trx
    .insertInto('country_share')
    .values(summarize(cities).map((country) => ({ ...country, item })))
    .onConflict((conflict) =>
      conflict.columns(['country', 'item']).doUpdateSet((row) => ({
        cities: row('country_share.cities', '+', row.ref('excluded.cities')),
        population: row('country_share.population', '+', row.ref('excluded.population')),
      })),
    )
    .execute();
}
