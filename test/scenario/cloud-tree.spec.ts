import { Module } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ElasticJobModule, REGISTRY_CENTER } from '../../libs/elastic-job/src/index.js';
import {
  CloudConfigurations,
  type CloudJobOptions,
  ElasticJobCloudModule,
  type TaskAllow,
} from '../../libs/elastic-job/src/nest/cloud/index.js';
import { JobConfigurationApi, JobOperateApi, JobStatisticsApi } from '../../libs/elastic-job/src/operations/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { MemoryTaskCluster, TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const SECOND = 1_000;
const APP = { appName: 'shop', appURL: 'registry.example.org/shop:1', bootstrapScript: 'bin/start.sh' };
const JOB: CloudJobOptions = {
  appName: 'shop',
  cpuCount: 0.5,
  memoryMB: 64,
  jobExecutionType: 'TRANSIENT',
  jobName: 'settle',
  cron: '0/10 * * * * ?',
  shardingTotalCount: 3,
};
const ALLOW: TaskAllow = { images: ['registry.example.org/shop'], commands: ['bin/start.sh'] };

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
let tree: CloudConfigurations;
let registry: RegistryCenter;
/** Duration of a task, in milliseconds. */
let workMs: number;
/** Of each request and each reply, in milliseconds. */
let latencyMs: number;
let allowOf: (index: number) => TaskAllow | undefined;

beforeEach(async () => {
  workMs = SECOND;
  latencyMs = 0;
  allowOf = () => ALLOW;
  await begin();
});

async function begin(): Promise<void> {
  cluster = new TestCluster({ instances: 3, module: moduleFor, latencyMs });
  tasks = new MemoryTaskCluster({ clock: cluster.clock });
  tasks.script('settle', ({ clock, signal }) => clock.sleep(workMs, signal));
  registry = cluster.registry.center({
    namespace: 'elasticjob-cloud',
    sessionTimeoutMs: 10 * SECOND,
    requestTimeoutMs: 10 * SECOND,
    clock: cluster.clock,
  });
  await cluster.clock.advanceUntil(registry.connect());
  tree = new CloudConfigurations(registry, cluster.clock);
}

afterEach(end);

async function end(): Promise<void> {
  await cluster.clock.advanceUntil(registry.close());
  await cluster.stop();
}

function moduleFor(index: number) {
  @Module({
    imports: [
      ElasticJobModule.forRoot({
        registry: { type: 'memory', server: cluster.registry },
        drainTimeoutMs: 5 * SECOND,
        tracing: [{ type: 'log', level: 'off' }],
      }),
      ElasticJobCloudModule.forRoot({
        backend: tasks.backend(`scheduler-${index}`),
        tree: {},
        allow: allowOf(index),
      }),
    ],
  })
  class Scheduler {}
  return Scheduler;
}

async function start(count = 3): Promise<void> {
  for (let index = 0; index < count; index++) await cluster.join();
  await cluster.advance(SECOND);
}

function done<T>(promise: Promise<T>): Promise<T> {
  return cluster.clock.advanceUntil(promise);
}

async function register(options: Partial<CloudJobOptions> = {}): Promise<void> {
  await done(tree.apps.add(APP));
  await done(tree.jobs.add({ ...JOB, ...options }));
}

/** Number of launches of each item of the job. */
function launched(jobName = 'settle'): ReadonlyMap<number, number> {
  const items = tasks.launches.filter(({ key }) => key.jobName === jobName).map(({ key }) => key.item);
  return new Map(
    [...new Set(items)].toSorted((a, b) => a - b).map((item) => [item, items.filter((one) => one === item).length]),
  );
}

function joined(jobName = 'settle'): readonly number[] {
  return [0, 1, 2].filter((index) => {
    const events = cluster.events(index).filter((event) => 'jobName' in event && event.jobName === jobName);
    const isIn = events.findLast(({ kind }) => kind === 'joined' || kind === 'left');
    return isIn?.kind === 'joined';
  });
}

function outcomes(jobName = 'settle'): readonly string[] {
  return [0, 1, 2].flatMap((index) =>
    (cluster.instances[index]?.events ?? []).flatMap((event) =>
      event.kind === 'settled' && event.trigger.jobName === jobName ? [event.outcome.kind] : [],
    ),
  );
}

function errorsOf(index: number): readonly string[] {
  return cluster
    .events(index)
    .flatMap((event) => (event.kind === 'error' && event.error instanceof Error ? [event.error.message] : []));
}

