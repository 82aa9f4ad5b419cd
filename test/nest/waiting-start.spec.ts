import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ElasticJobModule } from '@app/elastic-job';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, expect, it } from 'vitest';
import { LogLines } from './support/log-lines.js';

let server: Server;
afterEach(async () => {
  Logger.overrideLogger(false);
  server.close();
  await once(server, 'close');
});

it('the log has an error, which the logger of tests shows, for a start that waits for ZooKeeper', async () => {
  server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const servers = `127.0.0.1:${Reflect.get(Object(server.address()), 'port')}`;
  const registry = { type: 'zookeeper', servers, namespace: 'orders', connectionTimeoutMs: 2_700 } as const;
  const logger = new LogLines();

  const root = ElasticJobModule.forRoot({ registry });
  const start = NestFactory.createApplicationContext(root, { logger, abortOnError: false });
  await expect(start).rejects.toThrow('no answer within 2700 ms');

  expect(logger.lines.filter((line) => line.startsWith('error: '))).toEqual([
    `error: no session with ${servers} (namespace "orders") after 2.5 s: no session within 1000 ms; ` +
      'the start goes on trying',
    expect.stringMatching(/^error: the start has failed: /),
  ]);
});
