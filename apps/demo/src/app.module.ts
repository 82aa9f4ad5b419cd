import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { elasticJobConfig, ElasticJobModule } from '@app/elastic-job';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { CitiesModule } from './cities/cities.module.js';
import { HealthController } from './health/health.controller.js';

/** A worker: its registry comes from `ELASTIC_JOB_*` variables, the embedded one if there are none. */
@Module({
  imports: [
    ElasticJobModule.forRootAsync({
      imports: [ConfigModule.forFeature(elasticJobConfig)],
      inject: [elasticJobConfig.KEY],
      useFactory: (config) => config,
    }),
    ElasticJobHealthModule,
    CitiesModule,
  ],
  controllers: [HealthController],
})
export class AppModule {}
