import { afterEach, describe, expect, it } from 'vitest';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { JobConfigurationApi, JobOperateApi } from '../../libs/elastic-job/src/operations/index.js';
import { creation, type RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  type TestCluster,
  type TestTemplateOptions,
} from '../../libs/elastic-job/src/testing/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { operatorOf } from './support/registry-walk.js';
import { range } from './support/run-checks.js';

const SECOND = 1_000;
const BROKEN = new Error('broken');
const NEW = { template: 'report', cron: '0/5 * * * * ?', shardingTotalCount: 2 };

let cluster: TestCluster;
let operator: RegistryCenter;
let jobs: JobOperateApi;
let events: JobEvent[];
afterEach(async () => {
  await operator.close();
  await cluster.stop();
});

describe('JobOperateApi.create', () => {
  it('refuses a job beyond a limit of its template, and writes nothing', async () => {
    await start(1, { maxJobs: 2, maxItems: 3, minIntervalMs: 5 * SECOND });
    const create = (name: string, settings: object = {}) => jobs.create({ ...NEW, name, ...settings });

    await expect(create('a', { shardingTotalCount: 4 })).rejects.toMatchObject({ limit: 'maxItems', value: 4 });
    await expect(create('a', { cron: '* * * * * ?' })).rejects.toMatchObject({ limit: 'minIntervalMs', value: SECOND });
    await create('a');
    await create('b');
    await expect(create('c')).rejects.toThrow(
      'The namespace has 2 jobs of template "report", whose maxJobs is 2; ' +
        'remove some, or raise maxJobs in @ElasticJobTemplate.',
    );

    expect(await operator.children('/')).toEqual(['a', 'b']);
  });

  it('counts neither jobs of other templates, nor those that are being removed', async () => {
    await start(1, { maxJobs: 1 });
    await operator.create('/other', 'nestjs.template:other', 'PERSISTENT');
    await operator.create('/gone', 'nestjs.removed:report', 'PERSISTENT');

    await jobs.create({ ...NEW, name: 'a' });

    expect(await operator.exists('/a')).toBeDefined();
  });

  it("refuses props by the template's rule, which also sees the props of the template", async () => {
    const findPropsFaults = ({ tenant, format }: Readonly<Record<string, string>>) =>
      tenant && format ? [] : [`tenant must be given, but is ${tenant}`];
    await start(1, { props: { format: 'pdf' }, findPropsFaults });

    await expect(jobs.create({ ...NEW, name: 'a' })).rejects.toThrow('tenant must be given, but is undefined');
    await jobs.create({ ...NEW, name: 'a', props: { tenant: 'acme' } });

    expect(await operator.children('/')).toEqual(['a']);
  });
});

describe('a job that comes into the registry without create', () => {
  it('rests beyond maxJobs, on every instance alike, and is joined as an older one goes', async () => {
    await start(3, { maxJobs: 2 });
    for (const name of ['d', 'c', 'b', 'a']) await write(name);
    await cluster.advance(10 * SECOND);

    expect(joined()).toEqual(onEach(['c', 'd']));
    for (const { runtime } of cluster.instances) {
      expect(runtime.status().resting).toMatchObject([{ template: 'report', count: 2, jobNames: ['b', 'a'] }]);
      const { status, details } = judgeReadiness(runtime.status());
      expect(status).toBe('degraded');
      expect(details.reasons).toEqual([
        expect.stringContaining('jobs rest until others are removed: b, a. The namespace'),
      ]);
    }
    expect(errors()).toEqual(Array(3).fill(expect.objectContaining({ code: 'TEMPLATE_LIMIT', limit: 'maxJobs' })));
    await jobs.remove('d');
    await cluster.advance(10 * SECOND);
    expect(joined()).toEqual(onEach(['b', 'c']));
    await jobs.remove('a');
    await cluster.advance(10 * SECOND);
    expect(judgeReadiness(cluster.instances[0]!.runtime.status()).status).toBe('up');
  });

  it('stays the same choice for an instance that comes later, and for one that was away', async () => {
    await start(2, { maxJobs: 2 });
    for (const name of ['d', 'c', 'b', 'a']) await write(name);
    await cluster.advance(5 * SECOND);
    cluster.partition(0);
    await cluster.advance(30 * SECOND);
    await cluster.heal(0);
    await cluster.join();
    await cluster.advance(30 * SECOND);

    expect(joined()).toEqual(onEach(['c', 'd']));
  });

  it.each<[string, Partial<TestTemplateOptions>, Partial<typeof NEW>, object]>([
    ['too many items', { maxItems: 10 }, { shardingTotalCount: 500 }, { limit: 'maxItems', value: 500 }],
    ['too short an interval', { minIntervalMs: 5_000 }, { cron: '* * * * * ?' }, { limit: 'minIntervalMs' }],
    ['props that the rule refuses', { findPropsFaults: () => ['no props'] }, {}, { code: 'CONFIGURATION_NODE' }],
    ['a rule that throws', { findPropsFaults: () => fail() }, {}, { code: 'CONFIGURATION_NODE', cause: BROKEN }],
  ])('rests with %s: the error is named, and other jobs run on', async (_, limits, settings, error) => {
    await start(2, {}, limits);
    await write('good');
    await write('bad', { ...settings, template: 'strict' });
    await cluster.advance(10 * SECOND);

    expect(cluster.runs('bad')).toEqual([]);
    expect(cluster.runs('good').length).toBeGreaterThan(0);
    expect(await operator.exists('/bad/sharding/0')).toBeUndefined();
    expect(errors()).toEqual([expect.objectContaining(error), expect.objectContaining(error)]);
    const status = cluster.instances[0]!.runtime.status();
    expect(status.jobs.find(({ jobName }) => jobName === 'bad')).toMatchObject({ isJoined: false, isResting: true });
    expect(judgeReadiness(status)).toMatchObject({ status: 'degraded' });
    expect(judgeReadiness(status).details.reasons).toEqual([expect.stringContaining('job "bad" rests: ')]);
  });

  it('runs once its settings are within the limits', async () => {
    await start(1, { maxItems: 10 });
    await write('bad', { shardingTotalCount: 500 });
    await cluster.advance(10 * SECOND);

    await new JobConfigurationApi(operator).updateJobConfiguration('bad', { shardingTotalCount: 3 });
    await cluster.advance(10 * SECOND);

    expect(new Set(cluster.runs('bad').map(({ item }) => item))).toEqual(new Set(range(3)));
  });
});

