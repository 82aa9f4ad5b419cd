import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobConfiguration } from '../../libs/elastic-job/src/domain/index.js';
import {
  JobConfigurationApi,
  JobExistsError,
  JobOperateApi,
  JobStatisticsApi,
} from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestFunctions,
  type TestJobHandler,
} from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf } from './support/registry-walk.js';
import { expectOncePerTarget, itemsOf, range } from './support/run-checks.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NAME = 'report-acme';
const NEW = { name: NAME, template: 'report', cron: '0/10 * * * * ?', shardingTotalCount: 4 };

let cluster: TestCluster;
let operator: RegistryCenter;
let jobs: JobOperateApi;
let seen: Map<string, unknown>;
let hold: Promise<void> | undefined;
const handler: TestJobHandler = async ({ jobName, props, shardingItem }) => {
  seen.set(`${jobName}/${shardingItem}`, props['tenant']);
  await hold;
};

beforeEach(() => {
  seen = new Map();
  hold = undefined;
});
afterEach(async () => {
  await operator.close();
  await cluster.stop();
});

describe('a job that is created from a template', () => {
  it('runs sharded over every instance that has the template, with the props that it was created with', async () => {
    await start(3);
    await jobs.create({ ...NEW, props: { tenant: 'acme' } });
    await cluster.advance(15 * SECOND);

    expect(new Set(cluster.assignment(NAME).values())).toEqual(new Set([0, 1, 2]));
    expect(itemsOf(cluster.runs(NAME))).toEqual(range(4));
    expect([...seen.values()]).toEqual(Array(4).fill('acme'));
    expectOncePerTarget(cluster.runs(NAME));
  });

  it('is joined by instances that start later, and again after a session was lost', async () => {
    await start(1);
    await jobs.create(NEW);
    await cluster.advance(5 * SECOND);
    await cluster.join();
    cluster.partition(0);
    await cluster.advance(30 * SECOND);
    await cluster.heal(0);
    await cluster.advance(30 * SECOND);

    expect(new Set(cluster.assignment(NAME).values())).toEqual(new Set([0, 1]));
    expectOncePerTarget(cluster.runs(NAME));
  });

  it("uses the template's default for every setting that nobody has set, also after an edit", async () => {
    await start(2, {
      templates: [{ name: 'report', handler, failover: true, jobParameter: 'daily', timeoutMs: 5_000 }],
    });
    await jobs.create({ ...NEW, jobParameter: 'weekly', description: 'for Acme' });
    await new JobConfigurationApi(operator).updateJobConfiguration(NAME, { shardingTotalCount: 6 });
    await cluster.advance(2 * SECOND);

    expect(configuration()).toMatchObject({
      failover: true,
      timeoutMs: 5_000,
      jobParameter: 'weekly',
      description: 'for Acme',
      shardingTotalCount: 6,
    });
    const { data } = (await operator.read(`/${NAME}/config`))!;
    expect(data).not.toContain('failover');
    await new JobConfigurationApi(operator).updateJobConfiguration(NAME, { jobParameter: null });
    await cluster.advance(2 * SECOND);
    expect(configuration().jobParameter).toBe('daily');
  });

  it('has a name that no other job can take, and is named in the statistics', async () => {
    await start(1);
    await jobs.create(NEW);

    await expect(jobs.create(NEW)).rejects.toThrow(JobExistsError);
    await expect(jobs.create({ ...NEW, name: 'fixed' })).rejects.toThrow('has a job "fixed" already');
    const statistics = new JobStatisticsApi(operator);
    expect(await statistics.getJobBriefInfo(NAME)).toMatchObject({ template: 'report', isBeingRemoved: false });
    expect(await statistics.getJobBriefInfo('fixed')).toMatchObject({ template: undefined });
  });

  it('belongs to nobody where the template is unknown, and costs instances without templates nothing', async () => {
    await start(1, { templates: [] });
    const { traffic } = cluster.instances[0]!.center;
    await cluster.advance(MINUTE);
    const before = { ...traffic };
    await jobs.create({ ...NEW, cron: '' });
    await cluster.advance(10 * SECOND);

    expect(cluster.assignment(NAME).size).toBe(0);
    expect(traffic).toEqual(before);
  });

  it('makes a declared job of its name fail, with the name in the error', async () => {
    await start(0);
    await operator.ensurePath('/');
    await jobs.create({ ...NEW, name: 'fixed' });

    await expect(cluster.join()).rejects.toThrow('created from template "report"');
  });

  it.each([
    [{ shardingTotalCount: 0 }, /shardingTotalCount must be/],
    [{ cron: 'daily' }, /cron/],
    [{ name: 'a/b' }, /jobName/],
    [{ template: '' }, /template/],
  ])('is not created with %j', async (wrong, message) => {
    await start(0);
    await expect(jobs.create({ ...NEW, ...wrong })).rejects.toThrow(message);
    expect(await operator.exists(`/${NAME}`)).toBeUndefined();
  });
});