/** A service of any living scheduler. */
function from<T extends object>(index: number, token: abstract new (...parts: never[]) => T): T {
  return cluster.app(index).get(token, { strict: false });
}

async function names(index = 0): Promise<readonly string[]> {
  return (await done(from(index, JobStatisticsApi).getAllJobsBriefInfo())).map(({ jobName }) => jobName);
}

describe('a job that is registered in the tree', () => {
  it('runs its items as tasks, shared by all schedulers', async () => {
    await start();
    await register();
    await cluster.advance(15 * SECOND);

    expect(new Set(cluster.assignment('settle').values())).toEqual(new Set([0, 1, 2]));
    expect(launched()).toEqual(
      new Map([
        [0, 1],
        [1, 1],
        [2, 1],
      ]),
    );
    tasks.assertSound();
  });

  it('is joined by schedulers that start later, and is still there after all of them have restarted', async () => {
    await start(1);
    await register();
    await cluster.advance(2 * SECOND);
    await cluster.leave(0);
    await cluster.join();
    await cluster.join();
    await cluster.advance(15 * SECOND);

    expect(joined()).toEqual([1, 2]);
    expect([...launched().keys()]).toEqual([0, 1, 2]);
  });

  it('follows a changed registration, and cancels what runs by the old settings', async () => {
    workMs = 60 * SECOND;
    await start();
    await register();
    await cluster.advance(12 * SECOND);
    expect([...launched().keys()]).toEqual([0, 1, 2]);

    workMs = SECOND;
    await done(tree.jobs.update({ ...JOB, shardingTotalCount: 5 }));
    await cluster.advance(SECOND);
    expect(outcomes()).toEqual(['aborted', 'aborted', 'aborted']);

    await cluster.advance(12 * SECOND);
    expect([...launched().keys()]).toEqual([0, 1, 2, 3, 4]);
    tasks.assertSound();
  });

  it('is removed everywhere, with what runs, and its name is free for another job', async () => {
    workMs = 60 * SECOND;
    await start();
    await register();
    await cluster.advance(12 * SECOND);

    await done(tree.jobs.remove('settle'));
    await cluster.advance(10 * SECOND);

    expect(outcomes()).toEqual(['aborted', 'aborted', 'aborted']);
    expect(joined()).toEqual([]);
    expect(await names()).toEqual([]);

    workMs = SECOND;
    await done(tree.jobs.add({ ...JOB, shardingTotalCount: 1 }));
    await cluster.advance(12 * SECOND);
    expect(joined()).toEqual([0, 1, 2]);
    expect(launched().get(0)).toBe(2);
  });

  it.each([-100, -50, 0, 50, 100, 150])(
    'fails no run if it is removed %d ms after its items are due',
    async (afterMs) => {
      await end();
      latencyMs = 50;
      workMs = 60 * SECOND;
      await begin();
      await start();
      await register();
      const now = cluster.clock.wallNow();
      await cluster.advance(Math.ceil((now + SECOND) / 10_000) * 10_000 - now + afterMs);
      await done(tree.jobs.remove('settle'));
      await cluster.advance(10 * SECOND);

      expect(joined()).toEqual([]);
      expect(outcomes().filter((kind) => kind !== 'aborted')).toEqual([]);
      expect([0, 1, 2].flatMap(errorsOf)).toEqual([]);
    },
  );

  it('goes even if it was removed while no scheduler was there', async () => {
    await start(1);
    await register();
    await cluster.advance(2 * SECOND);
    await cluster.leave(0);
    await done(tree.jobs.remove('settle'));
    await cluster.join();
    await cluster.advance(5 * SECOND);

    expect(await names(1)).toEqual([]);
  });
});

describe('a job that is disabled', () => {
  it.each([
    ['job', () => tree.jobs.disable('settle'), () => tree.jobs.enable('settle')],
    ['application', () => tree.apps.disable('shop'), () => tree.apps.enable('shop')],
  ])('does not run while its %s is disabled; what runs is cancelled', async (_, disable, enable) => {
    workMs = 60 * SECOND;
    await start();
    await register({ misfire: true });
    await cluster.advance(12 * SECOND);

    await done(disable());
    await cluster.advance(40 * SECOND);
    expect(outcomes()).toEqual(['aborted', 'aborted', 'aborted']);
    expect(joined()).toEqual([]);
    expect(tasks.launches).toHaveLength(3);
    expect(await names()).toEqual(['settle']);

    workMs = SECOND;
    const enabledAt = cluster.clock.wallNow();
    await done(enable());
    await cluster.advance(12 * SECOND);
    expect(joined()).toEqual([0, 1, 2]);
    const later = tasks.launches.slice(3).map(({ target }) => target.fireTime);
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect(later.filter((fireTime) => fireTime < enabledAt)).toEqual([]);
    tasks.assertSound();
  });
});

