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
/** The last fire time that this version has run. */
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
  it('is begun at the next fire time, and keeps the fields that this version does not know', async () => {
    await write({ ...later(last), settled: SETTLED });

    await cluster.advance(2 * MINUTE);

    expect(runsSince()).toEqual(['1 NORMAL_TRIGGER', '2 NORMAL_TRIGGER']);
    expect(await record()).toMatchObject({ v: 1, target: { fireTime: last + 2 * MINUTE }, laterField: { deep: [1] } });
    expect(await record()).not.toHaveProperty('trace');
  });

  it('is not begun again for the fire time in the record', async () => {
    await write({ ...later(last + MINUTE), settled: SETTLED });

    await cluster.advance(2 * MINUTE);

    expect(runsSince()).toEqual(['2 NORMAL_TRIGGER']);
  });

  it('is caught up on for fire times that the later version did not begin', async () => {
    await write({ ...later(last - 2 * MINUTE), settled: SETTLED });

    cluster.crash(0);
    await cluster.join();
    await cluster.advance(30_000);

    expect(runsSince()).toEqual(['0 MISFIRE']);
  });

  it("is not begun again for a fire time before an operator's run in the record", async () => {
    const target = { fireTime: last + 1_000, origin: 'manual:7' };
    await write({ ...later(last), target, lastScheduled: last + MINUTE, settled: SETTLED });

    await cluster.advance(MINUTE);

    expect(runsSince()).toEqual([]);
  });

  it('runs its target once more, and only once, if the holder is gone', async () => {
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

  /** A record as a later version might leave it: an additional field, one of another type, and one missing. */
  function later(fireTime: number) {
    const target = { fireTime, origin: 'schedule' };
    return { v: 2, run: 'later', by: DEAD, target, trace: { of: 'another type' }, laterField: { deep: [1] } };
  }
});

describe('an item whose record cannot be read', () => {
  it.each(['hello', '5', '{"v":2}', '{"v":1,"run":"x","by":"a","target":null}'])(
    'is begun at the next fire time if it has no mark (%s)',
    async (text) => {
      await operator.set(RECORD, text);

      await cluster.advance(MINUTE);

      expect(runsSince()).toEqual(['1 NORMAL_TRIGGER']);
    },
  );

  it("is not begun again for fire times before the record's last write", async () => {
    // One instance alone is behind. Two would outvote the registry, and by their time the fire time would still be to
    // come.
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

  it('is busy while it has the mark of a living instance', async () => {
    await cluster.advance(50_000);
    await operator.set(RECORD, 'hello');
    // The instance removes a mark that it has not made, but not at once.
    await operator.create(RUNNING, idOf(cluster, 0), 'PERSISTENT');

    await cluster.advance(8_000);

    expect(runsSince()).toEqual([]);
  });

  it('runs again once, and only once, if the mark is of an instance that is gone', async () => {
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

/** The runs since the record was written, as minutes since the last fire time before it, and source. */
function runsSince(): string[] {
  return cluster
    .runs(JOB)
    .slice(1)
    .map(({ fireTime, source }) => `${(fireTime - last) / MINUTE} ${source}`);
}
