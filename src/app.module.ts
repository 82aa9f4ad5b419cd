import { ElasticJobModule, type ElasticJobModuleOptions } from '@app/elastic-job';
import { elasticJobConfig } from '@app/elastic-job/config';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { HealthController } from './health.controller.js';

/** Reads the registry that the `ELASTIC_JOB_*` variables name, and runs no jobs. */
@Module({
  imports: [
    ElasticJobModule.forRootAsync({
      imports: [ConfigModule.forFeature(elasticJobConfig)],
      inject: [elasticJobConfig.KEY],
      useFactory: (config: ElasticJobModuleOptions) => ({ ...config, processing: false }),
    }),
    ElasticJobHealthModule,
  ],
  controllers: [HealthController],
})
export class AppModule {}
