import { afterEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import {
  createTestCluster,
  TestCluster,
  type TestClusterOptions,
  type TestJobOptions,
} from '../../libs/elastic-job/src/testing/index.js';
import { allNodes, operatorOf } from './support/registry-walk.js';
import { itemsOf, range } from './support/run-checks.js';

const JOB = 'settle-order';
const OTHER = 'send-mails';
const CONFIG = `/${JOB}/config`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BROKEN = 'cron: [';
const JSON_OF_2 = `{"jobName":"${JOB}","jobClass":"com.acme.J","jobType":"SIMPLE","cron":"0 * * * * ?"}`;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('settings that are changed while the job runs', () => {
  it('fault 20: given another time zone alone, when it is written, then the job fires by it', async () => {
    await startCluster({ cron: '0 0 * * * ?', timeZone: 'GMT' });

    await writeConfig('timeZone: GMT', 'timeZone: GMT+0:30');
    await cluster.advance(HOUR);

    expect(cluster.runs(JOB).length).toBeGreaterThan(0);
    expect(cluster.runs(JOB).every(({ fireTime }) => fireTime % HOUR === HOUR / 2)).toBe(true);
  });

  it('fault 20: given a scheduled job, when its cron is removed, then it fires no more, and again when it is back', async () => {
    await startCluster();
    await untilNextMinute(1_000);
    const before = cluster.runs(JOB).length;

    await writeConfig('cron: 0 * * * * ?\n', '');
    await untilNextMinute(1_000);
    expect(cluster.runs(JOB).length).toBe(before);
    expect(statusOf(JOB)).toMatchObject({ isJoined: true, problem: undefined, nextFireTime: undefined });

    await writeConfig('description:', 'cron: 30 * * * * ?\ndescription:');
    await untilNextMinute(31_000);
    expect(itemsOf(lastFired())).toEqual(range(4));
    expect(lastFired()[0]!.fireTime % MINUTE).toBe(30_000);
  });

  it('given a one-off job, when the process starts, then it joins, leads and has owners, and nothing fires', async () => {
    await startCluster({ cron: '' });
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(statusOf(JOB)).toMatchObject({ isJoined: true, problem: undefined, leader: expect.any(String) });
    expect([...cluster.assignment(JOB).keys()]).toEqual(range(4));
  });

  it('given another strategy, when it is written, then the items have its owners', async () => {
    await startCluster();
    const before = cluster.assignment(JOB);

    await writeConfig('label: ', 'jobShardingStrategyType: ODEVITY\nlabel: ');

    expect(cluster.assignment(JOB)).toEqual(new Map([...before].map(([item, owner]) => [item, 1 - owner])));
  });

  it('given an edit through the registrar, when its cron is wrong, then it is refused and the job goes on', async () => {
    await startCluster();
    const { registrar } = cluster.instances[0]!.runtime;

    await expect(registrar.change(JOB, { cron: '0 0 *' })).rejects.toThrow('0 0 *');
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });
});

describe('settings that cannot be used', () => {
  it.each([
    [BROKEN, 'config node'],
    ['jobName: settle-order\nshardingTotalCount: 0\n', 'but is 0'],
    ['jobName: settle-order\nshardingTotalCount: 1000000\n', '1000000'],
  ])(
    'fault 19: given %j is written, when fire times come, then that job alone begins nothing, loudly, until it is repaired',
    async (text, problem) => {
      await startCluster();
      const { data: usable } = (await operator.read(CONFIG))!;
      await untilNextMinute(1_000);
      const before = cluster.runs(JOB).length;

      await operator.set(CONFIG, text);
      await untilNextMinute(1_000);
      expect(cluster.runs(JOB).length).toBe(before);
      expect(lastFired(OTHER)[0]!.fireTime).toBe(cluster.clock.wallNow() - 1_000);
      expect(statusOf(JOB).problem).toContain(problem);
      expect(statusOf(OTHER).problem).toBeUndefined();
      expect(errorsOf(0)).toEqual([expect.stringContaining('nothing is begun until it is repaired')]);

      await operator.set(CONFIG, usable);
      await cluster.advance(1_000);
      expect(cluster.runs(JOB).length).toBe(before);
      await untilNextMinute(1_000);
      expect(itemsOf(lastFired())).toEqual(range(4));
      expect(statusOf(JOB).problem).toBeUndefined();
    },
  );

  it('given an item that runs, when the settings break, then it ends in peace', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(20_000) });
    await untilNextMinute(1_000);

    await operator.set(CONFIG, BROKEN);
    await cluster.advance(30_000);

    expect(cluster.runs(JOB).map(({ startedAt, endedAt }) => endedAt! - startedAt)).toEqual(
      [1, 1, 1, 1].map(() => 20_000),
    );
  });

  it('given items of a crashed instance, when the settings are broken, then they wait for the repair', async () => {
    await startCluster({ handler: ({ source }) => (source === 'FAILOVER' ? undefined : cluster.clock.sleep(HOUR)) });
    const { data: usable } = (await operator.read(CONFIG))!;
    await untilNextMinute(1_000);
    await operator.set(CONFIG, BROKEN);
    cluster.crash(0);
    await cluster.advance(30_000);
    expect(failedOver()).toEqual([]);

    await operator.set(CONFIG, usable);
    await cluster.advance(5_000);

    expect(failedOver()).toHaveLength(2);
  });

  it('given a text that is no configuration, when the process starts, then the other jobs run and this one waits', async () => {
    await startBroken(BROKEN);
    await untilNextMinute(1_000);
    expect(cluster.runs(JOB)).toEqual([]);
    expect(itemsOf(lastFired(OTHER))).toEqual([0]);
    expect(statusOf(JOB)).toMatchObject({ isJoined: false, problem: expect.stringContaining('line 1') });
    expect(errorsOf(0)).toEqual([expect.stringContaining('nothing is begun until it is repaired')]);

    await operator.set(CONFIG, `cron: 30 * * * * ?\njobName: ${JOB}\nshardingTotalCount: 3\n`);
    await untilNextMinute(31_000);

    expect(statusOf(JOB)).toMatchObject({ isJoined: true, problem: undefined });
    expect(itemsOf(lastFired())).toEqual(range(3));
  });

  it('given a job of ElasticJob 2, when the process starts, then it is left alone, until somebody makes it one of ours', async () => {
    await startBroken(JSON_OF_2);
    await untilNextMinute(1_000);
    expect(statusOf(JOB).problem).toContain('ElasticJob 2');
    expect((await allNodes(operator, `/${JOB}`)).map(({ path }) => path)).toEqual([`/${JOB}`, CONFIG]);

    await operator.set(CONFIG, `cron: 0 * * * * ?\njobName: ${JOB}\nshardingTotalCount: 2\n`);
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(2));
  });

  it('given a text that is no configuration, when the process starts with overwrite, then its own options are written', async () => {
    await startBroken(BROKEN, { overwrite: true });
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('given broken settings, when they are changed through the registrar, then that repairs them', async () => {
    await startCluster();
    await operator.set(CONFIG, BROKEN);
    await cluster.advance(1_000);

    const changed = cluster.instances[0]!.runtime.registrar.change(JOB, { jobParameter: 'p' });
    expect((await cluster.clock.advanceUntil(changed)).jobParameter).toBe('p');
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('given broken settings, when an instance leaves, then it goes without a trace', async () => {
    await startBroken(BROKEN);

    await cluster.leave(0);

    const paths = (await allNodes(operator, `/${JOB}`)).map(({ path }) => path);
    expect(paths.filter((path) => /\/(?:instances|sessions)\//.test(path))).toEqual([]);
  });
});

async function startCluster(job: Partial<TestJobOptions> = {}): Promise<void> {
  cluster = await createTestCluster(optionsOf(2, job));
  operator = await operatorOf(cluster);
}

/** The node is there before the first instance. */
async function startBroken(text: string, job: Partial<TestJobOptions> = {}): Promise<void> {
  cluster = new TestCluster(optionsOf(1, job));
  operator = await operatorOf(cluster);
  await operator.create(`/${JOB}`, '', 'PERSISTENT');
  await operator.create(CONFIG, text, 'PERSISTENT');
  await cluster.join();
}

function optionsOf(instances: number, job: Partial<TestJobOptions>): TestClusterOptions {
  const usual = { cron: '0 * * * * ?', handler: () => {} };
  return {
    instances,
    jobs: [
      { ...usual, name: JOB, shardingTotalCount: 4, failover: true, label: 'x', ...job },
      { ...usual, name: OTHER, shardingTotalCount: 1 },
    ],
  };
}

async function writeConfig(part: string, replacement: string): Promise<void> {
  const { data } = (await operator.read(CONFIG))!;
  expect(data).toContain(part);
  await operator.set(CONFIG, data.replace(part, replacement));
  await cluster.advance(1_000);
}

function statusOf(job: string) {
  return cluster.instances[0]!.runtime.status().jobs.find(({ jobName }) => jobName === job)!;
}

function errorsOf(instance: number): string[] {
  return cluster.events(instance).flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}

/** Moves to the next full minute and further. */
function untilNextMinute(further: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + further);
}

function lastFired(job = JOB) {
  const runs = cluster.runs(job);
  return runs.filter(({ fireTime }) => fireTime === runs.at(-1)!.fireTime);
}

function failedOver() {
  return cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
}
