import { afterEach, describe, expect, it } from 'vitest';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
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
  it('fires by another time zone as soon as that alone is changed (fault 20)', async () => {
    await startCluster({ cron: '0 0 * * * ?', timeZone: 'GMT' });

    await writeConfig('timeZone: GMT', 'timeZone: GMT+0:30');
    await cluster.advance(HOUR);

    expect(cluster.runs(JOB).length).toBeGreaterThan(0);
    expect(cluster.runs(JOB).every(({ fireTime }) => fireTime % HOUR === HOUR / 2)).toBe(true);
  });

  it('a one-off job joins, elects a leader and gets owners, and fires nothing', async () => {
    await startCluster({ cron: '' });
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(statusOf(JOB)).toMatchObject({ isJoined: true, problem: undefined, leader: expect.any(String) });
    expect([...cluster.assignment(JOB).keys()]).toEqual(range(4));
  });

  it('assigns the items by another strategy as soon as that is written', async () => {
    await startCluster({ strategy: 'AVG_ALLOCATION' });
    const before = cluster.assignment(JOB);

    await writeConfig('jobShardingStrategyType: AVG_ALLOCATION', 'jobShardingStrategyType: ODEVITY');

    expect(cluster.assignment(JOB)).toEqual(new Map([...before].map(([item, owner]) => [item, 1 - owner])));
  });

  it('refuses an edit with a wrong cron through the registrar, and goes on', async () => {
    await startCluster();
    const { registrar } = cluster.instances[0]!.runtime;

    await expect(registrar.change(JOB, { cron: '0 0 *' })).rejects.toThrow('0 0 *');
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });
});

