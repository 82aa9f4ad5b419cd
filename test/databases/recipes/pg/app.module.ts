// src/app.module.ts
import { Injectable, Module } from '@nestjs/common';
import { ElasticJob, ElasticJobModule, type ElasticJobModuleOptions, type ShardingContext } from '@app/elastic-job';
import { PaymentStore, StoreModule } from './payment.store.js';

@Injectable()
class PaymentJobs {
  constructor(private readonly store: PaymentStore) {}

  @ElasticJob({ name: 'book-payments', cron: '0 0 2 * * ?', shardingTotalCount: 3, failover: true })
  async book(context: ShardingContext): Promise<void> {
    context.signal.throwIfAborted(); // in longer work, before each part of it
    await this.store.write(context, { id: context.shardingItem, text: `part ${context.shardingItem}` });
  }
}

@Module({
  imports: [
    ElasticJobModule.forRootAsync({
      imports: [StoreModule],
      inject: [PaymentStore],
      useFactory: ({ guard }: PaymentStore): ElasticJobModuleOptions => ({
        registry: { type: 'memory' }, // in production ZooKeeper
        fences: [guard], // start is refused if the registry has fallen behind the tokens of the table
      }),
    }),
    StoreModule,
  ],
  providers: [PaymentJobs],
})
export class AppModule {}
