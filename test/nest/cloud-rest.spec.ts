import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ValidationPipe } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { APP, JOB, startRest, waitingTasks } from './support/cloud-rest-application.js';

const FULL_APP = { ...APP, cpuCount: 1, memoryMB: 128, appCacheEnable: true, eventTraceSamplingCount: 0 };

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('REST of ElasticJob-Cloud under %s', (_, adapter) => {
  it('registers, lists, changes, disables and removes an application, as in Java', async () => {
    const { ask } = await startRest({ adapter: adapter() });

    expect(await ask('POST', '/api/app', APP)).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/app/shop')).toEqual({ status: 200, answer: FULL_APP });
    expect(await ask('PUT', '/api/app', { ...APP, memoryMB: 256 })).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/app/list')).toEqual({ status: 200, answer: [{ ...FULL_APP, memoryMB: 256 }] });
    expect(await ask('GET', '/api/app/shop/disable')).toEqual({ status: 200, answer: false });
    expect(await ask('POST', '/api/app/shop/disable')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/app/shop/disable')).toEqual({ status: 200, answer: true });
    expect(await ask('POST', '/api/app/shop/enable')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/app/shop/disable')).toEqual({ status: 200, answer: false });
    expect(await ask('DELETE', '/api/app/shop')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/app/list')).toEqual({ status: 200, answer: [] });
  });

  it('registers, lists, changes, disables and removes a job, as in Java', async () => {
    const { ask, tell } = await startRest({ adapter: adapter() });
    await tell('POST', '/api/app', APP);

    expect(await ask('POST', '/api/job/register', JOB)).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/job/jobs/settle')).toMatchObject({ status: 200, answer: { ...JOB, misfire: false } });
    expect(await ask('PUT', '/api/job/update', { ...JOB, misfire: true })).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/job/jobs')).toMatchObject({ status: 200, answer: [{ ...JOB, misfire: true }] });
    expect(await ask('GET', '/api/job/settle/disable')).toEqual({ status: 200, answer: false });
    expect(await ask('POST', '/api/job/settle/disable')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/job/settle/disable')).toEqual({ status: 200, answer: true });
    expect(await ask('POST', '/api/job/settle/enable')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/job/statistics/jobs/executionType')).toEqual({
      status: 200,
      answer: { transientJobCount: 1, daemonJobCount: 0 },
    });
    expect(await ask('GET', '/api/job/statistics/jobs/register')).toMatchObject({
      status: 200,
      answer: [{ id: 1, registeredCount: 1 }],
    });
    expect(await ask('DELETE', '/api/job/settle/deregister')).toEqual({ status: 200, answer: true });
    expect(await ask('GET', '/api/job/jobs')).toEqual({ status: 200, answer: [] });
  });

  it.each([{ jobName: 'settle' }, 'settle', '"settle"'])('triggers the job that the body %j names', async (body) => {
    const tasks = waitingTasks();
    const { ask, tell, trigger } = await startRest({
      adapter: adapter(),
      cloud: { backend: tasks.backend('a') },
    });
    await tell('POST', '/api/app', APP);
    await tell('POST', '/api/job/register', JOB);

    await trigger(body);
    await vi.waitFor(
      async () => {
        const { answer } = await ask('GET', '/api/job/tasks/running');
        expect(answer).toEqual(
          [0, 1].map((item) => ({
            id: expect.stringMatching(new RegExp(`^settle@-@${item}@-@READY@-@[^@]+@-@.+$`)),
            metaInfo: { jobName: 'settle', shardingItems: [item] },
            type: 'READY',
            slaveId: expect.any(String),
            idle: false,
          })),
        );
      },
      { timeout: 10_000, interval: 50 },
    );
  });

  it('answers no request without the token, and only 404 to a login', async () => {
    const { ask } = await startRest({ adapter: adapter() });

    for (const accessToken of ['', 'wrong', '0'.repeat(32)]) {
      expect(await ask('GET', '/api/app/list', undefined, { accessToken })).toMatchObject({
        status: 401,
        answer: { message: expect.stringMatching(/accessToken/) },
      });
    }
    expect((await ask('POST', '/api/login', { username: 'root', password: 'pwd' })).status).toBe(404);
  });

  it.each([
    ['POST', '/api/app', { ...APP, appName: '' }, 400, 'CONFIGURATION', /appName/],
    ['POST', '/api/app', { ...APP, cpuCount: 0 }, 400, 'CONFIGURATION', /cpuCount must be .* but is 0/],
    ['POST', '/api/app', { ...APP, cpu: 1 }, 400, 'CONFIGURATION', /cpu is not an option/],
    ['POST', '/api/app', { ...APP, appName: 'known' }, 409, 'CLOUD_APP_EXISTS', /known/],
    ['PUT', '/api/app', APP, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['GET', '/api/app/shop', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['GET', '/api/app/shop/disable', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['POST', '/api/app/shop/disable', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['POST', '/api/app/shop/enable', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['DELETE', '/api/app/shop', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['POST', '/api/job/register', JOB, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['POST', '/api/job/register', { ...JOB, appName: 'resting' }, 409, 'CLOUD_APP_DISABLED', /resting/],
    ['POST', '/api/job/register', job('known'), 409, 'CLOUD_JOB_EXISTS', /known/],
    ['POST', '/api/job/register', job('other', { cpuCount: 0 }), 400, 'CONFIGURATION', /cpuCount must be .* but is 0/],
    ['POST', '/api/job/register', job('other', { cpuCount: -1 }), 400, 'CONFIGURATION', /cpuCount must be .* is -1/],
    ['POST', '/api/job/register', job('other', { cron: 'never' }), 400, 'CONFIGURATION', /cron: .*never/],
    ['POST', '/api/job/register', job('other', { cron: undefined }), 400, 'CONFIGURATION', /cron must be given/],
    ['POST', '/api/job/register', {}, 400, 'CONFIGURATION', /jobName/],
    ['PUT', '/api/job/update', job('other'), 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['GET', '/api/job/jobs/other', undefined, 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['GET', '/api/job/other/disable', undefined, 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['POST', '/api/job/other/disable', undefined, 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['DELETE', '/api/job/other/deregister', undefined, 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['POST', '/api/job/trigger', { jobName: 'other' }, 404, 'UNKNOWN_CLOUD_JOB', /other/],
    ['POST', '/api/job/trigger', { jobName: 'daemon' }, 409, 'CLOUD_TRIGGER', /daemon/],
    ['POST', '/api/job/trigger', { jobName: 'stopped' }, 409, 'CLOUD_TRIGGER', /it is disabled/],
    ['POST', '/api/job/trigger', { jobName: 'of-resting' }, 409, 'CLOUD_TRIGGER', /application "resting" is disabled/],
    ['GET', '/api/job/events/executions', undefined, 409, 'MISSING_RUN_HISTORY', /tracing: \[new SqlHistory/],
    ['GET', '/api/job/events/statusTraces', undefined, 409, 'MISSING_RUN_HISTORY', /tracing/],
    ['GET', '/api/job/statistics/tasks/results', undefined, 409, 'MISSING_RUN_HISTORY', /tracing/],
    ['GET', '/api/job/statistics/tasks/results/lastHour', undefined, 409, 'MISSING_RUN_HISTORY', /tracing/],
    ['GET', '/api/job/statistics/tasks/running', undefined, 409, 'MISSING_RUN_HISTORY', /tracing/],
    ['GET', '/api/job/statistics/jobs/running', undefined, 409, 'MISSING_RUN_HISTORY', /tracing/],
    ['GET', '/api/operate/sandbox', undefined, 400, undefined, /appName must be given/],
    ['GET', '/api/operate/sandbox?appName=shop', undefined, 404, 'UNKNOWN_CLOUD_APP', /shop/],
    ['GET', '/api/operate/sandbox?appName=known', undefined, 501, undefined, /no sandbox.*event task-released/],
    ['POST', '/api/job/trigger', {}, 400, undefined, /must name the job/],
    ['POST', '/api/job/trigger', 'x'.repeat(2_000), [400, 404], undefined, /job/],
    ['POST', '/api/app', [], 400, undefined, /must be a JSON object/],
  ])('answers %s %s %j by %s %s', async (method, path, body, status, code, message) => {
    const { ask, tell } = await startRest({ adapter: adapter() });
    await tell('POST', '/api/app', { ...APP, appName: 'known' });
    await tell('POST', '/api/app', { ...APP, appName: 'resting' });
    await tell('POST', '/api/job/register', job('known'));
    await tell('POST', '/api/job/register', job('daemon', { jobExecutionType: 'DAEMON' }));
    await tell('POST', '/api/job/register', job('stopped'));
    await tell('POST', '/api/job/stopped/disable');
    await tell('POST', '/api/job/register', job('of-resting', { appName: 'resting' }));
    await tell('POST', '/api/app/resting/disable');

    const response = await ask(method, path, body);
    expect([status].flat()).toContain(response.status);
    expect(response.answer).toMatchObject({ ...(code && { code }), message: expect.stringMatching(message) });
  });
});

it('refuses to trigger a job that no scheduler has', async () => {
  const { ask, tell } = await startRest();
  await tell('POST', '/api/app', APP);
  await tell('POST', '/api/job/register', JOB);

  expect(await ask('POST', '/api/job/trigger', { jobName: 'settle' })).toMatchObject({
    status: 409,
    answer: { code: 'CLOUD_TRIGGER', message: expect.stringMatching(/no scheduler has it/) },
  });
});

it('reconciles tasks at once, and refuses a second time within 10 s', async () => {
  const { ask } = await startRest();

  expect(await ask('POST', '/api/operate/reconcile/explicit')).toEqual({ status: 200, answer: true });
  expect(await ask('POST', '/api/operate/reconcile/implicit')).toMatchObject({
    status: 429,
    answer: { code: 'REPEATED_RECONCILE' },
  });
});

it('respects the prefix and the pipes of the application', async () => {
  const { ask } = await startRest({
    prepare: (app) => {
      app.setGlobalPrefix('cloud');
      app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
    },
  });

  expect((await ask('GET', '/api/app/list')).status).toBe(404);
  expect(await ask('POST', '/cloud/api/app', APP)).toEqual({ status: 200, answer: true });
  expect(await ask('POST', '/cloud/api/job/register', JOB)).toEqual({ status: 200, answer: true });
  expect(await ask('GET', '/cloud/api/app/list')).toEqual({ status: 200, answer: [FULL_APP] });
  expect(await ask('POST', '/cloud/api/app', { ...APP, appName: 'b', cpuCount: 0 })).toMatchObject({
    status: 400,
    answer: { message: [expect.stringMatching(/cpuCount must be .* but is 0/)] },
  });
});

function job(jobName: string, more: object = {}) {
  return { ...JOB, appName: 'known', jobName, ...more };
}
