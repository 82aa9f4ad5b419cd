import { afterEach, describe, expect, it } from 'vitest';
import type { ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster, type TestRun } from '../../libs/elastic-job/src/testing/index.js';
import { operatorOf, traces } from './support/registry-walk.js';
import { endsWith, expectGrowingTokens, expectNoOverlap, itemsOf } from './support/run-checks.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;

let cluster: TestCluster;
let operator: RegistryCenter;
afterEach(() => cluster.stop());

describe('an instance that an operator shuts down while items run', () => {
  it.each(['leader', 'follower'])(
    'hands the items of a %s over at once if its handlers heed their signals, and leaves nothing',
    async (role) => {
      await startCluster({ handler: (context) => untilAborted(context) });
      const victim = await runOn(role);

      await shutDown(victim);
      await cluster.advance(100);

      expect(outcomes(victim)).toEqual(['aborted', 'aborted']);
      expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
      expectNoOverlap(cluster.runs(JOB), endsWith(new Map()));
      const left = await traces(operator, JOB);
      expect(left.filter((path) => path.includes(idOf(victim)))).toEqual([]);
    },
  );

  it.each(['leader', 'follower'])(
    'runs no item of a %s elsewhere before its handler, which takes 3 s to stop, has returned',
    async (role) => {
      await startCluster({ handler: (context) => untilAborted(context, 3_000) });
      const victim = await runOn(role);

      await shutDown(victim);
      await cluster.advance(2_900);
      expect(rescues()).toEqual([]);
      await cluster.advance(300);

      expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
      expectNoOverlap(cluster.runs(JOB), endsWith(new Map()));
    },
  );

  it.each(['leader', 'follower'])(
    'lets others run the items of a %s with newer tokens after shutdownGraceMs if no signal is heeded',
    async (role) => {
      await startCluster({ handler: hang });
      const victim = await runOn(role);

      await shutDown(victim);
      await cluster.advance(4_900);
      expect(rescues()).toEqual([]);
      await cluster.advance(300);

      expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
      expectGrowingTokens(cluster.runs(JOB));
    },
  );

  it("lets others run the items of hanging handlers after the job's own shutdownGraceMs", async () => {
    await startCluster({ handler: hang, shutdownGraceMs: 20_000 });
    const victim = await runOn('follower');

    await shutDown(victim);
    await cluster.advance(19_900);
    expect(rescues()).toEqual([]);
    await cluster.advance(300);

    expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
  });

  it('does not wait for the rest of the grace if the process dies and its session ends', async () => {
    await startCluster({ handler: hang, shutdownGraceMs: 10 * MINUTE });
    const victim = await runOn('follower');
    await shutDown(victim);
    await cluster.advance(1_000);

    cluster.crash(victim);
    await cluster.advance(15_000);

    expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
  });

  it('ends the grace on time even if the leader changes in the middle of it', async () => {
    await startCluster({ handler: hang, instances: 4, total: 8 });
    const victim = await runOn('follower');
    await shutDown(victim);
    await cluster.advance(1_000);

    await cluster.clock.advanceUntil(cluster.instances[leaderIndex()]!.runtime.leader.resign(JOB));
    await cluster.advance(3_900);
    expect(rescues()).toEqual([]);
    await cluster.advance(300);

    expect(itemsOf(rescues())).toEqual(itemsOf(runsOf(victim)));
  });

  it('records its items as aborted without failover, and nobody repeats them', async () => {
    await startCluster({ handler: (context) => untilAborted(context), failover: false });
    const victim = await runOn('follower');
    const before = cluster.runs(JOB).length;

    await shutDown(victim);
    await cluster.advance(20_000);

    expect(outcomes(victim)).toEqual(['aborted', 'aborted']);
    expect(cluster.runs(JOB)).toHaveLength(before);
  });

  it('aborts what a begin on its way has begun, and others run it', async () => {
    await startCluster({ handler: (context) => untilAborted(context), latencyMs: 100 });
    const victim = followerIndex();
    await untilNextMinute(0);
    while ((await marksOf(victim)).length === 0) await cluster.advance(10);
    expect(runsOf(victim)).toEqual([]);
    const own = await marksOf(victim);

    await shutDown(victim);
    await cluster.advance(2_000);

    expect(outcomes(victim)).toEqual(own.map(() => 'aborted'));
    expect(itemsOf(rescues())).toEqual(own);
  });
});

interface Options {
  readonly handler: (context: ShardingContext) => unknown;
  readonly instances?: number;
  readonly total?: number;
  readonly failover?: boolean;
  readonly shutdownGraceMs?: number;
  readonly latencyMs?: number;
}

async function startCluster(options: Options): Promise<void> {
  const { instances = 3, total = 6, failover = true, latencyMs, handler, shutdownGraceMs } = options;
  const job = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: total, failover, handler, shutdownGraceMs };
  cluster = await createTestCluster({ instances, latencyMs, jobs: [job] });
  operator = await operatorOf(cluster);
}

/** Moves to a fire time. @returns the instance of that role, which runs its items now */
async function runOn(role: string): Promise<number> {
  await untilNextMinute(1_000);
  return role === 'leader' ? leaderIndex() : followerIndex();
}

function untilNextMinute(further: number): Promise<void> {
  return cluster.advance(MINUTE - (cluster.clock.wallNow() % MINUTE) + further);
}

function leaderIndex(): number {
  return cluster.instances.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));
}

function followerIndex(): number {
  return cluster.instances.findIndex(({ runtime }) => !runtime.leader.isLeader(JOB));
}

function idOf(instance: number): string {
  return [...cluster.instances[instance]!.instanceIds][0]!;
}

function shutDown(instance: number): Promise<void> {
  return operator.delete(`/${JOB}/instances/${idOf(instance)}`);
}

/** The items that an instance holds according to the registry. */
async function marksOf(instance: number): Promise<number[]> {
  const items = (await operator.children(`/${JOB}/sharding`)).map(Number).toSorted((a, b) => a - b);
  const marks = await operator.readMany(items.map((item) => `/${JOB}/sharding/${item}/running`));
  return items.filter((_, index) => marks[index]?.data === idOf(instance));
}

function runsOf(instance: number): TestRun[] {
  return cluster.runs(JOB).filter((run) => run.instance === instance);
}

function rescues(): TestRun[] {
  return cluster.runs(JOB).filter(({ source }) => source === 'FAILOVER');
}

function outcomes(instance: number): string[] {
  return cluster.events(instance).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
}

function sleep(ms: number): Promise<void> {
  return cluster.clock.sleep(ms);
}

/** Runs until it is aborted, and a while longer; the failover of such a run ends at once. */
async function untilAborted({ signal, source }: ShardingContext, furtherMs = 0): Promise<void> {
  if (source === 'FAILOVER') return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  await sleep(furtherMs);
}

/** Ignores its signal; the failover of such a run ends at once. */
async function hang({ source }: ShardingContext): Promise<void> {
  if (source !== 'FAILOVER') await new Promise(() => {});
}
