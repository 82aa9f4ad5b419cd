import { CLOCK, type Clock, ElasticJobModule, JobEvents, type JobName, REGISTRY_CENTER } from '@app/elastic-job';
import { ElasticJobCloudModule } from '@app/elastic-job/cloud';
import type { MemoryRegistryCenter } from '@app/elastic-job/registry';
import type { MemoryTasks } from '@app/elastic-job/testing';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ProcessClock } from './process-clock.js';
import type { Shop } from './shop.js';
import { Work } from './work.js';

/** Short, so that a takeover is soon seen. */
const SESSION_TIMEOUT_MS = 6_000;

export interface InstanceOptions {
  /** Address of its server. */
  readonly host: string;
  readonly pid: number;
  /** Release of its application. */
  readonly version: string;
  readonly jobs: readonly Type<object>[];
}

@Module({})
class InstanceModule {}

/** One instance: an application of its own, on a clock of its own that stops when it crashes. */
export class Instance {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly shop: Shop,
    private readonly clock: ProcessClock,
    private readonly tasks: MemoryTasks,
  ) {}

  static async start(shop: Shop, { host, jobs, pid, version }: InstanceOptions): Promise<Instance> {
    const clock = new ProcessClock(shop.clock, { host, pid });
    const tasks = shop.tasks.backend();
    const module: DynamicModule = {
      module: InstanceModule,
      imports: [
        ElasticJobModule.forRoot({
          registry: { type: 'memory', server: shop.server, sessionTimeoutMs: SESSION_TIMEOUT_MS },
          clock,
          version,
          // Failures are for the console: the log tells of the address and of crashes alone.
          tracing: [{ type: 'log', level: 'off' }, new SqlHistory(shop.database, { keepRows: 10_000 })],
          defaults: { jobErrorHandlerType: 'IGNORE' },
          drainTimeoutMs: 1_000,
          hungGraceMs: 5_000,
        }),
        ElasticJobCloudModule.forRoot({ backend: tasks }),
      ],
      providers: [...jobs, { provide: Work, inject: [CLOCK], useFactory: (own: Clock) => new Work(own) }],
    };
    const app = await NestFactory.createApplicationContext(module, {
      logger: ['warn', 'error'],
      abortOnError: false,
    });
    return new Instance(app, shop, clock, tasks);
  }

  /** Resolves when it begins an item of the job. */
  begins(job: JobName, signal: AbortSignal): Promise<void> {
    const events = this.app.get(JobEvents);
    return new Promise((resolve) => {
      const goOn = () => {
        remove();
        resolve();
      };
      const remove = events.on((event) => {
        if (event.kind === 'started' && event.trigger.jobName === job) goOn();
      });
      signal.addEventListener('abort', goOn, { once: true });
    });
  }

  /** Ends it as SIGKILL does. The registry finds out by the end of its session, and then nothing of it is kept. */
  crash(): void {
    const center: MemoryRegistryCenter = this.app.get(REGISTRY_CENTER);
    this.clock.halt();
    this.tasks.kill();
    center.freeze();
    // The registry keeps a client until it is closed, and one that stands still never closes itself.
    this.shop.clock.setTimer(SESSION_TIMEOUT_MS, () => void center.close());
  }

  /** Ends it in order: its items are handed over. */
  leave(): Promise<void> {
    return this.app.close();
  }
}
