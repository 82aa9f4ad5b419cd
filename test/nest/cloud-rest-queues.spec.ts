import { SystemClock } from '@app/elastic-job/spi';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatRunRecord } from '../../libs/elastic-job/src/domain/index.js';
import { CLOUD_REGISTRY, REGISTRY_CENTER } from '../../libs/elastic-job/src/nest/module-definition.js';
import { creation, type RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { SwitchedSqlite } from '@test/support/databases/switched-sqlite.js';
import { APP, JOB, startRest, waitingTasks } from './support/cloud-rest-application.js';

const HOUR = 3_600_000;

/** A console beside schedulers. It runs no jobs, so waiting items go on waiting. */
async function startConsole(job: object = {}) {
  const rest = await startRest({ jobs: { processing: false } });
  await rest.tell('POST', '/api/app', APP);
  await rest.tell('POST', '/api/job/register', { ...JOB, ...job });
  const registry: RegistryCenter = rest.app.get(REGISTRY_CENTER, { strict: false });
  await registry.ensurePath('/settle/sharding/0');
  await registry.ensurePath('/settle/sharding/1');
  return { ...rest, registry };
}

/** The record of a run whose scheduler was at 10.0.0.1, for a fire time `agoMs` milliseconds ago. */
function record(agoMs: number): string {
  const fireTime = new SystemClock().wallNow() - agoMs;
  const target = { fireTime, origin: 'schedule' } as const;
  return formatRunRecord({ run: 'run-1', by: '10.0.0.1@-@7', target, attempt: 1, begunAt: fireTime }, 1);
}

describe('the queues of ElasticJob-Cloud, from Lite’s nodes', () => {
  it('shows nothing where nothing runs or waits', async () => {
    const { ask } = await startConsole();

    for (const queue of ['running', 'ready', 'failover']) {
      expect(await ask('GET', `/api/job/tasks/${queue}`)).toEqual({ status: 200, answer: [] });
    }
  });

  it.each([
    { misfire: true, times: '3' },
    { misfire: false, times: '1' },
  ])('shows a job that owes fire times as ready, with misfire $misfire $times times', async ({ misfire, times }) => {
    const { ask, registry } = await startConsole({ cron: '0 0 * * * ?', misfire });
    await registry.transaction([creation('/settle/sharding/1/record', record(3 * HOUR))]);
    await registry.transaction([creation('/settle/sharding/1/misfire')]);

    expect(await ask('GET', '/api/job/tasks/ready')).toEqual({
      status: 200,
      answer: [{ jobName: 'settle', times }],
    });
  });

  it('shows a job that an operator has triggered as ready, until a scheduler takes it', async () => {
    const { ask, registry } = await startConsole();
    await registry.ensurePath('/settle/trigger/10.0.0.1@-@7');

    expect(await ask('GET', '/api/job/tasks/ready')).toEqual({
      status: 200,
      answer: [{ jobName: 'settle', times: '1' }],
    });
  });

  it('shows items that wait to run again, with the task that they had', async () => {
    const { ask, registry } = await startConsole();
    await registry.transaction([creation('/settle/sharding/1/record', record(HOUR))]);
    await registry.ensurePath('/settle/leader/failover/items/1');

    expect(await ask('GET', '/api/job/tasks/failover')).toEqual({
      status: 200,
      answer: [
        {
          taskInfo: { jobName: 'settle', shardingItems: [1] },
          originalTaskId: 'settle@-@1@-@READY@-@10.0.0.1@-@run-1',
        },
      ],
    });
  });

  it('shows an item that runs in its scheduler, and one that was taken over', async () => {
    const { ask, registry } = await startConsole();
    await registry.transaction([
      creation('/settle/sharding/0/record', record(HOUR)),
      creation('/settle/sharding/0/running', '10.0.0.1@-@7'),
      creation('/settle/sharding/0/failover', '10.0.0.1@-@7'),
    ]);

    expect(await ask('GET', '/api/job/tasks/running')).toEqual({
      status: 200,
      answer: [
        {
          id: 'settle@-@0@-@FAILOVER@-@10.0.0.1@-@run-1',
          metaInfo: { jobName: 'settle', shardingItems: [0] },
          type: 'FAILOVER',
          slaveId: '10.0.0.1',
          idle: false,
        },
      ],
    });
  });

  it('refuses to register a disabled job, and reports a text that cannot be used', async () => {
    const { app, ask } = await startConsole();
    const cloud: RegistryCenter = app.get(CLOUD_REGISTRY, { strict: false });
    await cloud.ensurePath('/state/disable/job/other');
    await cloud.ensurePath('/config/job/broken');

    expect(await ask('POST', '/api/job/register', { ...JOB, jobName: 'other' })).toMatchObject({
      status: 409,
      answer: { code: 'CLOUD_JOB_DISABLED' },
    });
    expect(await ask('GET', '/api/job/jobs/broken')).toMatchObject({
      status: 409,
      answer: { code: 'UNUSABLE_CLOUD_NODE', message: expect.stringMatching(/"broken" cannot be used: /) },
    });
  });
});

describe('events and statistics of a history of runs', () => {
  /** Both items of the job have run. */
  async function startWithRuns() {
    const sqlite = new SwitchedSqlite();
    onTestFinished(() => sqlite.db.destroy());
    const tasks = waitingTasks();
    tasks.script('settle', [{ state: { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 1 } } }]);
    const rest = await startRest({
      jobs: { tracing: [new SqlHistory(sqlite.db, { gatherMs: 1 })] },
      cloud: { backend: tasks.backend('a') },
    });
    await rest.tell('POST', '/api/app', APP);
    await rest.tell('POST', '/api/job/register', JOB);
    expect(await rest.ask('GET', '/api/job/statistics/tasks/results/online')).toMatchObject({
      status: 200,
      answer: { successCount: 0, failedCount: 0 },
    });
    await rest.trigger({ jobName: 'settle' });
    await vi.waitFor(
      async () => {
        const { answer } = await rest.ask('GET', '/api/job/statistics/tasks/results/lastMinute');
        expect(answer).toMatchObject({ successCount: 2 });
      },
      { timeout: 10_000, interval: 50 },
    );
    return rest;
  }

  it('counts results by period and by hour, and what runs', async () => {
    const { ask } = await startWithRuns();

    for (const [period, statisticInterval] of [
      ['online', 'DAY'],
      ['lastWeek', 'DAY'],
      ['lastHour', 'HOUR'],
      ['lastMinute', 'MINUTE'],
    ]) {
      expect(await ask('GET', `/api/job/statistics/tasks/results/${period}`)).toEqual({
        status: 200,
        answer: {
          id: 1,
          successCount: 2,
          failedCount: 0,
          statisticInterval,
          statisticsTime: expect.any(String),
          creationTime: expect.any(String),
        },
      });
    }
    const { answer: hours } = await ask('GET', '/api/job/statistics/tasks/results?since=last24hours');
    expect(hours).toHaveLength(24);
    expect(hours).toMatchObject(Array.from({ length: 24 }, (_, hour) => ({ successCount: hour === 23 ? 2 : 0 })));
    for (const of of ['tasks', 'jobs']) {
      const { answer } = await ask('GET', `/api/job/statistics/${of}/running?since=lastWeek`);
      expect(answer).toHaveLength(29);
      expect(answer).toMatchObject(Array.from({ length: 29 }, () => ({ runningCount: 0 })));
    }
  });

  it('answers runs and states page by page, the newest first', async () => {
    const { ask } = await startWithRuns();

    const { answer } = await ask('GET', '/api/job/events/executions?jobName=settle&isSuccess=true&perPage=1&page=2');
    expect(answer).toMatchObject({ total: 2, rows: [{ jobName: 'settle', success: true, source: 'NORMAL_TRIGGER' }] });
    expect(await ask('GET', '/api/job/events/executions?jobName=other&ip=')).toEqual({
      status: 200,
      answer: { total: 0, rows: [] },
    });
    await vi.waitFor(async () => {
      const { answer: states } = await ask('GET', '/api/job/events/statusTraces?jobName=settle&perPage=1');
      expect(states).toMatchObject({ total: 2, rows: [{ jobName: 'settle', state: 'TASK_FINISHED' }] });
    });
  });

  it.each([
    ['events/executions?page=0', /page must be a whole number from 1 to 10000, but is "0"/],
    ['events/executions?perPage=1001', /perPage must be/],
    ['events/executions?page=11&perPage=1000', /must end within 10000 rows/],
    ['events/executions?ip=10.0.0.1', /ip is not a parameter here/],
    ['events/executions?startTime=yesterday', /startTime must be like/],
    ['events/executions?isSuccess=maybe', /isSuccess must be true or false/],
    ['events/executions?jobName=a&jobName=b', /jobName must be given once/],
    ['events/statusTraces?order=ASC', /sort and order/],
    ['statistics/tasks/results?since=ever', /since must be last24hours, but is "ever"/],
    ['statistics/tasks/results/lastYear', /The period must be online, lastWeek, lastHour, lastMinute/],
    ['statistics/tasks/running?since=ever', /since must be lastWeek/],
    ['statistics/jobs/running?since=ever', /since must be lastWeek/],
  ])('refuses %s', async (path, message) => {
    const { ask } = await startRest();

    expect(await ask('GET', `/api/job/${path}`)).toMatchObject({
      status: 400,
      answer: { message: expect.stringMatching(message) },
    });
  });
});
