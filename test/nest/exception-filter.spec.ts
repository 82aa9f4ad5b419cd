import { ElasticJob, ElasticJobError, ElasticJobExceptionFilter, FencedError } from '@app/elastic-job';
import { JobConfigurationApi, type JobConfigurationChanges, JobOperateApi } from '@app/elastic-job/operations';
import { SystemClock } from '@app/elastic-job/spi';
import { Body, Controller, Get, type INestApplication, Inject, Param, Patch } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUIET, rootModule } from './support/job-application.js';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
  settle(): void {}
}

class CodedError extends ElasticJobError {
  constructor(readonly code: string) {
    super(`what ${code} says`);
  }
}

@Controller()
class OperationsController {
  constructor(
    @Inject(JobOperateApi) private readonly jobs: JobOperateApi,
    @Inject(JobConfigurationApi) private readonly configurations: JobConfigurationApi,
  ) {}

  @Get('trigger/:job')
  trigger(@Param('job') job: string): Promise<unknown> {
    return this.jobs.trigger(job);
  }

  @Get('cron/:cron')
  async change(@Param('cron') cron: string): Promise<void> {
    await this.configurations.updateJobConfiguration('settle-orders', { cron });
  }

  @Patch(':job')
  async edit(@Param('job') job: string, @Body() changes: JobConfigurationChanges): Promise<void> {
    await this.configurations.updateJobConfiguration(job, changes);
  }

  @Get('large')
  large(): Promise<unknown> {
    return this.jobs.trigger('settle-orders', { parameters: 'x'.repeat(300_000) });
  }

  @Get('error/:code')
  error(@Param('code') code: string): never {
    throw new CodedError(code);
  }

  @Get('fenced')
  fenced(): never {
    throw new FencedError('settle-orders', 0, 1n);
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('ElasticJobExceptionFilter under %s', (_, adapter) => {
  let app: INestApplication;
  beforeAll(async () => {
    const module = rootModule({
      options: { clock: new SystemClock() },
      controllers: [OperationsController],
      providers: [OrderJobs, { provide: APP_FILTER, useClass: ElasticJobExceptionFilter }],
    });
    app = await NestFactory.create(module, adapter(), QUIET);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  it.each([
    ['/trigger/nobody', 404, 'UNKNOWN_JOB', /nobody/],
    ['/cron/never', 400, 'CONFIGURATION', /cron: .*"never"/],
    ['/large', 413, 'REQUEST_TOO_LARGE', /trigger settle-orders: the request has \d+ bytes/],
  ])('answers a failed operation with %s: %i with the code %s', async (path, status, code, message) => {
    const response = await ask(path);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ statusCode: status, code, message: expect.stringMatching(message) });
  });

  it.each([
    ['settle-orders', { corn: '0 0 3 * * ?' }, 400, 'CONFIGURATION', /corn/],
    ['cleanupp', { cron: '0 0 3 * * ?' }, 404, 'UNKNOWN_JOB', /cleanupp/],
  ])('answers an edit of %s by the body %o: %i with the code %s', async (job, body, status, code, message) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${await app.getUrl()}/${job}`;
    const response = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) });

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ statusCode: status, code, message: expect.stringMatching(message) });
  });

  it.each([
    [412, ['CHANGED']],
    [404, ['UNKNOWN_JOB', 'UNKNOWN_ITEM', 'UNKNOWN_SERVER', 'UNKNOWN_CLOUD_APP', 'UNKNOWN_CLOUD_JOB']],
    [400, ['CONFIGURATION', 'INVALID_ARGUMENT', 'CRON_SYNTAX', 'TIME_ZONE']],
    [409, ['CONFIGURATION_NODE', 'ELASTIC_JOB_2_CONFIGURATION', 'CONTENTION', 'JOB_EXISTS']],
    [409, ['CLOUD_APP_EXISTS', 'CLOUD_APP_DISABLED', 'CLOUD_JOB_EXISTS', 'CLOUD_JOB_DISABLED']],
    [409, ['CLOUD_TRIGGER', 'UNUSABLE_CLOUD_NODE', 'MISSING_RUN_HISTORY', 'MISSING_HISTORY_TABLE']],
    [429, ['REPEATED_RECONCILE']],
    [413, ['REQUEST_TOO_LARGE']],
    [403, ['NO_AUTH', 'UNTRUSTED_ACL']],
    [503, ['REGISTRY_UNAVAILABLE', 'SERVER_ERROR', 'SESSION_LOST', 'SHUTTING_DOWN', 'TASK_BACKEND', 'PARTLY_DONE']],
  ])('answers %i with code and message of an error: %s', async (status, codes) => {
    for (const code of codes) {
      const response = await ask(`/error/${code}`);
      expect(await response.json()).toEqual({ statusCode: status, code, message: `what ${code} says` });
      expect(response.status).toBe(status);
    }
  });

  it('answers 500 for an error that is not for callers, without its text', async () => {
    const response = await ask('/fenced');

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
  });

  async function ask(path: string): Promise<Response> {
    return fetch(`${await app.getUrl()}${path}`);
  }
});
