import { type DynamicModule, Module, type OnModuleDestroy } from '@nestjs/common';
import { ElasticJobModule, type JobEvent, JobEvents } from '@app/elastic-job';
import { ElasticJobCloudModule, LocalProcesses } from '@app/elastic-job/cloud';
import { CitiesSource } from '../cities/cities.source.js';
import { openStatisticsDatabase, StatisticsDatabase } from '../cities/statistics.database.js';
import { StatisticsStore } from '../cities/statistics.store.js';
import { CityTasksJob } from './city-tasks.job.js';
import { Mishaps } from './mishaps.js';
import { type DemoSettings, SETTINGS_VARIABLE } from './settings.js';

/** Short, so that the audience sees a takeover soon. */
const SESSION_TIMEOUT_MS = 4_000;

/** The application of schedulers and tasks. */
@Module({})
export class TasksModule implements OnModuleDestroy {
  constructor(private readonly database: StatisticsDatabase) {}

  /** @param hear called for every event from the first one on @default ignored */
  static of(settings: DemoSettings, hear: (event: JobEvent) => void = () => {}): DynamicModule {
    const { databaseFile, namespace, servers } = settings;
    const registry = { type: 'zookeeper', servers, namespace, sessionTimeoutMs: SESSION_TIMEOUT_MS } as const;
    // A task has only the variables of this list.
    const env = { [SETTINGS_VARIABLE]: JSON.stringify(settings) };
    return {
      module: TasksModule,
      imports: [
        ElasticJobModule.forRoot({ registry, drainTimeoutMs: 2_000 }),
        ElasticJobCloudModule.forRoot({
          backend: new LocalProcesses({ maxTasks: 2 }),
          cluster: 'demo',
          defaults: { task: { env, graceMs: 1_000 } },
        }),
      ],
      providers: [
        CitiesSource,
        CityTasksJob,
        StatisticsStore,
        { provide: StatisticsDatabase, useFactory: () => openStatisticsDatabase(databaseFile) },
        { provide: 'listener', inject: [JobEvents], useFactory: (events: JobEvents) => events.on(hear) },
        { provide: Mishaps, inject: [StatisticsDatabase], useFactory: (database) => Mishaps.open(database) },
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    await this.database.destroy();
  }
}
