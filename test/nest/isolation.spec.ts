import { ElasticJob, type ElasticJobModuleOptions, JobRegistrar } from '@app/elastic-job';
import { HttpJobType } from '@app/elastic-job/http';
import { SystemClock } from '@app/elastic-job/spi';
import { WorkerThreads } from '@app/elastic-job/worker-pool';
import {
  type CallHandler,
  type INestApplicationContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { EVERY_SECOND, QUIET, rootModule } from './support/job-application.js';

const PORT = 'the news of an isolated job';

@Injectable()
class Orders {
  open = ['a', 'b'];
}

/** An enhancer whose result the thread gets instead of the method's. */
class Stamp implements NestInterceptor {
  intercept(_: unknown, next: CallHandler<object>): Observable<object> {
    return next.handle().pipe(map((input) => ({ ...input, port: PORT })));
  }
}

@Injectable()
class OrderJobs {
  constructor(private readonly orders: Orders) {}

  @ElasticJob({
    name: 'settle-orders',
    cron: EVERY_SECOND,
    shardingTotalCount: 1,
    isolation: 'worker-thread',
    workerModule: new URL('../integration/worker-pool/handlers.fixture.mjs', import.meta.url),
  })
  @UseInterceptors(Stamp)
  settle(): object {
    return { value: this.orders.open };
  }
}

let threads: Bundle;
const open: (() => Promise<unknown> | void)[] = [];
beforeAll(async () => {
  threads = await bundle({ thread: 'libs/elastic-job/src/executor/worker-pool/thread.ts' });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => threads.remove());

async function start(options: ElasticJobModuleOptions): Promise<INestApplicationContext> {
  const module = rootModule({ options: { clock: new SystemClock(), ...options }, providers: [Orders, OrderJobs] });
  const app = await NestFactory.createApplicationContext(module, QUIET);
  open.push(() => app.close());
  return app;
}

describe("a decorated method with isolation 'worker-thread'", { timeout: 20_000 }, () => {
  it('gives the thread the result of the method and its enhancers in the main thread', async () => {
    const channel = new BroadcastChannel(PORT);
    open.push(() => channel.close());
    const told = new Promise((resolve) =>
      Object.assign(channel, { onmessage: ({ data }: MessageEvent) => resolve(data) }),
    );
    await start({ workerPool: new WorkerThreads({ maxThreads: 1, threadUrl: threads.url('thread') }) });
    expect(await told).toMatchObject({ input: ['a', 'b'], facts: { jobName: 'settle-orders' } });
  });

  it('does not start without a pool, and the error says what to import', async () => {
    await expect(start({})).rejects.toThrow(
      'job "settle-orders" (OrderJobs.settle): isolation "worker-thread" needs a pool of threads: ' +
        "give new WorkerThreads() of 'nestjs-elastic-job/worker-pool'",
    );
  });

  it.each([
    ['a dataflow', { fetchData: () => [], processData: () => {} }],
    ['a type', new HttpJobType(new SystemClock())],
  ])('is refused for %s, since a thread would have no input', async (_, work) => {
    const app = await start({ workerPool: new WorkerThreads({ threadUrl: threads.url('thread') }) });
    const workerModule = new URL('../integration/worker-pool/handlers.fixture.mjs', import.meta.url);
    const isolated = { name: 'other', shardingTotalCount: 1, isolation: 'worker-thread', workerModule } as const;
    const options = { ...isolated, props: { 'http.uri': 'http://127.0.0.1/', 'http.method': 'GET' } };
    await expect(app.get(JobRegistrar).add(options, work)).rejects.toThrow(
      'isolation "worker-thread" needs a function as the work of the job',
    );
  });

  it('does not start with something else as its pool', async () => {
    const options: object = { workerPool: {} };
    await expect(start(options)).rejects.toThrow(/workerPool must be a pool of threads, such as new WorkerThreads\(\)/);
  });
});
