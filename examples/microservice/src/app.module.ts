import { Module } from '@nestjs/common';
import { ElasticJobModule } from 'nestjs-elastic-job';
import { OrderJobs } from './order.jobs.js';
import { OrdersController } from './orders.controller.js';
import { Orders } from './orders.js';

const servers = process.env.ZOOKEEPER_SERVERS;

@Module({
  imports: [
    ElasticJobModule.forRoot({
      // Without ZooKeeper the jobs belong to this one process.
      registry: servers ? { type: 'zookeeper', servers, namespace: 'orders' } : { type: 'memory' },
    }),
  ],
  controllers: [OrdersController],
  providers: [OrderJobs, Orders],
})
export class AppModule {}
