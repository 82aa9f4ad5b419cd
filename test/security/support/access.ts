import { once } from 'node:events';
import { connect } from 'node:net';
import {
  ElasticJobModule,
  type ElasticJobModuleOptions,
  type JobEvent,
  type ZooKeeperRegistryOptions,
} from '@app/elastic-job';
import { JobOperateApi, JobStatisticsApi } from '@app/elastic-job/operations';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { connectRawClient, type RawClient } from '@test/support/faults/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const clock = new SystemClock();

@Module({})
class RootModule {}

/** A parent of the namespaces of one test, which is open to everyone. */
export const newParent = (): string => `access-${clock.uuid()}`;

/** An application that knows the digest, with its events. */
export async function startOwner(
  registry: Partial<ZooKeeperRegistryOptions> & { readonly namespace: string },
  options: Omit<ElasticJobModuleOptions, 'registry'> = {},
) {
  const events: JobEvent[] = [];
  const imports = [
    ElasticJobModule.forRoot({
      tracing: [
        { type: 'log', level: 'off' },
        { name: 'spy', hear: (event) => void events.push(event) },
      ],
      ...options,
      registry: { type: 'zookeeper', servers: zooKeeper, ...registry },
    }),
  ];
  const app = await NestFactory.createApplicationContext(
    { module: RootModule, imports },
    { logger: false, abortOnError: false },
  );
  onTestFinished(() => app.close());
  return {
    app,
    events,
    operator: app.get(JobOperateApi),
    statistics: app.get(JobStatisticsApi),
    warnings: () => events.filter(({ kind }) => kind === 'warning').map((event) => Reflect.get(event, 'message')),
  };
}

/** A client at the server: anonymous, or with a digest. */
export async function startClient(digest?: string, servers = zooKeeper): Promise<RawClient> {
  const socket = connect(Number(servers.split(':')[1]), '127.0.0.1');
  await once(socket, 'connect');
  const client = await connectRawClient(0, { socket, sessionTimeoutMs: 60_000 });
  onTestFinished(() => client.stop());
  if (digest !== undefined) await client.authenticate('digest', digest);
  return client;
}
