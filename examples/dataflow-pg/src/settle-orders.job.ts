import { Injectable, Logger } from '@nestjs/common';
import { type DataflowJob, ElasticJob, type ShardingContext } from 'nestjs-elastic-job';
import { OrderStore } from './order.store.js';

/** Settles the orders that have come since the last run, in batches. */
@Injectable()
@ElasticJob({
  name: 'settle-orders',
  cron: '0 0 2 * * ?', // at 2 o'clock
  shardingTotalCount: 2, // even and odd order numbers
  failover: true,
  props: { 'streaming.process': 'true' }, // until nothing is fetched
})
export class SettleOrders implements DataflowJob<number> {
  private readonly logger = new Logger(SettleOrders.name);

  constructor(private readonly store: OrderStore) {}

  async fetchData(context: ShardingContext): Promise<number[]> {
    return this.store.next(context, (await context.checkpoint.load<number>()) ?? 0);
  }

  async processData(context: ShardingContext, ids: readonly number[]): Promise<void> {
    await this.store.settle(context, ids);
    await context.checkpoint.save(ids.at(-1)); // behind the batch: a crash in between repeats it
    this.logger.log(`item ${context.shardingItem}: ${ids.length} orders, up to ${ids.at(-1)}`);
  }
}
