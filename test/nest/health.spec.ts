import { ElasticJob, REGISTRY_CENTER, type ShardingContext } from '@app/elastic-job';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import type { JobEventSink } from '@app/elastic-job/spi';
import { ElasticJobHealthIndicator, ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { VirtualClock } from '@app/elastic-job/testing';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { ConsoleModule } from '../../src/console/console.module.js';
import { EVERY_SECOND, QUIET, startJobs, whileTimePasses } from './support/job-application.js';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
  async settle({ signal }: ShardingContext): Promise<void> {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
  }
}

class RegionalJobs {
  @ElasticJob({ name: 'settle-region', cron: EVERY_SECOND, shardingTotalCount: 1, timeZone: 'Europe/Berlin' })
  settle(): void {}
}

async function startOverSharedServer(provider: Type = OrderJobs, tracing: readonly JobEventSink[] = []) {
  const clock = new VirtualClock();
  const server = new MemoryRegistry(clock);
  const options = { registry: { type: 'memory', server, sessionTimeoutMs: 10_000 }, tracing } as const;
  const jobs = await startJobs({ clock, options, imports: [ElasticJobHealthModule], providers: [provider] });
  const health = jobs.app.get(ElasticJobHealthIndicator);
  const session = (): string => jobs.app.get<RegistryCenter>(REGISTRY_CENTER).session.id!;
  return { jobs, clock, server, health, session };
}

describe('ElasticJobHealthIndicator', () => {
  it('shows a running worker as up under both keys, with its job', async () => {
    const { health } = await startOverSharedServer();
    expect(health.liveness()).toMatchObject({ elasticJob: { status: 'up' } });
    expect(health.readiness('jobs')).toEqual({
      jobs: {
        status: 'up',
        reasons: [],
        phase: 'running',
        session: 'CONNECTED',
        jobs: {
          'settle-orders': {
            leader: expect.stringContaining('@-@'),
            nextFireTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.000Z$/),
            runningItems: 0,
          },
        },
      },
    });
  });

  it('shows a suspended connection as degraded, and as up after the reconnect', async () => {
    const { health, server, session, clock } = await startOverSharedServer();
    const id = session();
    server.suspend(id);
    await clock.advance(100);
    expect(health.readiness().elasticJob).toMatchObject({ status: 'degraded', session: 'SUSPENDED' });
    server.resume(id);
    await clock.advance(1_000);
    expect(health.readiness().elasticJob).toMatchObject({ status: 'up' });
  });

  it('shows a session that was lost for more than 30 s as not ready, yet alive', async () => {
    const { health, server, session, clock } = await startOverSharedServer();
    server.suspend(session());
    await clock.advance(60_000);
    expect(health.readiness().elasticJob).toMatchObject({ status: 'down', session: 'LOST' });
    expect(health.liveness().elasticJob).toMatchObject({ status: 'degraded' });
  });

  it('tells once why it is down, since Terminus logs no reason, and again after it was up', async () => {
    const { health, jobs, server, session, clock } = await startOverSharedServer();
    const told = () =>
      jobs.events.flatMap((event) => (event.kind === 'warning' && event.jobName === undefined ? event.message : []));
    const warned = told().length;
    for (const _ of [1, 2]) {
      const id = session();
      server.suspend(id);
      await clock.advance(60_000);
      health.readiness();
      health.liveness(); // It has the same key, and is not down.
      health.readiness();
      server.resume(id);
      await clock.advance(10_000);
      health.readiness();
    }
    const line = expect.stringMatching(
      /^health "elasticJob" is down: the registry session has been LOST for \d+ s; job "settle-orders" is not /,
    );
    expect(told().slice(warned)).toEqual([line, line]);
  });

  it('tells nothing of a process that drains', async () => {
    const { health, jobs } = await startOverSharedServer();
    const closing = jobs.app.close();
    health.readiness();
    expect(jobs.events.filter(({ kind }) => kind === 'warning')).not.toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('health') }),
    );
    await jobs.clock.advanceUntil(closing);
  });

  it('shows a Java peer that cannot share a setting as down, and names both', async () => {
    const { health, server, clock } = await startOverSharedServer(RegionalJobs);
    const java = server.center({ namespace: 'elastic-job', clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 1_000 });
    await java.connect();
    await java.create('/settle-region/instances/10.0.0.9@-@77', 'jobInstanceId: 10.0.0.9@-@77\n', 'EPHEMERAL');
    await clock.advance(10);
    expect(health.readiness().elasticJob).toMatchObject({
      status: 'down',
      reasons: [expect.stringMatching(/settle-region.*10\.0\.0\.9@-@77.*Europe\/Berlin/)],
    });
    await java.close();
    await clock.advance(10);
    expect(health.readiness().elasticJob).toMatchObject({ status: 'up' });
  });

  it('shows a worker that drains as not ready, yet alive', async () => {
    const { health, jobs } = await startOverSharedServer();
    await jobs.tick();
    const closing = jobs.close();
    await jobs.clock.advance(1_000);
    expect(health.readiness().elasticJob).toMatchObject({ status: 'down', phase: 'draining' });
    expect(health.liveness().elasticJob).toMatchObject({ status: 'up' });
    await whileTimePasses(jobs.clock, closing);
  });
});

