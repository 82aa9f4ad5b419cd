import { ElasticJob, ElasticJobTemplate, type ShardingContext } from '@app/elastic-job';
import { Injectable } from '@nestjs/common';
import { Work } from '../work.js';

class BankTimeoutError extends Error {
  override readonly name = 'BankTimeoutError';
}

@Injectable()
export class FinanceJobs {
  constructor(private readonly work: Work) {}

  /** One region fails, each time it is tried. */
  @ElasticJob({
    name: 'settle-orders',
    description: '[finance] Settles paid orders with the bank, by region',
    cron: '0/20 * * * * ?',
    shardingTotalCount: 6,
    shardingItemParameters: '0=EU-west,1=EU-north,2=EU-east,3=EU-south,4=US,5=APAC',
    failover: true,
    maxAttempts: 3,
    retryDelayMs: 500,
    retryJitter: 0,
  })
  async settle(context: ShardingContext): Promise<void> {
    if (context.shardingParameter !== 'EU-south') return this.work.take(6 + context.shardingItem, context);
    await this.work.take(1, context);
    throw new BankTimeoutError('no answer from settle.bank.example within 1000 ms');
  }

  /** Takes longer than from one fire time to the next, so it misfires. */
  @ElasticJob({
    name: 'ledger-close',
    description: '[finance] Closes the ledger of each hour',
    cron: '0/15 * * * * ?',
    shardingTotalCount: 1,
    misfire: true,
  })
  close(context: ShardingContext): Promise<void> {
    return this.work.take(25, context);
  }

  @ElasticJobTemplate('tenant-invoices', { failover: true })
  sendInvoices(context: ShardingContext): Promise<void> {
    return this.work.take(4, context);
  }
}
