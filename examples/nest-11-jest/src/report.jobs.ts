import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock, ElasticJob, type ShardingContext } from 'nestjs-elastic-job';

@Injectable()
export class ReportJobs {
  private readonly logger = new Logger(ReportJobs.name);

  /** The clock is that of the process; in a test it is one that the test moves. */
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @ElasticJob({
    name: 'city-report',
    cron: '0/5 * * * * ?', // every 5 seconds
    shardingTotalCount: 3,
    shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou',
    failover: true, // the items of a crashed instance run again at once
  })
  async report({ shardingParameter, signal }: ShardingContext): Promise<void> {
    await this.clock.sleep(2_000, signal); // stands for the work; the signal ends it early
    this.logger.log(`${shardingParameter} is done`);
  }
}
