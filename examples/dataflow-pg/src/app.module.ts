import { Module } from '@nestjs/common';
import { ElasticJobModule, type ElasticJobModuleOptions } from 'nestjs-elastic-job';
import { OrderStore, StoreModule } from './order.store.js';
import { SettleOrders } from './settle-orders.job.js';

const servers = process.env.ZOOKEEPER_SERVERS;

@Module({
  imports: [
    ElasticJobModule.forRootAsync({
      imports: [StoreModule],
      inject: [OrderStore],
      useFactory: ({ guard }: OrderStore): ElasticJobModuleOptions =>
        servers
          ? { registry: { type: 'zookeeper', servers, namespace: 'orders' }, fences: [guard] }
          : { registry: { type: 'memory' } }, // its tokens and checkpoints end with the process
    }),
    StoreModule,
  ],
  providers: [SettleOrders],
})
export class AppModule {}
