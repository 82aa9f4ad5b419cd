import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { idOf } from './support/operators.js';
import { operatorOf } from './support/registry-walk.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const RECORD = `/${JOB}/sharding/0/record`;
const RUNNING = `/${JOB}/sharding/0/running`;
const DEAD = '10.9.9.9@-@1-ff';
const SETTLED = { at: 1, outcome: 'succeeded' };

let cluster: TestCluster;
let operator: RegistryCenter;
/** The fire time that this version has run last. */
let last: number;
beforeEach(async () => {
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, failover: true, handler: () => {} };
  cluster = await createTestCluster({ instances: 2, jobs: [job] });
  operator = await operatorOf(cluster);
  await cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + 5_000);
  last = cluster.runs(JOB).at(-1)!.fireTime;
});
afterEach(() => cluster.stop());

describe('an item whose last record a later version has written', () => {
  it('given a run that has ended, when the next fire time comes, then it is begun and unknown fields are carried', async () => {
    await write({ ...later(last), settled: SETTLED });

    await cluster.advance(2 * MINUTE);

    expect(runsSince()).toEqual(['1 NORMAL_TRIGGER', '2 NORMAL_TRIGGER']);
    expect(await record()).toMatchObject({ v: 1, target: { fireTime: last + 2 * MINUTE }, laterField: { deep: [1] } });
    expect(await record()).not.toHaveProperty('trace');
  });

  it('given a run for a fire time, when this version comes to that fire time, then it is not begun again', async () => {
    await write({ ...later(last + MINUTE), settled: SETTLED });

    await cluster.advance(2 * MINUTE);

    expect(runsSince()).toEqual(['2 NORMAL_TRIGGER']);
  });

  it('given fire times that the later version did not begin, when the item is looked at, then they are caught up on', async () => {
    await write({ ...later(last - 2 * MINUTE), settled: SETTLED });

    cluster.crash(0);
    await cluster.join();
    await cluster.advance(30_000);

    expect(runsSince()).toEqual(['0 MISFIRE']);
  });

  it("given an operator's run after a fire time, when an instance is late with that fire time, then it is not begun again", async () => {
    const target = { fireTime: last + 1_000, origin: 'manual:7' };
    await write({ ...later(last), target, lastScheduled: last + MINUTE, settled: SETTLED });

    await cluster.advance(MINUTE);

    expect(runsSince()).toEqual([]);
  });

  it('given a run whose holder is gone, when the leader sweeps, then its target runs once more, and once only', async () => {
    await operator.create(RUNNING, DEAD, 'PERSISTENT');
    await write(later(last + 1_000));
    cluster.crash(0);
    await cluster.join();

    await cluster.advance(2 * MINUTE);

    const runs = cluster.runs(JOB).filter(({ fireTime }) => fireTime === last + 1_000);
    expect(runs).toMatchObject([{ source: 'FAILOVER' }]);
    expect(runsSince().slice(-1)).toEqual(['2 NORMAL_TRIGGER']);
    expect(await record()).toMatchObject({ laterField: { deep: [1] } });
  });

  /** As a later version might leave it: with a field more, one of another type, and one less. */
  function later(fireTime: number) {
    const target = { fireTime, origin: 'schedule' };
    return { v: 2, run: 'later', by: DEAD, target, trace: { of: 'another type' }, laterField: { deep: [1] } };
  }
});

describe('an item whose record cannot be read', () => {
  it.each(['hello', '5', '{"v":2}', '{"v":1,"run":"x","by":"a","target":null}'])(
    'given %s and no mark, when the next fire time comes, then the item is begun',
    async (text) => {
      await operator.set(RECORD, text);

      await cluster.advance(MINUTE);

      expect(runsSince()).toEqual(['1 NORMAL_TRIGGER']);
    },
  );

  it('given fire times up to its last write, when an instance is late with one, then it is not begun again', async () => {
    // Were both behind, they would outvote the registry, and by their time the fire time would be yet to come.
    const owner = (await operator.read(`/${JOB}/sharding/0/instance`))?.data;
    const late = cluster.instances.findIndex((_, index) => idOf(cluster, index) === owner);
    cluster.setWall(late, cluster.clock.wallNow() - 30_000);
    await cluster.advance(10_000);
    await operator.set(RECORD, 'hello');

    await cluster.advance(30_000);
    expect(runsSince()).toEqual([]);

    await cluster.advance(MINUTE);
    expect(runsSince()).toEqual(['1 NORMAL_TRIGGER']);
  });

  it('given the mark of a living instance, when fire times come, then the item is busy', async () => {
    await cluster.advance(50_000);
    await operator.set(RECORD, 'hello');
    // The instance removes a mark that it has not made, but not at once.
    await operator.create(RUNNING, idOf(cluster, 0), 'PERSISTENT');

    await cluster.advance(8_000);

    expect(runsSince()).toEqual([]);
  });

  it('given the mark of an instance that is gone, when the leader sweeps, then the item runs again, and once only', async () => {
    await operator.create(RUNNING, DEAD, 'PERSISTENT');
    await operator.set(RECORD, 'hello');
    cluster.crash(0);
    await cluster.join();

    await cluster.advance(20_000);

    expect(runsSince()).toEqual(['0 FAILOVER']);
    await cluster.advance(MINUTE);
    expect(runsSince()).toEqual(['0 FAILOVER', '1 NORMAL_TRIGGER']);
  });
});

async function write(fields: object): Promise<void> {
  await operator.set(RECORD, JSON.stringify(fields));
}

async function record(): Promise<unknown> {
  return JSON.parse((await operator.read(RECORD))!.data);
}

/** The runs since the record was written, each by the minutes since the last fire time before, with its source. */
function runsSince(): string[] {
  return cluster
    .runs(JOB)
    .slice(1)
    .map(({ fireTime, source }) => `${(fireTime - last) / MINUTE} ${source}`);
}
