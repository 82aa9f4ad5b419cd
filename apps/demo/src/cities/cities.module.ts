import { Module, type OnModuleDestroy } from '@nestjs/common';
import { CitiesSource } from './cities.source.js';
import { CityStatisticsJob } from './city-statistics.job.js';
import { StatisticsController } from './statistics.controller.js';
import { openStatisticsDatabase, StatisticsDatabase } from './statistics.database.js';
import { StatisticsStore } from './statistics.store.js';

/**
 * The job with its source and its store. `DEMO_DATABASE` names the database file, which workers on one machine may
 * share; without it the statistics end with the process. The file keeps the tokens of its registry: for another
 * registry use another file, or raise `ELASTIC_JOB_TOKEN_EPOCH`, as the error at start says.
 */
@Module({
  controllers: [StatisticsController],
  providers: [
    CitiesSource,
    CityStatisticsJob,
    StatisticsStore,
    {
      provide: StatisticsDatabase,
      useFactory: () => openStatisticsDatabase(process.env.DEMO_DATABASE ?? ':memory:'),
    },
  ],
  exports: [StatisticsDatabase],
})
export class CitiesModule implements OnModuleDestroy {
  constructor(private readonly database: StatisticsDatabase) {}

  // Nest calls this after running items have ended or were aborted, so the job may use its database until then.
  async onModuleDestroy(): Promise<void> {
    await this.database.destroy();
  }
}
