import { ElasticJobModule } from '@app/elastic-job';
import { ElasticJobConsoleModule } from '@app/elastic-job/console';
import { randomUUID } from 'node:crypto';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AUTH, FRAMEWORKS, SettlingJobs, startConsole, TOKENS } from './support/console-application.js';

const servers = await sharedZooKeeper();
const quiet = { logger: false, abortOnError: false } as const;

it('does not start with an application whose registry does not come', { timeout: 30_000 }, async () => {
  const proxy = await startProxy(servers);
  onTestFinished(() => proxy.stop());
  proxy.block();
  const over = { servers: proxy.connect, namespace: `console/${randomUUID()}`, allowOpenAcl: true } as const;
  const starting = startConsole({ options: { registry: { type: 'zookeeper', connectionTimeoutMs: 500, ...over } } });
  await expect(starting).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
});

describe.each(FRAMEWORKS)('the console on %s', { timeout: 60_000 }, (framework) => {
  it('starts with an application that waits for its registry', async () => {
    const proxy = await startProxy(servers);
    onTestFinished(() => proxy.stop());
    proxy.block();
    const namespace = `console/${randomUUID()}`;
    const registry = { type: 'zookeeper', servers: proxy.connect, namespace, allowOpenAcl: true } as const;
    let isStarted = false;
    const starting = startConsole({ framework, options: { registry } }).finally(() => (isStarted = true));
    await vi.waitFor(() => expect(proxy.refused).toBeGreaterThan(2), 20_000);
    expect(isStarted).toBe(false);
    proxy.heal();
    const { ask } = await starting;
    await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.items).toHaveLength(2), 20_000);
  });
});

const TASK = Symbol.for('nestjs-elastic-job:task');

/** Makes the application that of a task, as `runTask` does. */
@Global()
@Module({ providers: [{ provide: TASK, useValue: true }], exports: [TASK] })
class TaskModule {}

it('the application of a task has no console', async () => {
  const { base } = await startConsole({ imports: [TaskModule] });
  const answer = await fetch(`${base}/overview`, { headers: { authorization: `Bearer ${TOKENS.admin}` } });
  expect([answer.status, await answer.text()]).toEqual([404, '']);
});

describe('the options of the console', () => {
  /** Options that a provider makes, as one that reads a vault would. */
  async function startAsync(options: () => Promise<object>) {
    @Module({
      imports: [
        ElasticJobModule.forRoot({ registry: { type: 'memory' } }),
        ElasticJobConsoleModule.forRootAsync({ path: '/ops', useFactory: options }),
      ],
      providers: [SettlingJobs],
    })
    class AppModule {}
    const app = await NestFactory.create(AppModule, quiet);
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    return `${await app.getUrl()}/ops/api/v1`;
  }

  it('may come from a factory, beside the path', async () => {
    const base = await startAsync(async () => ({ auth: AUTH }));
    const statusAs = async (token: string) =>
      (await fetch(`${base}/overview`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await statusAs(TOKENS.viewer), await statusAs('forged')]).toEqual([200, 401]);
  });

  it('are checked where a factory makes them too', async () => {
    await expect(startAsync(async () => ({ auth: AUTH, readonly: true }))).rejects.toThrow(/did you mean readOnly/);
  });
});
