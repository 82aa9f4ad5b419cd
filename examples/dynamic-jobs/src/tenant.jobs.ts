import { Injectable, Logger } from '@nestjs/common';
import { ElasticJobTemplate, type ShardingContext } from 'nestjs-elastic-job';

@Injectable()
export class TenantJobs {
  private readonly logger = new Logger(TenantJobs.name);

  /** The work of all jobs that are created from this template: one job for each tenant. */
  @ElasticJobTemplate('tenant-report', { failover: true, description: 'the report of one tenant' })
  report({ props, shardingItem }: ShardingContext): void {
    this.logger.log(`${props.tenant}: part ${shardingItem} is done`);
  }
}
