import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ElasticJobModule, type ElasticJobModuleOptions } from '@app/elastic-job';
import { elasticJobConfig } from '@app/elastic-job/config';
import { SqlGuard } from '@app/elastic-job/guards/sql';
import { ElasticJobMetricsModule } from '@app/elastic-job/metrics';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { CitiesModule } from './cities/cities.module.js';
import { StatisticsDatabase, type StatisticsSchema } from './cities/statistics.database.js';
import { HealthController } from './health/health.controller.js';

/** A worker. Its registry comes from the `ELASTIC_JOB_*` variables, or is the embedded one outside production. */
@Module({
  imports: [
    ElasticJobModule.forRootAsync({
      imports: [ConfigModule.forFeature(elasticJobConfig), CitiesModule],
      inject: [elasticJobConfig.KEY, StatisticsDatabase],
      // Start is refused if the database has seen tokens that this registry has not reached yet.
      useFactory: (config: ElasticJobModuleOptions, database: StatisticsDatabase) => ({
        ...config,
        fences: [new SqlGuard<StatisticsSchema>(database)],
      }),
    }),
    ElasticJobHealthModule,
    // Serves /metrics, with those of Node beside those of the jobs: the event loop, memory, processor time.
    ElasticJobMetricsModule.forRootAsync({ useFactory: () => ({ registry: withMetricsOfNode() }) }),
    CitiesModule,
  ],
  controllers: [HealthController],
})
export class AppModule {}

function withMetricsOfNode(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
