import { randomUUID } from 'node:crypto';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FRAMEWORKS, startConsole } from './support/console-application.js';

const servers = await sharedZooKeeper();

describe.each(FRAMEWORKS)('the console over ZooKeeper on %s', { timeout: 60_000 }, (framework) => {
  it('disables a job and lists it so, and shows the last facts while the registry is away', async () => {
    const proxy = await startProxy(servers);
    onTestFinished(() => proxy.stop());
    const registry = {
      type: 'zookeeper',
      servers: proxy.connect,
      namespace: `console/${randomUUID()}`,
      allowOpenAcl: true,
    } as const;
    const { ask } = await startConsole({ framework, options: { registry } });
    await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.items).toHaveLength(2), 20_000);

    expect(await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-7' } })).toMatchObject({
      status: 200,
    });
    await vi.waitFor(async () => {
      const { json } = await ask('GET', '/jobs?status=DISABLED');
      expect(json.items.map((row: { job: string }) => row.job)).toEqual(['settle-orders']);
    }, 20_000);
    expect((await ask('GET', '/jobs/settle-orders')).json.disabled).toMatchObject({ by: 'admin', reason: 'INC-7' });

    proxy.block();
    await vi.waitFor(async () => {
      expect((await ask('GET', '/jobs')).json).toMatchObject({ stale: true, total: 2 });
    }, 20_000);
    proxy.heal();
    await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.stale).toBe(false), 20_000);
  });
});
