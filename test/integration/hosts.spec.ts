import { ElasticJob, ElasticJobModule, type ElasticJobModuleOptions, type JobEvent } from '@app/elastic-job';
import { JobOperateApi, JobStatisticsApi, ServerStatisticsApi } from '@app/elastic-job/operations';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();
const clock = new SystemClock();

class Jobs {
  @ElasticJob({ name: 'settle', cron: '* * * * * ?', shardingTotalCount: 4 })
  settle(): void {}
}

@Module({})
class RootModule {}

describe('hosts that have IPv6 addresses alone', () => {
  it('are servers of their own: one can be disabled, and the other has its items', async () => {
    const namespace = `hosts-${clock.uuid()}`;
    const hosts = ['fd00::1', '2001:db8:0:1:2:3:4:5'] as const;
    const apps = [await start(namespace, { host: hosts[0] }), await start(namespace, { host: hosts[1] })];
    const operator = apps[0]!.app.get(JobOperateApi);
    await vi.waitFor(() => expect(apps.map(({ runs }) => runs() > 0)).toEqual([true, true]), LIMITS);

    await operator.disableServer(hosts[0]);

    const servers = await apps[1]!.app.get(ServerStatisticsApi).getAllServersBriefInfo();
    expect(servers.map(({ serverIp }) => serverIp).toSorted()).toEqual([...hosts].toSorted());
    await vi.waitFor(() => expect(apps[1]!.itemsOfLatestRun()).toEqual([0, 1, 2, 3]), LIMITS);
    const dump = await operator.dump('settle', { hideAddresses: true });
    for (const host of hosts) expect(dump).not.toContain(host);
    expect(await apps[0]!.app.get(JobStatisticsApi).getJobsBriefInfo(hosts[1])).toHaveLength(1);
  });
});

describe('a host that registers under a loopback address', () => {
  it('is warned of where the registry is beyond it', async () => {
    // A short form of 127.0.0.1, which is not known as this host before it is resolved.
    const far = zooKeeper.replace('127.0.0.1', '127.1');
    const namespace = `hosts-${clock.uuid()}`;

    const warned = await start(namespace, { host: '127.0.0.1' }, far);
    const named = await start(namespace, { host: 'worker-7' }, far);
    const near = await start(namespace, { host: '127.0.0.1' });

    expect(warned.warnings()).toEqual([expect.stringContaining('this host registers as 127.0.0.1')]);
    expect([named.warnings(), near.warnings()]).toEqual([[], []]);
  });
});

async function start(namespace: string, options: ElasticJobModuleOptions, servers = zooKeeper) {
  const events: JobEvent[] = [];
  const module = ElasticJobModule.forRoot({
    ...options,
    registry: { type: 'zookeeper', servers, namespace },
    tracing: [
      { type: 'log', level: 'off' },
      { name: 'spy', hear: (event) => void events.push(event) },
    ],
  });
  const root = { module: RootModule, imports: [module], providers: [Jobs] };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const begun = () => events.flatMap((event) => (event.kind === 'begun' ? [event] : []));
  return {
    app,
    runs: () => begun().length,
    itemsOfLatestRun: () => begun().at(-1)?.items,
    warnings: () => events.flatMap((event) => (event.kind === 'warning' ? [event.message] : [])),
  };
}
