import { EventEmitter } from 'node:events';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import {
  ElasticJob,
  ElasticJobModule,
  REGISTRY_CENTER,
  type ShardingContext,
  ShardingService,
  UnknownJobError,
} from 'nestjs-elastic-job';
import type { RegistryCenter } from 'nestjs-elastic-job/registry';

/** A job class that has services of the library injected: one by its type, one by its token. */
@Injectable()
@ElasticJob({
  name: 'city-report',
  cron: '* * * * * ?',
  shardingTotalCount: 2,
  shardingItemParameters: '0=Beijing,1=Shanghai',
})
export class Reports {
  readonly done = new EventEmitter();
  private readonly logger = new Logger(Reports.name);

  constructor(
    private readonly sharding: ShardingService,
    @Inject(REGISTRY_CENTER) private readonly registry: RegistryCenter,
  ) {}

  async execute({ shardingItem, shardingParameter }: ShardingContext): Promise<void> {
    const owners = await this.sharding.assignments('city-report');
    const refused: unknown = await this.sharding.assignments('unknown').catch((error: unknown) => error);
    if (!owners.has(shardingItem) || !(refused instanceof UnknownJobError))
      throw new Error('A service is another one.');
    if ((await this.registry.children('/city-report')).length === 0) throw new Error('The registry is another one.');
    this.logger.log(`${shardingParameter} reported by the owner of item ${shardingItem}`);
    this.done.emit('report');
  }
}

@Module({ imports: [ElasticJobModule.forRoot({ registry: { type: 'memory' } })], providers: [Reports] })
export class ReportsModule {}
