import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { Injectable } from '@nestjs/common';
import { Work } from '../work.js';

@Injectable()
export class WarehouseJobs {
  constructor(private readonly work: Work) {}

  @ElasticJob({
    name: 'stock-feed',
    description: '[warehouse] Follows the stock of each warehouse, all the time',
    resident: true,
    shardingTotalCount: 3,
    shardingItemParameters: '0=Rotterdam,1=Leipzig,2=Shenzhen',
  })
  follow(context: ShardingContext): Promise<void> {
    return this.work.take(600, context);
  }

  @ElasticJob({
    name: 'stock-count',
    description: '[warehouse] Counts what is in stock',
    cron: '0/30 * * * * ?',
    shardingTotalCount: 3,
    failover: true,
  })
  count(context: ShardingContext): Promise<void> {
    return this.work.take(4, context);
  }

  @ElasticJob({
    name: 'reorder-proposals',
    description: '[purchasing] Proposes what to buy once the stock is counted',
    after: 'stock-count',
    shardingTotalCount: 2,
  })
  propose(context: ShardingContext): Promise<void> {
    return this.work.take(3, context);
  }

  @ElasticJob({
    name: 'supplier-import',
    description: '[purchasing] Imports the files of suppliers',
    cron: '20/30 * * * * ?',
    shardingTotalCount: 2,
  })
  importFiles(context: ShardingContext): Promise<void> {
    return this.work.take(5, context);
  }

  /** Its items run in tasks, by the script of the demo: this method is never called. */
  @ElasticJob({
    name: 'product-images',
    description: '[catalogue] Renders images of products, each item in a task of its own',
    cron: '15/30 * * * * ?',
    shardingTotalCount: 4,
    executor: 'task',
    resources: { cpu: 0.5, memoryMb: 512 },
    maxExecutorFailovers: 1,
  })
  render(): void {}
}
