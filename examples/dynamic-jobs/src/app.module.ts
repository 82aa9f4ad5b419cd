import { Module } from '@nestjs/common';
import { ElasticJobModule } from 'nestjs-elastic-job';
import { ReportsController } from './reports.controller.js';
import { TenantJobs } from './tenant.jobs.js';

const servers = process.env.ZOOKEEPER_SERVERS;

@Module({
  imports: [
    ElasticJobModule.forRoot({
      // Without ZooKeeper the jobs belong to this one process, and end with it.
      registry: servers ? { type: 'zookeeper', servers, namespace: 'tenants' } : { type: 'memory' },
    }),
  ],
  controllers: [ReportsController],
  providers: [TenantJobs],
})
export class AppModule {}
