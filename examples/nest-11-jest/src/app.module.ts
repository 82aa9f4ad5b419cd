import { Module } from '@nestjs/common';
import { ElasticJobModule } from 'nestjs-elastic-job';
import { ReportJobs } from './report.jobs';

const servers = process.env.ZOOKEEPER_SERVERS;

@Module({
  imports: [
    ElasticJobModule.forRoot({
      // Without ZooKeeper the jobs belong to this one process.
      registry: servers ? { type: 'zookeeper', servers, namespace: 'reports' } : { type: 'memory' },
    }),
  ],
  providers: [ReportJobs],
})
export class AppModule {}
