import { randomBytes } from 'node:crypto';
import { ElasticJobModule, type ElasticJobModuleOptions } from '@app/elastic-job';
import { ElasticJobCloudModule, type ElasticJobCloudModuleOptions } from '@app/elastic-job/cloud';
import { SystemClock } from '@app/elastic-job/spi';
import { MemoryTaskCluster } from '@app/elastic-job/testing';
import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { expect, onTestFinished, vi } from 'vitest';
import { QUIET } from './job-application.js';

export const TOKEN = randomBytes(16).toString('hex');
export const APP = { appName: 'shop', appURL: 'registry.example.org/shop:1', bootstrapScript: 'bin/start.sh' };
export const JOB = {
  appName: 'shop',
  jobName: 'settle',
  cron: '0 0 2 * * ?',
  cpuCount: 0.5,
  memoryMB: 64,
  shardingTotalCount: 2,
  jobExecutionType: 'TRANSIENT',
};

/** Tasks that run until they are told to end. */
export function waitingTasks(): MemoryTaskCluster {
  const tasks = new MemoryTaskCluster({ clock: new SystemClock() });
  tasks.script('settle', ({ clock, signal }) => clock.sleep(600_000, signal));
  return tasks;
}

/** Parts of an application, beside the jobs' modules. */
export interface RestParts extends ModuleMetadata {
  readonly jobs?: ElasticJobModuleOptions;
  readonly cloud?: Partial<ElasticJobCloudModuleOptions>;
  /** Instead of `forRoot`. */
  readonly cloudModule?: DynamicModule;
  readonly adapter?: AbstractHttpAdapter;
  /** Called before it listens. */
  readonly prepare?: (app: {
    setGlobalPrefix(prefix: string): unknown;
    useGlobalPipes(...pipes: object[]): unknown;
  }) => void;
}

@Module({})
class RootModule {}

export function cloudOptions(cloud: Partial<ElasticJobCloudModuleOptions> = {}): ElasticJobCloudModuleOptions {
  const allow = { images: [APP.appURL], commands: [APP.bootstrapScript] };
  return { backend: waitingTasks().backend('a'), tree: {}, allow, rest: { token: TOKEN }, ...cloud };
}

/**
 * Starts a real application, and returns a function that sends requests to it. It is closed when the test has finished.
 */
export async function startRest({ jobs, cloud, cloudModule, adapter, prepare, ...metadata }: RestParts = {}) {
  const clock = new SystemClock();
  const module: DynamicModule = {
    module: RootModule,
    ...metadata,
    imports: [
      ElasticJobModule.forRoot({ registry: { type: 'memory' }, clock, drainTimeoutMs: 1_000, ...jobs }),
      cloudModule ?? ElasticJobCloudModule.forRoot(cloudOptions(cloud)),
      ...(metadata.imports ?? []),
    ],
  };
  const app = await NestFactory.create(module, adapter ?? new ExpressAdapter(), QUIET);
  onTestFinished(() => app.close());
  prepare?.(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();

  /** @returns the status, and the parsed body */
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isText = typeof body === 'string';
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accessToken: TOKEN,
        ...(body !== undefined && { 'content-type': isText ? 'text/plain' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const answer: unknown = type.startsWith('application/json') ? JSON.parse(text) : text;
    return { status: response.status, answer };
  }

  /** Each of these must succeed. */
  async function tell(method: string, path: string, body?: unknown): Promise<void> {
    const { answer, status } = await ask(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  }

  /** Triggers a job once a scheduler has it. */
  async function trigger(body: unknown): Promise<void> {
    const triggered = { status: 200, answer: true };
    const asked = async () => expect(await ask('POST', '/api/job/trigger', body)).toEqual(triggered);
    await vi.waitFor(asked, { timeout: 10_000, interval: 50 });
  }
  return { app, ask, tell, trigger };
}