describe('a job that cannot run', () => {
  it('is reported with its faults, and does not stop the others', async () => {
    await start();
    await register();
    await done(registry.create('/config/job/broken', 'jobName: broken\nappName: shop\ncpuCount: many\n', 'PERSISTENT'));
    await cluster.advance(12 * SECOND);

    expect([...launched().keys()]).toEqual([0, 1, 2]);
    expect(await names()).toEqual(['settle']);
    expect(errorsOf(1)).toEqual([expect.stringContaining('cpuCount must be a number, but is "many"')]);
  });

  it('runs once its text is right, and stops again while it is wrong', async () => {
    await start();
    await done(tree.apps.add(APP));
    await done(registry.ensurePath('/config/job'));
    await done(registry.create('/config/job/settle', 'jobName: settle\n', 'PERSISTENT'));
    await cluster.advance(12 * SECOND);
    expect(joined()).toEqual([]);

    await done(tree.jobs.update(JOB));
    await cluster.advance(12 * SECOND);
    expect(joined()).toEqual([0, 1, 2]);

    await done(registry.set('/config/job/settle', 'jobName: settle\n'));
    await cluster.advance(10 * SECOND);
    expect(joined()).toEqual([]);
  });

  it('does not run where its image or command is not allowed; the event names the setting to add', async () => {
    allowOf = (index) => [ALLOW, undefined, { images: ['registry.example.org/sho'], commands: [] }][index];
    await start();
    await register();
    await cluster.advance(12 * SECOND);

    expect(joined()).toEqual([0]);
    expect([...launched().keys()]).toEqual([0, 1, 2]);
    for (const index of [1, 2]) {
      expect(errorsOf(index)).toEqual([
        expect.stringMatching(
          /appURL "registry.example.org\/shop:1" is not allowed .* allow.images .*"bin\/start.sh" .* allow.commands/s,
        ),
      ]);
    }
  });

  it('stops where the backend launches tasks more slowly than it fires; the event says what to do', async () => {
    tasks = new MemoryTaskCluster({ clock: cluster.clock, leastIntervalMs: 30 * SECOND });
    await start();
    await register();
    await cluster.advance(12 * SECOND);

    expect(joined()).toEqual([]);
    expect(errorsOf(0)).toEqual([
      expect.stringMatching(/launches none more often than every 30000 ms; register the job as a DAEMON/),
    ]);
  });

  it('does not replace a job of the code that has its name, and is reported', async () => {
    await start(1);
    const lite: RegistryCenter = cluster.app(0).get(REGISTRY_CENTER, { strict: false });
    await done(lite.create('/settle', 'ofTheCode', 'PERSISTENT'));
    await register();
    await cluster.advance(5 * SECOND);

    expect(errorsOf(0)).toEqual([expect.stringContaining('has a job of that name already ("ofTheCode")')]);
    expect(tasks.launches).toEqual([]);
  });
});

