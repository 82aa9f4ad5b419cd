import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { type ClientProxy, ClientProxyFactory, Transport } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { JobEvents } from 'nestjs-elastic-job';
import { JobOperateApi } from 'nestjs-elastic-job/operations';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppModule } from './app.module.js';
import { start } from './start.js';

let app: INestApplication;
let client: ClientProxy;

beforeEach(async () => {
  const tcp = await freePort();
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = module.createNestApplication();
  await start(app, { http: 0, tcp });
  client = ClientProxyFactory.create({ transport: Transport.TCP, options: { port: tcp } });
});
afterEach(async () => {
  client.close();
  await app.close();
});

it('settles by a job what a message has placed, and shows it over HTTP', async () => {
  await firstValueFrom(client.send('orders.place', 'order-1'));

  const finished = new Promise<void>((resolve) => {
    app.get(JobEvents).on(({ kind }) => kind === 'finished' && resolve());
  });
  await app.get(JobOperateApi).trigger('settle-orders'); // rather than wait for the next fire time
  await finished;

  const response = await fetch(`${await app.getUrl()}/orders/settled`);
  expect(await response.json()).toEqual(['order-1']);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
