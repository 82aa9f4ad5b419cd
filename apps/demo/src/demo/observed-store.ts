import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardingContext } from '@app/elastic-job';
import { FencedError } from '@app/elastic-job/guards/sql';
import type { City } from '../cities/cities.source.js';
import type { StatisticsDatabase } from '../cities/statistics.database.js';
import { StatisticsStore } from '../cities/statistics.store.js';
import type { Observer } from './observer.js';

/** Makes a run long enough for an interruption, and short enough to end before the next one is due. */
const WRITE_DELAY_MS = 350;

/** The job's store, slowed down and observed. Its writes and refusals are unchanged. */
export class ObservedStore extends StatisticsStore {
  constructor(
    database: StatisticsDatabase,
    private readonly observer: Observer,
  ) {
    super(database);
  }

  override async count(context: ShardingContext, cities: readonly City[]): Promise<number> {
    const { instance, hear, beforeWrite } = this.observer;
    const { shardingItem: item, token } = context;
    await sleep(WRITE_DELAY_MS);
    await beforeWrite?.(context);
    try {
      const added = await super.count(context, cities);
      hear({ kind: 'wrote', instance, item, token: String(token), added });
      return added;
    } catch (error) {
      if (error instanceof FencedError) hear({ kind: 'refused', instance, item });
      throw error;
    }
  }
}