describe('the removal of a created job', () => {
  it('lets what runs end, and leaves no node; the name is free then', async () => {
    await start(3);
    const before = await nodes();
    await jobs.create(NEW);
    const { promise, resolve } = withResolvers();
    hold = promise;
    await cluster.advance(12 * SECOND);
    const running = cluster.runs(NAME).length;
    await jobs.remove(NAME);
    await cluster.advance(2 * SECOND);

    await expect(jobs.create(NEW)).rejects.toThrow('is being removed');
    expect(await new JobStatisticsApi(operator).getJobBriefInfo(NAME)).toMatchObject({ isBeingRemoved: true });
    resolve();
    await cluster.advance(2 * SECOND);
    expect(await nodes()).toEqual(before);
    expect(cluster.runs(NAME)).toHaveLength(running);
    hold = undefined;
    await jobs.create(NEW);
    await cluster.advance(12 * SECOND);
    expect(itemsOf(cluster.runs(NAME).slice(running))).toEqual(range(4));
  });

  it('is done by the call itself if nobody is in the job', async () => {
    await start(0);
    await operator.ensurePath('/');
    await jobs.create(NEW);
    await jobs.remove(NAME);

    expect(await operator.exists(`/${NAME}`)).toBeUndefined();
  });

  it('is completed by those who are left if instances die meanwhile', async () => {
    await start(3);
    const before = await nodes();
    await jobs.create(NEW);
    hold = new Promise(() => {});
    await cluster.advance(12 * SECOND);
    await jobs.remove(NAME);
    await cluster.advance(100);
    cluster.crash(0);
    cluster.crash(1);
    await cluster.advance(MINUTE);

    expect(await operator.exists(`/${NAME}`)).toBeUndefined();
    expect((await nodes()).length).toBeLessThan(before.length);
  });

  it('is completed by an instance that comes after all have died', async () => {
    await start(1);
    await jobs.create(NEW);
    hold = new Promise(() => {});
    await cluster.advance(12 * SECOND);
    await jobs.remove(NAME);
    cluster.crash(0);
    await cluster.advance(MINUTE);
    expect(await operator.exists(`/${NAME}`)).toBeDefined();
    await cluster.join();
    await cluster.advance(5 * SECOND);

    expect(await operator.exists(`/${NAME}`)).toBeUndefined();
  });

  it('and creation of one of that name are both noticed by an instance that saw neither', async () => {
    await start(2);
    await jobs.create({ ...NEW, props: { tenant: 'old' } });
    await cluster.advance(12 * SECOND);
    cluster.partition(0);
    await cluster.advance(20 * SECOND);
    await jobs.remove(NAME);
    await cluster.advance(5 * SECOND);
    await jobs.create({ ...NEW, props: { tenant: 'new' } });
    await cluster.advance(5 * SECOND);
    await cluster.heal(0);
    seen.clear();
    await cluster.advance(30 * SECOND);

    expect(new Set(cluster.assignment(NAME).values())).toEqual(new Set([0, 1]));
    expect(new Set(seen.values())).toEqual(new Set(['new']));
  });

  it('of one server takes its instances out, and leaves the job', async () => {
    await start(2);
    await jobs.create(NEW);
    await cluster.advance(5 * SECOND);
    await jobs.remove(NAME, { serverIp: '10.0.0.1' });
    await cluster.advance(5 * SECOND);

    expect(new Set(cluster.assignment(NAME).values())).toEqual(new Set([1]));
  });
});

it('leaves no node and no timer when a hundred jobs are created and removed side by side', async () => {
  await start(3);
  await cluster.advance(MINUTE);
  const before = await nodes();
  const { pendingTimers } = cluster.clock;
  const names = Array.from({ length: 100 }, (_, index) => `tenant-${index}`);
  await Promise.all(names.map((name) => jobs.create({ ...NEW, name, cron: '0 0 * * * ?', shardingTotalCount: 3 })));
  await cluster.advance(30 * SECOND);
  expect(names.filter((name) => cluster.assignment(name).size === 3)).toHaveLength(100);
  await Promise.all(names.map((name) => jobs.remove(name)));
  // A timer that is forgotten may fire in a minute, and is not set again.
  await cluster.advance(30 * SECOND);

  expect(await nodes()).toEqual(before);
  expect(cluster.clock.pendingTimers).toBe(pendingTimers);
  for (const { runtime } of cluster.instances) {
    expect(runtime.registrar.jobs.map(({ jobName }) => jobName)).toEqual(['fixed']);
  }
});

async function start(instances: number, functions: Partial<TestFunctions> = {}): Promise<void> {
  const templates = [{ name: 'report', handler }];
  const fixed = { name: 'fixed', cron: '0 0 * * * ?', shardingTotalCount: 1, handler };
  cluster = await createTestCluster({ instances, jobs: [fixed], templates, ...functions });
  operator = await operatorOf(cluster);
  jobs = new JobOperateApi(operator, cluster.clock);
}

async function nodes(): Promise<readonly string[]> {
  const names = await operator.children('/');
  const all = await Promise.all(names.map((name) => allNodes(operator, `/${name}`)));
  return all
    .flat()
    .map(({ path }) => path)
    .toSorted();
}

function configuration(): JobConfiguration {
  return cluster.instances[0]!.runtime.registrar.of(NAME).configuration;
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((end) => (resolve = end));
  return { promise, resolve };
}
