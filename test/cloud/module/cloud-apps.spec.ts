import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import type { TaskOrder } from '../../../libs/elastic-job/src/cloud/index.js';
import { ElasticJob, ElasticJobModule, type JobOptions } from '../../../libs/elastic-job/src/index.js';
import { ElasticJobCloudModule } from '../../../libs/elastic-job/src/nest/cloud/index.js';
import { JobOperateApi } from '../../../libs/elastic-job/src/operations/index.js';
import { MemoryTaskCluster } from '../../../libs/elastic-job/src/testing/index.js';

const SHOP = { task: { command: ['bin/start.sh'], env: { REGION: 'eu' } }, resources: { cpu: 2, memoryMb: 512 } };
const COUNT: JobOptions = { name: 'count', executor: 'task', shardingTotalCount: 1, cron: '0 0 0 1 1 ? 2099' };

/** An application with one job. */
async function compile(job: Partial<JobOptions>, options: object) {
  @Injectable()
  class Jobs {
    @ElasticJob({ ...COUNT, ...job })
    count(): void {}
  }
  const tasks = new MemoryTaskCluster({ clock: new SystemClock() });
  const ordered = new Promise<TaskOrder>((resolve) => {
    tasks.script('count', async ({ order }) => resolve(order));
  });
  const module = await Test.createTestingModule({
    imports: [
      ElasticJobModule.forRoot({ registry: { type: 'memory' }, tracing: [{ type: 'log', level: 'off' }] }),
      ElasticJobCloudModule.forRoot(Object.assign({ backend: tasks.backend() }, options)),
    ],
    providers: [Jobs],
  }).compile();
  return { module, ordered };
}

it('gives the jobs of an application the options that they share, unless a job has its own', async () => {
  const { module, ordered } = await compile(
    { appName: 'shop', resources: { memoryMb: 64 }, task: { graceMs: 1_000 } },
    { apps: { shop: SHOP }, defaults: { task: { workingDirectory: '/srv', env: { REGION: 'us' } } } },
  );
  await module.init();
  await module.get(JobOperateApi, { strict: false }).trigger('count');

  expect(await ordered).toMatchObject({
    template: { ...SHOP.task, workingDirectory: '/srv' },
    resources: { cpu: 2, memoryMb: 64 },
    graceMs: 1_000,
  });
  await module.close();
});

it('names the likely application in the error if a job names an unknown one', async () => {
  const { module } = await compile({ appName: 'shp' }, { apps: { shop: SHOP } });
  await expect(module.init()).rejects.toThrow(
    'appName "shp" is none of the apps of ElasticJobCloudModule; did you mean "shop"?',
  );
  await module.close().catch(() => {});
});

it('names each invalid option in the error when the application is made', async () => {
  const wrong = {
    apps: { shop: { resources: { cpu: 0 }, image: 'a' } },
    allow: { images: 'all', comands: [] },
    tree: { nmspace: 'a' },
  };
  const made = compile({}, wrong);
  await expect(made).rejects.toThrow(/allow.comands is not an option of allow; did you mean allow.commands\?/);
  await expect(made).rejects.toThrow(/allow.images must be a list of texts/);
  await expect(made).rejects.toThrow(/tree.nmspace is not an option of tree; did you mean tree.namespace\?/);
  await expect(made).rejects.toThrow(/apps.shop.image is not an option of the app "shop"/);
  await expect(made).rejects.toThrow(/apps.shop.resources must be .* but its cpu is 0/);
});
