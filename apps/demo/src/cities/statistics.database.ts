import { SqlGuard } from '@app/elastic-job/guards/sql';
import Libsql from 'libsql';
import { Kysely, SqliteDialect, sql } from 'kysely';
import type { CountryStatistics } from './country-statistics.js';

/** The tables of the demo. */
export interface StatisticsSchema {
  /** Counted cities, which make counting idempotent per row. */
  counted_city: { city_id: number };
  /** Numbers that each item adds to a country. One row per item, so that items never write the same row. */
  country_share: CountryStatistics & { item: number };
  /** The view that readers use: the sum over all items. */
  country_statistics: CountryStatistics;
}

/** The demo's database, under a class of its own so that Nest can inject it. */
export class StatisticsDatabase extends Kysely<StatisticsSchema> {}

/**
 * Opens the database and creates what is missing in it.
 * @param file a path, or `:memory:`
 */
export async function openStatisticsDatabase(file: string): Promise<StatisticsDatabase> {
  const connection = new Libsql(file);
  // Several processes share one file: writers wait for each other, and readers never wait.
  connection.exec('pragma busy_timeout = 10000');
  connection.exec('pragma journal_mode = wal');
  const database = new StatisticsDatabase({ dialect: new SqliteDialect({ database: connection }) });
  await createTables(database);
  await new SqlGuard<StatisticsSchema>(database).createTable();
  return database;
}

async function createTables(database: StatisticsDatabase): Promise<void> {
  await sql`create table if not exists counted_city (city_id integer primary key)`.execute(database);
  await sql`create table if not exists country_share (
    country varchar(2) not null,
    item integer not null,
    cities integer not null,
    population integer not null,
    primary key (country, item)
  )`.execute(database);
  await sql`create view if not exists country_statistics as
    select country, sum(cities) as cities, sum(population) as population from country_share group by country
  `.execute(database);
}
