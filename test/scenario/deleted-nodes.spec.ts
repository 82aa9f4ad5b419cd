import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter, RegistryNode } from '../../libs/elastic-job/src/registry/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf } from './support/registry-walk.js';
import { ascending } from './support/run-checks.js';

const JOB = 'settle-orders';
const ROOT = `/${JOB}`;
/** A job that starts after it. */
const CHILD = 'report';
const MINUTE = 60_000;
const ITEMS = [0, 1, 2, 3];
/** Nodes whose end an operator may have meant: the instance leaves, and says so. */
const MEMBERS = [ROOT, `${ROOT}/instances`, `/${CHILD}`, `/${CHILD}/instances`];

let cluster: TestCluster;
let operator: RegistryCenter;
let handler: () => unknown = () => {};
beforeEach(async () => {
  handler = () => {};
  await startCluster();
});
afterEach(() => cluster.stop());

const laid = await laidNodes();
const leaves = laid.filter((path) => !laid.some((other) => other.startsWith(`${path}/`)));
const subtrees = laid.filter((path) => !leaves.includes(path));

describe('a job leads, fires, reshards and fails over a minute after a node of it was deleted by hand', () => {
  it.each(leaves.filter(isHealed))('%s alone', async (path) => {
    await operator.delete(nodeOf(path));

    await cluster.advance(healingMs(path));
    await expectWorks();
    expect(eventsOf('error')).toEqual([]);
  });

  it.each(subtrees.filter(isHealed))('%s with everything below', async (path) => {
    await removeAll(nodeOf(path));

    await cluster.advance(healingMs(path));
    await expectWorks();
    expect(eventsOf('error')).toEqual([]);
  });

  it.each([...MEMBERS, '/'])('%s with everything below, once each instance has resumed the job', async (path) => {
    await (path === '/' ? removeNamespace() : removeAll(path));
    await cluster.advance(MINUTE);
    const removals = eventsOf('error').length;
    expect(removals).toBe(path === '/' ? 4 : 2);
    for (const { runtime } of cluster.instances) for (const name of [JOB, CHILD]) runtime.registrar.resume(name);

    await cluster.advance(healingMs(path));
    await expectWorks();
    expect(eventsOf('error')).toHaveLength(removals);
  });
});

it('the last text of config comes back if config was edited and then deleted', async () => {
  const { data } = (await operator.read(`${ROOT}/config`))!;
  const edited = data.replace("jobParameter: ''", 'jobParameter: edited');
  await operator.set(`${ROOT}/config`, edited);
  await cluster.advance(MINUTE);

  await operator.delete(`${ROOT}/config`);
  await cluster.advance(MINUTE);

  expect((await operator.read(`${ROOT}/config`))!.data).toBe(edited);
  for (const { runtime } of cluster.instances) {
    expect(runtime.configurations.current(JOB).jobParameter).toBe('edited');
  }
});

it('nothing of a job comes back while somebody deletes it node by node for a second', async () => {
  const nodes = (await allNodes(operator, ROOT)).toReversed();
  for (const { path } of nodes) {
    if (await operator.exists(path)) await operator.delete(path).catch(() => {});
    await cluster.advance(900 / nodes.length);
  }
  await removeAll(ROOT);
  await cluster.advance(MINUTE);

  expect(await operator.exists(ROOT)).toBeUndefined();
});

/** A job looks for its place at its parents each `reconcileIntervalMinutes`, since these are other jobs' nodes. */
function healingMs(path: string): number {
  return path === ROOT || path.includes('/dependents') ? 11 * MINUTE : MINUTE;
}

function isHealed(path: string): boolean {
  return !MEMBERS.includes(path) && !path.includes('/instances/');
}

async function expectAllIsLaid(): Promise<void> {
  const paths = (await allJobNodes()).map((node) => shapeOf(node.path));
  expect(new Set(paths)).toEqual(new Set(laid));
}

/** The job does all that it is for: it leads, fires, reshards, and fails over. */
async function expectWorks(): Promise<void> {
  const leaders = cluster.instances.filter(({ runtime }) => runtime.leader.isLeader(JOB));
  expect(leaders).toHaveLength(1);
  await expectFires();
  await expectAllIsLaid();

  const third = await cluster.join();
  await cluster.advance(10_000);
  expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1, third]));
  await expectFires();

  handler = () => cluster.clock.sleep(20 * MINUTE);
  await cluster.advance(5 * MINUTE);
  const running = cluster.runs(JOB).filter(({ endedAt }) => endedAt === undefined);
  expect(running.map(({ item }) => item).toSorted(ascending)).toEqual(ITEMS);
  const former = cluster.instances.indexOf(leaders[0]!);
  const lost = running.filter(({ instance }) => instance === former).map(({ item }) => item);
  cluster.crash(former);
  const before = cluster.runs(JOB).length;
  await cluster.advance(4 * MINUTE);
  const failedOver = cluster.runs(JOB).slice(before);
  expect(failedOver.map(({ item, source }) => [item, source])).toEqual(
    expect.arrayContaining(lost.map((item) => [item, 'FAILOVER'])),
  );
  expect([...cluster.assignment(JOB).values()]).not.toContain(former);
}

function eventsOf(kind: JobEvent['kind']): readonly JobEvent[] {
  return cluster.instances.flatMap(({ events }) => events).filter((event) => event.kind === kind);
}

async function expectFires(): Promise<void> {
  const before = cluster.runs(JOB).length;
  await cluster.advance(5 * MINUTE);
  const runs = cluster.runs(JOB).slice(before);
  expect(runs.map(({ item }) => item).toSorted(ascending)).toEqual(ITEMS);
  expect(cluster.runs(CHILD).map(({ fireTime }) => fireTime)).toContain(runs[0]!.fireTime);
}

async function removeNamespace(): Promise<void> {
  for (const name of [JOB, CHILD]) await removeAll(`/${name}`);
  await operator.delete('/');
}

async function removeAll(path: string): Promise<void> {
  const nodes = await allNodes(operator, path);
  for (const node of nodes.toReversed()) if (await operator.exists(node.path)) await operator.delete(node.path);
}

async function startCluster(): Promise<void> {
  const jobs = [
    { name: JOB, cron: '0 0/5 * * * ?', shardingTotalCount: ITEMS.length, failover: true, handler: () => handler() },
    { name: CHILD, after: JOB, shardingTotalCount: 1, failover: true, handler: () => {} },
  ];
  cluster = await createTestCluster({ instances: 2, jobs });
  operator = await operatorOf(cluster);
  await cluster.advance(5 * MINUTE);
}

/** Every node of a job that has run, with the first instance's id as `{id}`. */
async function laidNodes(): Promise<readonly string[]> {
  await startCluster();
  const nodes = await allJobNodes();
  const paths = [...new Set(nodes.map(({ path }) => shapeOf(path)))];
  await cluster.stop();
  return paths;
}

async function allJobNodes(): Promise<readonly RegistryNode[]> {
  return [...(await allNodes(operator, ROOT)), ...(await allNodes(operator, `/${CHILD}`))];
}

function shapeOf(path: string): string {
  return path.replace(/[\d.]+@-@.*$/, '{id}');
}

function nodeOf(shape: string): string {
  const [id] = cluster.instances[0]!.instanceIds;
  return shape.replace('{id}', id!);
}
