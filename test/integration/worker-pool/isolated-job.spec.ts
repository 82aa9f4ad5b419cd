import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WorkerThreads } from '@app/elastic-job/worker-pool';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ConfigurationError, type JobHandler } from '../../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime, type NamedJobOptions } from '../../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { type Bundle, bundle } from '@test/support/bundle/bundle.js';

const JOB = 'render';
const ISOLATED: Pick<NamedJobOptions, 'isolation' | 'workerModule'> = {
  isolation: 'worker-thread',
  workerModule: new URL('./handlers.fixture.mjs', import.meta.url),
};
const clock = new SystemClock();

let threads: Bundle;
let runtime: ElasticJobRuntime | undefined;
let channel: BroadcastChannel | undefined;
beforeAll(async () => {
  threads = await bundle({ thread: 'libs/elastic-job/src/executor/worker-pool/thread.ts' });
});
afterAll(() => threads.remove());
afterEach(async () => {
  await runtime?.stop();
  runtime = undefined;
  channel?.close();
});

describe("a job with isolation 'worker-thread'", { timeout: 30_000 }, () => {
  it('gives the thread the input that its method returns, and the item succeeds', async () => {
    const input = { port: clock.uuid(), value: 'from the main thread' };
    const told = firstMessage(input.port);
    const settled = await start({ ...ISOLATED }, ({ shardingItem }) => ({ ...input, item: shardingItem }));
    expect(await told).toMatchObject({ input: 'from the main thread', facts: { jobName: JOB, shardingItem: 0 } });
    expect(settled).toMatchObject({ item: 0, outcome: { kind: 'succeeded' } });
  });

  it("ends a spinning handler after time and grace with onHung 'terminate', and the job goes on", async () => {
    const runs: number[] = [];
    const options = { ...ISOLATED, workerExport: 'spin', onHung: 'terminate', timeoutMs: 200 } as const;
    await start(options, ({ fireTime }) => {
      runs.push(fireTime.getTime());
      return { port: 'nobody' };
    });
    // A run whose time was over before a thread had started does not hang.
    while (events.filter(({ kind }) => kind === 'hung').length < 2) await next('settled');
    const settled = events.filter(({ kind }) => kind === 'settled');
    const timedOut = { outcome: { kind: 'failed', error: { code: 'JOB_TIMEOUT' } } };
    expect(settled).toMatchObject(settled.map(() => timedOut));
    expect(new Set(runs).size).toBeGreaterThanOrEqual(2);
  });

  it('fails an item over whose thread dies, if failover is on', async () => {
    const options = { ...ISOLATED, workerExport: 'die', failover: true, maxExecutorFailovers: 1 };
    await start(options, () => ({ mode: 'exit' }));
    await next('settled');
    expect(events.filter(({ kind }) => kind === 'executor-died')).toMatchObject([
      { state: 'FAILED', requeue: 'queue', trigger: { source: 'NORMAL_TRIGGER' } },
      { state: 'FAILED', requeue: 'exhausted', trigger: { source: 'FAILOVER' } },
    ]);
  });

  it('tries an item again in another thread if its thread dies and it has retries, but no failover', async () => {
    const options = { ...ISOLATED, workerExport: 'dieOnce', maxAttempts: 2, retryDelayMs: 1 };
    const settled = await start(options, () => {});
    expect(events.some((event) => event.kind === 'retrying' && event.attempt === 2)).toBe(true);
    expect(settled).toMatchObject({ outcome: { kind: 'succeeded' } });
  });

  it('is refused by name without a pool or its module, or if it cannot be ended', async () => {
    const registry = registryCenter();
    const add = (options: Partial<NamedJobOptions>, workerPool?: WorkerThreads) => {
      runtime = new ElasticJobRuntime({ registry, clock, workerPool });
      return runtime.registrar.add({ name: JOB, shardingTotalCount: 1, ...options }, () => {});
    };
    await expect(add(ISOLATED)).rejects.toThrow(ConfigurationError);
    await expect(add(ISOLATED)).rejects.toThrow(
      /"render" \(JobRegistrar\.add\): isolation "worker-thread" needs a pool .* 'nestjs-elastic-job\/worker-pool'/,
    );
    await expect(add({ ...ISOLATED, workerModule: 'file:///missing.js' }, new WorkerThreads())).rejects.toThrow(
      'workerModule must be the URL of an existing file, but is "file:///missing.js"',
    );
    await expect(add({ onHung: 'terminate' })).rejects.toThrow('onHung "terminate" needs isolation "worker-thread"');
  });
});

function registryCenter() {
  const limits = { sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  return new MemoryRegistry(clock).center({ namespace: 'n', clock, ...limits });
}

let events: JobEvent[];
let onEvent: (event: JobEvent) => void;

/** Resolves when the first item is settled. */
async function start(options: Partial<NamedJobOptions>, handler: JobHandler): Promise<JobEvent> {
  const registry = registryCenter();
  const workerPool = new WorkerThreads({ maxThreads: 1, threadUrl: threads.url('thread') });
  runtime = new ElasticJobRuntime({ registry, clock, workerPool, hungGraceMs: 100, reshardDelayMs: 0 });
  events = [];
  onEvent = () => {};
  runtime.events.on((event) => {
    events.push(event);
    onEvent(event);
  });
  await runtime.registrar.add({ name: JOB, cron: '* * * * * ?', shardingTotalCount: 1, ...options }, handler);
  const first = next('settled');
  await runtime.start();
  return first;
}

function next(kind: JobEvent['kind']): Promise<JobEvent> {
  return new Promise((resolve) => {
    onEvent = (event) => void (event.kind === kind && resolve(event));
  });
}

function firstMessage(name: string): Promise<unknown> {
  channel = new BroadcastChannel(name);
  return new Promise((resolve) => Object.assign(channel!, { onmessage: ({ data }: MessageEvent) => resolve(data) }));
}
