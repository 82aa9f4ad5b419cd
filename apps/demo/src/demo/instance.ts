import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ElasticJobModule, JobEvents, type ElasticJobModuleOptions, type JobEvent } from '@app/elastic-job';
import { CitiesSource } from '../cities/cities.source.js';
import { CityStatisticsJob } from '../cities/city-statistics.job.js';
import type { StatisticsDatabase } from '../cities/statistics.database.js';
import { StatisticsStore } from '../cities/statistics.store.js';
import type { DemoEvent } from './demo-event.js';
import { ObservedStore } from './observed-store.js';
import type { Observer } from './observer.js';

@Module({})
class InstanceModule {}

/** Starts one instance of the worker: an application of its own with the same job, over an observed store. */
export async function startInstance(
  options: ElasticJobModuleOptions,
  database: StatisticsDatabase,
  observer: Observer,
): Promise<INestApplicationContext> {
  const module: DynamicModule = {
    module: InstanceModule,
    imports: [ElasticJobModule.forRoot(options)],
    providers: [
      CitiesSource,
      CityStatisticsJob,
      { provide: StatisticsStore, useValue: new ObservedStore(database, observer) },
      { provide: 'listener', inject: [JobEvents], useFactory: (events: JobEvents) => listen(events, observer) },
    ],
  };
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

function listen(events: JobEvents, { instance, hear }: Observer): () => void {
  return events.on((event) => {
    const news = toDemoEvent(instance, event);
    if (news) hear(news);
  });
}

function toDemoEvent(instance: string, event: JobEvent): DemoEvent | undefined {
  if (event.kind === 'joined') return { kind: 'joined', instance, instanceId: event.instanceId };
  if (event.kind === 'resharded') return { kind: 'resharded', instance, owners: [...event.assignment] };
  return undefined;
}
