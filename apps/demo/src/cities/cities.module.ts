import { Module, type OnModuleDestroy } from '@nestjs/common';
import { CitiesSource } from './cities.source.js';
import { CityStatisticsJob } from './city-statistics.job.js';
import { StatisticsController } from './statistics.controller.js';
import { openStatisticsDatabase, StatisticsDatabase } from './statistics.database.js';
import { StatisticsStore } from './statistics.store.js';

/**
 * The job with what it reads and writes. `DEMO_DATABASE` names the file, which workers on one machine may share;
 * without it the statistics are gone when the process is. The file remembers the tokens of its registry: with another
 * registry take another file, or raise `ELASTIC_JOB_TOKEN_EPOCH`; start says so.
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

  // Running items have ended, or were aborted, when Nest calls this: the job may rely on its database to the last.
  async onModuleDestroy(): Promise<void> {
    await this.database.destroy();
  }
}
