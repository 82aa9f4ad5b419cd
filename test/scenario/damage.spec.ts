import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
let runs: number[];
let hold: () => unknown;
beforeEach(() => (hold = () => {}));
afterEach(() => cluster.stop());

describe('damage by hand heals or is reported within a minute', () => {
  it('deleted items are there again within a minute, and run', async () => {
    await startCluster();
    await removeAll(`/${JOB}/sharding`);

    await cluster.advance(MINUTE);
    expect([...cluster.assignment(JOB).keys()]).toEqual([0, 1, 2, 3]);
    await expectRuns();
  });

  it('one deleted item is there again within a minute', async () => {
    await startCluster();
    await removeAll(`/${JOB}/sharding/2`);

    await cluster.advance(MINUTE);
    expect(cluster.assignment(JOB).get(2)).not.toBe(-1);
    await expectRuns();
  });

  it('deleted servers are there again within a minute, and items run', async () => {
    await startCluster();
    await removeAll(`/${JOB}/servers`);

    await cluster.advance(MINUTE);
    expect((await operator.children(`/${JOB}/servers`)).toSorted()).toEqual(['10.0.0.1', '10.0.0.2']);
    await expectRuns();
  });

  it('removes and reports a mark of resharding that no session holds', async () => {
    await startCluster();
    await operator.create(`/${JOB}/leader/sharding/processing`, '', 'PERSISTENT');

    await cluster.advance(MINUTE);
    expect(await operator.exists(`/${JOB}/leader/sharding/processing`)).toBeUndefined();
    const warnings = cluster.instances.flatMap(({ events }) => events).filter(({ kind }) => kind === 'warning');
    expect(warnings).toMatchObject([
      { message: expect.stringContaining(`removed "/${JOB}/leader/sharding/processing"`) },
    ]);
    await expectRuns();
  });

  it('gives no item to names that are no instances, and does not take the job for a mixed one', async () => {
    await startCluster();
    const owners = cluster.assignment(JOB);
    for (const name of ['junk', '@-@', '10.0.0.9', '10.0.0.9@-@']) {
      await operator.create(`/${JOB}/instances/${name}`, 'labels: x', 'PERSISTENT');
    }

    await cluster.advance(MINUTE);
    expect(cluster.assignment(JOB)).toEqual(owners);
    expect(kinds()).not.toContain('mixed');
    await expectRuns();
  });

  it.each(['', 'jobInstanceId: 10.0.0.1@-@77\nlabels: nestjs-elastic-job/1 v=1.43.1\nserverIp: 10.0.0.1\n'])(
    'gives no item to a persistent node below instances, and a job with a time zone runs on: %j',
    async (text) => {
      await startCluster({ timeZone: 'Europe/Berlin' });
      const owners = cluster.assignment(JOB);
      await operator.create(`/${JOB}/instances/10.0.0.1@-@77`, text, 'PERSISTENT');

      await cluster.advance(MINUTE);
      expect(cluster.assignment(JOB)).toEqual(owners);
      expect(kinds()).not.toContain('mixed');
      for (const { runtime } of cluster.instances) {
        expect(runtime.status().jobs).toMatchObject([{ problem: undefined, mixedWith: [] }]);
      }
      await expectRuns();
    },
  );

  it('takes an item back from a persistent node below instances that was made its owner', async () => {
    await startCluster();
    const owners = cluster.assignment(JOB);
    await operator.create(`/${JOB}/instances/10.0.0.1@-@77`, '', 'PERSISTENT');
    await operator.set(`/${JOB}/sharding/2/instance`, '10.0.0.1@-@77');
    await operator.create(`/${JOB}/sharding/3/running`, '10.0.0.1@-@77', 'PERSISTENT');

    await cluster.advance(20_000);
    expect(cluster.assignment(JOB)).toEqual(owners);
    expect(await operator.exists(`/${JOB}/sharding/3/running`)).toBeUndefined();
    await expectRuns();
  });

  it.each(['another instance', 'nobody'])(
    'restores the planned owner within 20 s if %s is made the owner by hand',
    async (name) => {
      await startCluster();
      const owners = cluster.assignment(JOB);
      const [other] = cluster.instances[1 - owners.get(2)!]!.instanceIds;
      await operator.set(`/${JOB}/sharding/2/instance`, name === 'nobody' ? '10.0.0.9@-@77' : other!);

      await cluster.advance(20_000);
      expect(cluster.assignment(JOB)).toEqual(owners);
      await expectRuns();
    },
  );

  it.each(['running', 'failovering', 'failover'])(
    'removes a %s mark that was made by hand for no instance within 20 s',
    async (mark) => {
      await startCluster();
      await operator.create(`/${JOB}/sharding/2/${mark}`, '10.0.0.9@-@77', 'PERSISTENT');

      await cluster.advance(20_000);
      expect(await operator.exists(`/${JOB}/sharding/2/${mark}`)).toBeUndefined();
      await expectRuns();
    },
  );

  it('comparing owners with the plan costs no request', async () => {
    await startCluster();
    await cluster.advance(MINUTE);
    const requests = () => cluster.instances.map(({ center }) => center.traffic.foreground);
    const owner = await operator.read(`/${JOB}/sharding/2/instance`);
    const before = requests();
    await operator.set(`/${JOB}/sharding/2/instance`, owner!.data);

    await cluster.advance(MINUTE);
    expect(requests()).toEqual(before);
  });

  it.each([`/${JOB}/instances`, `/${JOB}`])(
    'names the node and the remedy on each instance if %s is deleted, and creates nothing',
    async (path) => {
      await startCluster();
      await removeAll(path);

      await cluster.advance(MINUTE);
      for (const instance of cluster.instances) {
        const errors = instance.events.flatMap((event) => (event.kind === 'error' ? [String(event.error)] : []));
        expect(errors).toContainEqual(
          expect.stringMatching(/the node "\/settle-orders\/instances\/.*" is gone\); restart the process/),
        );
      }
      expect(await operator.exists(`/${JOB}/instances`)).toBeUndefined();
    },
  );

  it.each([`/${JOB}/instances`, `/${JOB}`])(
    'restores %s and runs all items once each instance resumes the job',
    async (path) => {
      await startCluster();
      await removeAll(path);
      await cluster.advance(MINUTE);
      const problems = () => cluster.instances.map(({ runtime }) => runtime.status().jobs[0]!.problem);
      expect(problems()).toEqual([expect.stringContaining('JobRegistrar.resume'), expect.anything()]);

      for (const { runtime } of cluster.instances) {
        runtime.registrar.resume(JOB);
        runtime.registrar.resume(JOB);
      }
      await cluster.advance(MINUTE);
      expect(problems()).toEqual([undefined, undefined]);
      expect(await operator.children(`/${JOB}/instances`)).toHaveLength(2);
      expect(new Set(cluster.assignment(JOB).values())).toEqual(new Set([0, 1]));
      await expectRuns();
    },
  );

  it("rejoins when it resumes after an operator's removal, even while its handlers still run", async () => {
    hold = () => cluster.clock.sleep(3 * MINUTE);
    await startCluster();
    await cluster.advance(5 * MINUTE);
    const [id] = cluster.instances[0]!.instanceIds;
    await operator.delete(`/${JOB}/instances/${id}`);
    await cluster.advance(1_000);
    cluster.instances[0]!.runtime.registrar.resume(JOB);
    await cluster.advance(MINUTE);

    expect(await operator.children(`/${JOB}/instances`)).toHaveLength(2);
    await cluster.advance(10 * MINUTE);
    await expectRuns();
  });

  it('stops when its process stops while it resumes a removed job', async () => {
    await startCluster();
    await removeAll(`/${JOB}`);
    await cluster.advance(MINUTE);
    cluster.instances[0]!.runtime.registrar.resume(JOB);
    await cluster.leave(0);

    expect(cluster.instances[0]!.runtime.status().phase).toBe('stopped');
  });
});

async function expectRuns(): Promise<void> {
  runs = [];
  await cluster.advance(10 * MINUTE);
  expect([...new Set(runs)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
}

function kinds(): string[] {
  return cluster.instances.flatMap(({ events }) => events).map(({ kind }) => kind);
}

async function removeAll(path: string): Promise<void> {
  const nodes = await allNodes(operator, path);
  for (const node of nodes.toReversed()) if (await operator.exists(node.path)) await operator.delete(node.path);
}

async function startCluster(options: { readonly timeZone?: string } = {}): Promise<void> {
  runs = [];
  cluster = await createTestCluster({
    instances: 2,
    jobs: [
      {
        name: JOB,
        cron: '0 0/5 * * * ?',
        shardingTotalCount: 4,
        failover: true,
        ...options,
        handler: ({ shardingItem }) => {
          runs.push(shardingItem);
          return hold();
        },
      },
    ],
  });
  operator = await operatorOf(cluster);
}