describe('settings that cannot be used', () => {
  it.each([
    ['cron: 0 * * * * ?', 'cron: often', 'often'],
    ['timeZone: UTC', 'timeZone: Europe/Berln', 'Europe/Berln'],
    ['shardingTotalCount: 4', 'shardingTotalCount: 0', 'but is 0'],
    ['shardingTotalCount: 4', 'shardingTotalCount: 1000000', '1000000'],
    ['nestjs.clockChange', 'nestjs.strategy: BY_MOON\n  nestjs.clockChange', 'BY_MOON'],
    ['cron:', 'cron: [', 'line'],
  ])(
    'keeps the last usable text, and reports it, after the edit of %j to %j (fault 19)',
    async (part, replacement, field) => {
      const parameters: string[] = [];
      await startCluster({ timeZone: 'UTC', handler: ({ jobParameter }) => void parameters.push(jobParameter) });
      const { data: usable } = (await operator.read(CONFIG))!;
      const bad = usable.replace(part, replacement).replace("jobParameter: ''", 'jobParameter: bad');
      expect(bad).toContain(replacement);

      await operator.set(CONFIG, bad);
      await untilNextMinute(1_000);

      expect(itemsOf(lastFired())).toEqual(range(4));
      expect(parameters).toEqual(['', '', '', '']);
      expect(lastFired()[0]!.fireTime).toBe(cluster.clock.wallNow() - 1_000);
      expect(statusOf(JOB)).toMatchObject({ problem: undefined, configurationFault: expect.stringContaining(field) });
      expect(readiness()).toMatchObject({ status: 'degraded', details: { reasons: [expect.stringContaining(field)] } });
      expect(errorsOf(0)).toEqual([expect.stringContaining('the last usable one stays in force')]);

      await operator.set(CONFIG, usable.replace("jobParameter: ''", 'jobParameter: good'));
      await untilNextMinute(1_000);
      expect(parameters.slice(4)).toEqual(Array(4).fill('good'));
      expect(statusOf(JOB).configurationFault).toBeUndefined();
      expect(readiness().status).toBe('up');
    },
  );

  it("uses an operator's good edit after a restart of every process, not the bad one after it", async () => {
    await startCluster();
    await writeConfig('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await writeConfig('cron: 0 * * * * ?', 'cron: often');

    for (const index of [0, 1]) await cluster.leave(index);
    for (const _ of [0, 1]) await cluster.join();
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(3));
    expect(new Set(lastFired().map(({ instance }) => instance))).toEqual(new Set([2, 3]));
  });

  it('keeps the last usable text if the leader dies while a bad edit waits', async () => {
    await startCluster();
    await writeConfig('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await writeConfig('cron: 0 * * * * ?', 'cron: often');
    const { data } = (await operator.read(`/${JOB}/usable`))!;

    cluster.crash(0);
    await cluster.advance(30_000);

    expect((await operator.read(`/${JOB}/usable`))!.data).toBe(data);
    await untilNextMinute(1_000);
    expect(itemsOf(lastFired())).toEqual(range(3));
  });

  it('costs the leader one write for each good edit, and none for a bad one', async () => {
    await startCluster();
    const versionOf = async () => (await operator.read(`/${JOB}/usable`))!.stat.version;
    expect(await versionOf()).toBe(0);

    await writeConfig('shardingTotalCount: 4', 'shardingTotalCount: 3');
    await writeConfig('shardingTotalCount: 3', 'shardingTotalCount: 2');
    expect(await versionOf()).toBe(2);
    await writeConfig('cron: 0 * * * * ?', 'cron: often');
    await untilNextMinute(1_000);

    expect(await versionOf()).toBe(2);
  });

  it('writes the kept text again if it is removed by hand while a bad edit waits', async () => {
    await startCluster();
    await writeConfig('cron: 0 * * * * ?', 'cron: often');

    await operator.delete(`/${JOB}/usable`);
    await cluster.advance(1_000);
    await untilNextMinute(1_000);

    expect((await operator.read(`/${JOB}/usable`))!.data).toContain('cron: 0 * * * * ?');
    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('a child that starts after a job with a bad edit goes by the kept text', async () => {
    await startCluster();
    await writeConfig('cron: 0 * * * * ?', 'cron: [');

    const child = { name: 'child', shardingTotalCount: 1, after: JOB };
    const adding = cluster.instances[0]!.runtime.registrar.add(child, () => {});

    await expect(cluster.clock.advanceUntil(adding)).resolves.toBeUndefined();
  });

  it('an edit that empties the cron makes it a one-off job, and is reported', async () => {
    await startCluster();

    await writeConfig('cron: 0 * * * * ?', "cron: ''");
    await untilNextMinute(1_000);

    expect(cluster.runs(JOB)).toEqual([]);
    expect(statusOf(JOB)).toMatchObject({ problem: undefined, configurationFault: undefined });
    expect(cluster.events(0).filter(({ kind }) => kind === 'warning')).toMatchObject([
      { message: expect.stringContaining('a one-off job now') },
    ]);
  });

  it('does not disturb an item that runs when the settings break', async () => {
    await startCluster({ handler: () => cluster.clock.sleep(20_000) });
    await untilNextMinute(1_000);

    await operator.set(CONFIG, BROKEN);
    await cluster.advance(30_000);

    expect(cluster.runs(JOB).map(({ startedAt, endedAt }) => endedAt! - startedAt)).toEqual(
      [1, 1, 1, 1].map(() => 20_000),
    );
  });

  it('fails over items of a crashed instance by the last usable settings', async () => {
    await startCluster({ handler: ({ source }) => (source === 'FAILOVER' ? undefined : cluster.clock.sleep(HOUR)) });
    await untilNextMinute(1_000);
    await operator.set(CONFIG, BROKEN);

    cluster.crash(0);
    await cluster.advance(30_000);

    expect(failedOver()).toHaveLength(2);
  });

  it('starts with a text that is no configuration: this job waits and the others run', async () => {
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

  it('does not run a job of ElasticJob 2 until somebody makes it a job of ours', async () => {
    await startBroken(JSON_OF_2);
    await untilNextMinute(1_000);
    expect(statusOf(JOB).problem).toContain('ElasticJob 2');
    expect((await allNodes(operator, `/${JOB}`)).map(({ path }) => path)).toEqual([`/${JOB}`, CONFIG]);

    await operator.set(CONFIG, `cron: 0 * * * * ?\njobName: ${JOB}\nshardingTotalCount: 2\n`);
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(2));
  });

  it('writes its own options over a text that is no configuration if it starts with overwrite', async () => {
    await startBroken(BROKEN, { overwrite: true });
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('repairs broken settings through a change by the registrar', async () => {
    await startCluster();
    await operator.set(CONFIG, BROKEN);
    await cluster.advance(1_000);

    const changed = cluster.instances[0]!.runtime.registrar.change(JOB, { jobParameter: 'p' });
    expect((await cluster.clock.advanceUntil(changed)).jobParameter).toBe('p');
    await untilNextMinute(1_000);

    expect(itemsOf(lastFired())).toEqual(range(4));
  });

  it('leaves no trace when an instance leaves a job with broken settings', async () => {
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

/** The node exists before the first instance joins. */
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

function readiness() {
  return judgeReadiness(cluster.instances[0]!.runtime.status());
}

function statusOf(job: string) {
  return cluster.instances[0]!.runtime.status().jobs.find(({ jobName }) => jobName === job)!;
}

function errorsOf(instance: number): string[] {
  return cluster.events(instance).flatMap((event) => (event.kind === 'error' ? [event.message] : []));
}

/** Moves to `further` milliseconds after the next full minute. */
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
