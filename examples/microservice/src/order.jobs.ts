import { Injectable, Logger } from '@nestjs/common';
import { ElasticJob } from 'nestjs-elastic-job';
import { Orders } from './orders.js';

@Injectable()
export class OrderJobs {
  private readonly logger = new Logger(OrderJobs.name);

  constructor(private readonly orders: Orders) {}

  @ElasticJob({ name: 'settle-orders', cron: '0/5 * * * * ?', shardingTotalCount: 1, failover: true })
  settle(): void {
    const ids = this.orders.settle();
    if (ids.length > 0) this.logger.log(`settled: ${ids.join(', ')}`);
  }
}