describe('an edit of the Lite job', () => {
  it('leaves disabled to Lite: a switch of the whole job stays, and the registered job is as it was', async () => {
    await start();
    await register();
    await cluster.advance(2 * SECOND);
    const jobs = cluster.app(0).get(JobOperateApi);
    const settings = cluster.app(0).get(JobConfigurationApi);

    expect(await cluster.clock.advanceUntil(jobs.disable('settle'))).toMatchObject({ newServers: 'switched' });
    await done(tree.jobs.update({ ...JOB, jobParameter: 'p' }));
    await cluster.advance(30 * SECOND);

    expect(await cluster.clock.advanceUntil(settings.getJobConfiguration('settle'))).toMatchObject({
      disabled: true,
      jobParameter: 'p',
    });
    expect(tasks.launches).toEqual([]);
    await cluster.clock.advanceUntil(jobs.enable('settle'));
    await cluster.advance(12 * SECOND);
    expect([...launched().keys()]).toEqual([0, 1, 2]);
  });

  it('is written to the registration, which all schedulers follow', async () => {
    await start();
    await register({ props: { tenant: 'acme', 'elastic-job.io/timeZone': 'Europe/Berlin' } });
    await cluster.advance(2 * SECOND);

    await done(
      from(0, JobConfigurationApi).updateJobConfiguration('settle', { cron: '0/20 * * * * ?', failover: true }),
    );
    await cluster.advance(5 * SECOND);

    expect((await done(tree.jobs.read('settle')))?.configuration).toMatchObject({
      cron: '0/20 * * * * ?',
      failover: true,
      shardingTotalCount: 3,
      props: { tenant: 'acme', 'elastic-job.io/timeZone': 'Europe/Berlin' },
    });
    const stored = await done(from(2, JobConfigurationApi).getJobConfiguration('settle'));
    expect(stored).toMatchObject({ cron: '0/20 * * * * ?', failover: true, timeZone: 'Europe/Berlin' });
  });

  it('stays in the Lite job if ElasticJob-Cloud has no such setting, even after the registration changes', async () => {
    await start();
    await register();
    await cluster.advance(2 * SECOND);

    await done(from(0, JobConfigurationApi).updateJobConfiguration('settle', { timeoutMs: 5_000 }));
    await done(tree.jobs.update({ ...JOB, jobParameter: 'weekly' }));
    await cluster.advance(5 * SECOND);

    const stored = await done(from(1, JobConfigurationApi).getJobConfiguration('settle'));
    expect(stored).toMatchObject({ timeoutMs: 5_000, jobParameter: 'weekly' });
  });

  it('is reverted if it cannot be registered, and reported', async () => {
    await start();
    await register();
    await cluster.advance(2 * SECOND);

    await done(from(0, JobConfigurationApi).updateJobConfiguration('settle', { cron: '' }));
    await cluster.advance(5 * SECOND);

    const stored = await done(from(1, JobConfigurationApi).getJobConfiguration('settle'));
    expect(stored?.cron).toBe('0/10 * * * * ?');
    const told = [0, 1, 2].flatMap(errorsOf);
    expect(told).toContainEqual(expect.stringContaining('cron must be given for a job of type "TRANSIENT"'));
  });
});

describe('a namespace that ElasticJob-Cloud has left', () => {
  const NEVER = '0 0 0 1 1 ? 2099';

  it('is taken over: owed runs and items are run, daemons are forgotten, and each is reported', async () => {
    await register({ cron: NEVER, failover: true, misfire: true });
    await leave({ '/state/ready/settle': '2', '/state/failover/settle/settle@-@1': 'x', '/state/ready/gone': '1' });
    await start();
    await cluster.advance(60 * SECOND);

    expect(launched()).toEqual(
      new Map([
        [0, 2],
        [1, 3],
        [2, 2],
      ]),
    );
    const told = [0, 1, 2].flatMap((index) =>
      cluster.events(index).flatMap((event) => (event.kind === 'warning' ? [event.message] : [])),
    );
    expect(told.toSorted()).toEqual([
      'a ready counter of ElasticJob-Cloud was taken over: 2 runs are owed',
      'failover entries of ElasticJob-Cloud were taken over: items 1 are run once more',
      'ready entries of ElasticJob-Cloud were dropped (unknown-job): 1',
    ]);
    expect(await done(registry.children('/state/takeover'))).toEqual([]);
    tasks.assertSound();
  });

  it('is left alone while one of its schedulers lives, which is reported once', async () => {
    await register();
    await done(registry.ensurePath('/ha/election'));
    const java = await done(registry.create('/ha/election/_c_1-lock-', '10.0.0.1', 'PERSISTENT_SEQUENTIAL'));
    await start();
    await cluster.advance(60 * SECOND);

    expect(tasks.launches).toEqual([]);
    expect(errorsOf(0)).toEqual([expect.stringContaining('10.0.0.1')]);

    await done(registry.delete(java));
    await cluster.advance(60 * SECOND);
    expect([...launched().keys()]).toEqual([0, 1, 2]);
  });
});

it('keeps its framework id, which names its tasks', async () => {
  await done(registry.ensurePath('/ha'));
  await done(registry.create('/ha/framework_id', 'd3a7c9e0-framework-0001', 'PERSISTENT'));
  await start();
  await register();
  await cluster.advance(12 * SECOND);

  expect(new Set(tasks.launches.map(({ key }) => key.cluster))).toEqual(new Set(['d3a7c9e0-framework-0001']));
});

/** Nodes as schedulers of ElasticJob-Cloud leave them. */
async function leave(nodes: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, data] of Object.entries(nodes)) {
    await done(registry.ensurePath(path.slice(0, path.lastIndexOf('/'))));
    await done(registry.create(path, data, 'PERSISTENT'));
  }
}
