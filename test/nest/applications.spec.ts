import { createServer } from 'node:net';
import { ElasticJob, JobEvents, type ShardingContext } from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { Controller, Get, type INestApplication, Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type ClientProxy,
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERY_SECOND, JobApplication, QUIET, rootModule, whileTimePasses } from './support/job-application.js';

@Injectable()
class Greeting {
  readonly items: number[] = [];

  @ElasticJob(EVERY_SECOND, 3)
  count({ shardingItem }: ShardingContext): void {
    this.items.push(shardingItem);
  }
}

@Controller()
class GreetingController {
  constructor(private readonly greeting: Greeting) {}

  @Get('items')
  items(): number[] {
    return this.greeting.items;
  }

  @MessagePattern('items')
  itemsOverTcp(): number[] {
    return this.greeting.items;
  }
}

const PARTS = { controllers: [GreetingController], providers: [Greeting] };

async function itemsOverHttp(app: INestApplication): Promise<unknown> {
  const { body } = await request(app.getHttpServer()).get('/items').expect(200);
  return body;
}

async function itemsOverTcp(port: number): Promise<unknown> {
  const client: ClientProxy = ClientProxyFactory.create({ transport: Transport.TCP, options: { port } });
  try {
    return await firstValueFrom(client.send<unknown>('items', {}));
  } finally {
    client.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no TCP address');
  return address.port;
}

describe('jobs in every kind of application', () => {
  it('run beside the routes of Express', async () => {
    const clock = new VirtualClock();
    const app = await NestFactory.create(rootModule({ ...PARTS, clock }), QUIET);
    await whileTimePasses(clock, app.init());
    await app.listen(0);
    const jobs = new JobApplication(app, clock);
    await jobs.tick();
    expect(await itemsOverHttp(app)).toEqual([0, 1, 2]);
  });

  it('run beside the routes of Fastify', async () => {
    const clock = new VirtualClock();
    const app = await NestFactory.create<NestFastifyApplication>(
      rootModule({ ...PARTS, clock }),
      new FastifyAdapter(),
      QUIET,
    );
    await whileTimePasses(clock, app.init());
    await app.listen(0);
    const jobs = new JobApplication(app, clock);
    await jobs.tick();
    expect(await itemsOverHttp(app)).toEqual([0, 1, 2]);
  });

  it('run beside the message handlers of a microservice', async () => {
    const clock = new VirtualClock();
    const port = await freePort();
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(rootModule({ ...PARTS, clock }), {
      ...QUIET,
      transport: Transport.TCP,
      options: { port },
    });
    await whileTimePasses(clock, app.init());
    await app.listen();
    const jobs = new JobApplication(app, clock);
    await jobs.tick();
    expect(await itemsOverTcp(port)).toEqual([0, 1, 2]);
  });

  it('run once beside both sides of a hybrid application', async () => {
    const clock = new VirtualClock();
    const port = await freePort();
    const app = await NestFactory.create(rootModule({ ...PARTS, clock }), QUIET);
    app.connectMicroservice<MicroserviceOptions>(
      { transport: Transport.TCP, options: { port } },
      { inheritAppConfig: true },
    );
    await whileTimePasses(clock, app.init());
    await app.startAllMicroservices();
    await app.listen(0);
    const jobs = new JobApplication(app, clock);
    await jobs.tick();
    expect(await itemsOverHttp(app)).toEqual([0, 1, 2]);
    expect(await itemsOverTcp(port)).toEqual([0, 1, 2]);
  });

  it('run in a standalone application', async () => {
    const clock = new VirtualClock();
    const context = NestFactory.createApplicationContext(rootModule({ providers: [Greeting], clock }), QUIET);
    const jobs = new JobApplication(await whileTimePasses(clock, context), clock);
    await jobs.tick();
    expect(jobs.app.get(Greeting).items).toEqual([0, 1, 2]);
  });

  it('start when a testing module is initialised, and not when it is compiled', async () => {
    const clock = new VirtualClock();
    const module = await Test.createTestingModule({
      imports: [rootModule({ providers: [Greeting], clock })],
    }).compile();
    const kinds: string[] = [];
    module.get(JobEvents).on(({ kind }) => void kinds.push(kind));
    await clock.advance(2_000);
    expect(kinds).toEqual([]);
    await whileTimePasses(clock, module.init());
    onTestFinished(() => whileTimePasses(clock, module.close()));
    await clock.advance(1_000);
    expect(module.get(Greeting).items).toEqual([0, 1, 2]);
  });
});
