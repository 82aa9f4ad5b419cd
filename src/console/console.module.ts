import { ElasticJobModule, type ElasticJobModuleOptions } from '@app/elastic-job';
import { ElasticJobConsoleModule, type ElasticJobConsoleOptions } from '@app/elastic-job/console';
import { ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { RootController } from './root.controller.js';

/** The console over a registry, and health probes. It runs no jobs. */
@Module({})
export class ConsoleModule {
  static of(registry: ElasticJobModuleOptions, console: ElasticJobConsoleOptions = {}): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [
        ElasticJobModule.forRoot({ ...registry, processing: false }),
        ElasticJobConsoleModule.forRoot(console),
        ElasticJobHealthModule,
      ],
      controllers: [HealthController, RootController],
    };
  }
}
