import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { Injectable } from '@nestjs/common';
import { Work } from '../work.js';

@Injectable()
export class ShopJobs {
  constructor(private readonly work: Work) {}

  @ElasticJob({
    name: 'search-index',
    description: '[shop] Brings the search index up to date',
    cron: '5/30 * * * * ?',
    shardingTotalCount: 10,
    concurrency: 2,
    failover: true,
  })
  index(context: ShardingContext): Promise<void> {
    return this.work.take(3, context);
  }

  @ElasticJob({
    name: 'cart-reminders',
    description: '[marketing] Reminds customers of what is in their cart, by language',
    cron: '10/30 * * * * ?',
    shardingTotalCount: 4,
    shardingItemParameters: '0=en,1=de,2=fr,3=zh',
  })
  remind(context: ShardingContext): Promise<void> {
    return this.work.take(2, context);
  }

  @ElasticJob({
    name: 'newsletter',
    description: '[marketing] Sends the newsletter on Monday mornings',
    cron: '0 0 6 ? * MON',
    timeZone: 'Europe/Berlin',
    shardingTotalCount: 2,
  })
  send(context: ShardingContext): Promise<void> {
    return this.work.take(30, context);
  }

  /** Goes on for long after its time is over and its signal has aborted. */
  @ElasticJob({
    name: 'price-export',
    description: '[partners] Sends price lists to partners',
    cron: '0 * * * * ?',
    shardingTotalCount: 3,
    shardingItemParameters: '0=acme,1=globex,2=initech',
    timeoutMs: 8_000,
  })
  exportPrices(context: ShardingContext): Promise<void> {
    return context.shardingParameter === 'globex' ? this.work.takeRegardless(50) : this.work.take(3, context);
  }

  /** Runs when somebody asks for it. */
  @ElasticJob({
    name: 'rebuild-recommendations',
    description: '[shop] Computes all recommendations anew',
    shardingTotalCount: 4,
  })
  rebuild(context: ShardingContext): Promise<void> {
    return this.work.take(15, context);
  }
}