describe('a created job whose text is longer than its template allows', () => {
  const props = { text: 'x'.repeat(20_000) };

  it('is refused, and so is an edit, before the text is written', async () => {
    await start(1, {});
    const { runtime } = cluster.instances[0]!;
    const settings = new JobConfigurationApi(operator, [], (...edit) => runtime.assertEditable(...edit));
    const refused = expect.objectContaining({ code: 'TEMPLATE_LIMIT', limit: 'maxConfigBytes', allowed: 16_384 });

    await expect(jobs.create({ ...NEW, name: 'a', props })).rejects.toEqual(refused);
    await jobs.create({ ...NEW, name: 'a' });
    await expect(settings.updateJobConfiguration('a', { props })).rejects.toEqual(refused);
  });

  it('rests, and the text is neither parsed nor held', async () => {
    await start(1, {});
    await write('bad');
    await operator.set('/bad/config', `{ no YAML ${'x'.repeat(200_000)}`);
    await cluster.advance(10 * SECOND);

    expect(cluster.runs('bad')).toEqual([]);
    expect(errors()).toContainEqual(expect.objectContaining({ limit: 'maxConfigBytes', value: 16_385 }));
    expect(errors()).not.toContainEqual(expect.objectContaining({ code: 'CONFIGURATION_NODE' }));
  });

  it('is not laid again cut, where its config was deleted', async () => {
    await start(1, {});
    await jobs.create({ ...NEW, name: 'a' });
    await cluster.advance(10 * SECOND);
    const { data } = (await operator.read('/a/config'))!;

    await operator.transaction([
      { kind: 'set', path: '/a/usable', data: `${data}\n# ${'x'.repeat(20_000)}` },
      { kind: 'delete', path: '/a/config' },
    ]);
    await cluster.advance(10 * SECOND);

    expect(await operator.exists('/a/config')).toBeUndefined();
    expect(errors()).toContainEqual(expect.objectContaining({ limit: 'maxConfigBytes', value: 16_385 }));
  });

  it('runs if the template allows so much', async () => {
    await start(1, { maxConfigBytes: 30_000 });
    await jobs.create({ ...NEW, name: 'a', props });
    await cluster.advance(10 * SECOND);

    expect(cluster.runs('a').length).toBeGreaterThan(0);
  });
});

it('keeps the last usable settings of a created job after an edit beyond a limit', async () => {
  await start(2, { maxItems: 10 });
  await jobs.create({ ...NEW, name: 'a' });
  await cluster.advance(10 * SECOND);

  await new JobConfigurationApi(operator).updateJobConfiguration('a', { shardingTotalCount: 500 });
  await cluster.advance(10 * SECOND);

  expect(cluster.assignment('a').size).toBe(2);
  expect(errors()[0]).toMatchObject({ limit: 'maxItems', value: 500 });
  expect(judgeReadiness(cluster.instances[0]!.runtime.status()).details.reasons[0]).toContain(
    'its last usable configuration stays in force: shardingTotalCount is 500, but maxItems of template "report" is 10',
  );
});

async function start(
  instances: number,
  template: Partial<TestTemplateOptions>,
  strict: Partial<TestTemplateOptions> = {},
): Promise<void> {
  const handler = () => {};
  const templates = [
    { name: 'report', ...template, handler },
    { name: 'strict', ...strict, handler },
  ];
  cluster = await createTestCluster({ instances, jobs: [], templates });
  operator = await operatorOf(cluster);
  await operator.ensurePath('/');
  events = [];
  for (const { runtime } of cluster.instances) runtime.events.on((event) => void events.push(event));
  const { runtime } = cluster.instances[0]!;
  jobs = new JobOperateApi(operator, cluster.clock, [], 'quartz', (name) => runtime.templates.find(name));
}

/** Creates a job as every writer of the registry can. */
async function write(name: string, settings: Partial<typeof NEW> = {}): Promise<void> {
  const { template, cron, shardingTotalCount } = { ...NEW, ...settings };
  const config = [
    `jobName: ${name}`,
    `cron: '${cron}'`,
    `shardingTotalCount: ${shardingTotalCount}`,
    'props:',
    `  nestjs.template: ${template}`,
    '',
  ].join('\n');
  await operator.transaction([
    creation(`/${name}`, `nestjs.template:${template}`),
    creation(`/${name}/config`, config),
  ]);
}

const onEach = (names: readonly string[]) => cluster.instances.map(() => names);

/** Jobs that each instance has joined. */
function joined(): readonly (readonly string[])[] {
  return cluster.instances.map(({ runtime }) =>
    runtime
      .status()
      .jobs.filter(({ isJoined }) => isJoined)
      .map(({ jobName }) => jobName)
      .toSorted(),
  );
}

function errors(): readonly unknown[] {
  return events.flatMap((event) => (event.kind === 'error' ? [event.error] : []));
}

function fail(): never {
  throw BROKEN;
}
