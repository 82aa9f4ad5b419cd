import { expect, it, vi } from 'vitest';
import { APP, JOB, startRest, waitingTasks } from '../../nest/support/cloud-rest-application.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

it('over a real ZooKeeper: registers, triggers, shows and removes a job, as two schedulers see it', async () => {
  const namespace = `cloud-rest-${process.pid}`;
  const tasks = waitingTasks();
  const parts = (scheduler: string) => ({
    jobs: { registry: { type: 'zookeeper', servers: zooKeeper, namespace } as const },
    cloud: { backend: tasks.backend(scheduler), tree: { namespace: `${namespace}-tree` } },
  });
  const a = await startRest(parts('a'));
  const b = await startRest(parts('b'));

  expect(await a.ask('POST', '/api/app', APP)).toEqual({ status: 200, answer: true });
  expect(await b.ask('POST', '/api/app', APP)).toMatchObject({ status: 409, answer: { code: 'CLOUD_APP_EXISTS' } });
  expect(await b.ask('POST', '/api/job/register', JOB)).toEqual({ status: 200, answer: true });
  expect(await a.ask('GET', '/api/job/jobs/settle')).toMatchObject({ status: 200, answer: JOB });
  expect(await a.ask('GET', '/api/job/statistics/jobs/register')).toMatchObject({
    status: 200,
    answer: [{ registeredCount: 1 }],
  });

  await a.trigger({ jobName: 'settle' });
  const running = async () => (await b.ask('GET', '/api/job/tasks/running')).answer;
  await vi.waitFor(
    async () =>
      expect(await running()).toMatchObject([
        { metaInfo: { jobName: 'settle', shardingItems: [0] }, type: 'READY' },
        { metaInfo: { jobName: 'settle', shardingItems: [1] }, type: 'READY' },
      ]),
    { timeout: 20_000, interval: 100 },
  );

  expect(await b.ask('POST', '/api/job/settle/disable')).toEqual({ status: 200, answer: true });
  expect(await a.ask('POST', '/api/job/trigger', { jobName: 'settle' })).toMatchObject({
    status: 409,
    answer: { code: 'CLOUD_TRIGGER' },
  });
  expect(await a.ask('DELETE', '/api/app/shop')).toEqual({ status: 200, answer: true });
  expect(await b.ask('GET', '/api/job/jobs')).toEqual({ status: 200, answer: [] });
});
