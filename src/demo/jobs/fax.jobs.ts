import { ElasticJob, type ShardingContext } from '@app/elastic-job';
import { Injectable } from '@nestjs/common';
import { Work } from '../work.js';

/** The only instance with this job has gone, so nothing runs it any more. */
@Injectable()
export class FaxJobs {
  constructor(private readonly work: Work) {}

  @ElasticJob({
    name: 'fax-orders',
    description: '[sales] Reads orders that come by fax',
    cron: '0 0/5 * * * ?',
    shardingTotalCount: 1,
  })
  read(context: ShardingContext): Promise<void> {
    return this.work.take(2, context);
  }
}