describe('the parts of the health of a worker', () => {
  it('are all up in a worker in order, and show what they were judged by', async () => {
    const { health, clock } = await startOverSharedServer();
    await clock.advance(100);
    expect(health.registry()).toMatchObject({ elasticJobRegistry: { status: 'up', session: 'CONNECTED' } });
    expect(health.leadership()).toMatchObject({
      elasticJobLeadership: { status: 'up', leaders: { 'settle-orders': expect.stringContaining('@-@') } },
    });
    expect(health.scheduleLag()).toMatchObject({
      elasticJobSchedule: { status: 'up', lagMs: { 'settle-orders': 0 } },
    });
    expect(health.tracing('history')).toEqual({ history: { status: 'up', reasons: [], stores: {} } });
  });

  it('show a silent registry as degraded, then down, and the schedule not as late', async () => {
    const { health, server, session, clock } = await startOverSharedServer();
    server.suspend(session());
    await clock.advance(100);
    expect(health.registry().elasticJobRegistry).toMatchObject({ status: 'degraded', session: 'SUSPENDED' });
    await clock.advance(60_000);
    expect(health.registry().elasticJobRegistry).toMatchObject({ status: 'down', session: 'LOST' });
    expect(health.scheduleLag().elasticJobSchedule).toMatchObject({ status: 'up' });
  });

  it('show a clock that is set ahead as degraded before the timer notices, and as up later', async () => {
    const { health, clock } = await startOverSharedServer();
    clock.setWall(clock.wallNow() + 30_000);
    expect(health.scheduleLag().elasticJobSchedule).toMatchObject({ status: 'degraded' });
    await clock.advance(60_000);
    expect(health.scheduleLag().elasticJobSchedule).toMatchObject({ status: 'up' });
  });

  it('show a history whose store is away as degraded, while readiness is up', async () => {
    const store = { queuedRows: 3, droppedRows: 17, failingSince: undefined as number | undefined };
    const history = { name: 'sql', status: store, hear: () => {} };
    const { health, clock } = await startOverSharedServer(OrderJobs, [history]);
    const shown = { reasons: [], stores: { sql: store } };
    expect(health.tracing().elasticJobTracing).toEqual({ status: 'up', ...shown });

    store.failingSince = clock.wallNow();
    const since = new Date(clock.wallNow()).toISOString();
    const reasons = [`history "sql" has kept nothing since ${since}; 17 rows dropped`];
    expect(health.tracing().elasticJobTracing).toMatchObject({ status: 'degraded', ...shown, reasons });
    expect(health.readiness().elasticJob).toMatchObject({ status: 'up' });
  });
});

describe('the root application', () => {
  it('serves both health routes beside the console, and runs no jobs', async () => {
    const app = await NestFactory.create(ConsoleModule.of({ registry: { type: 'memory' } }), QUIET);
    try {
      await app.init();
      const live = await request(app.getHttpServer()).get('/health/live').expect(200);
      expect(live.body).toMatchObject({ status: 'ok', details: { elasticJob: { status: 'up' } } });
      const ready = await request(app.getHttpServer()).get('/health/ready').expect(200);
      expect(ready.body.details.elasticJob).toMatchObject({ status: 'up', session: 'CONNECTED', jobs: {} });
      await request(app.getHttpServer()).get('/').expect('Location', '/elastic-job/').expect(302);
    } finally {
      await app.close();
    }
  });
});
