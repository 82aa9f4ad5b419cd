import { afterEach, describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster, type TestJobOptions } from '../../libs/elastic-job/src/testing/index.js';
import { parseRunRecord } from '../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';

const JOB = 'settle-orders';
const MINUTE = 60_000;
const BROKEN = new Error('broken');

let cluster: TestCluster;
afterEach(() => cluster.stop());

describe('the events of a run', () => {
  it('report each step of a run under one task id, also if an item throws', async () => {
    await startCluster({ handler: ({ shardingItem }) => (shardingItem === 1 ? Promise.reject(BROKEN) : undefined) });

    await cluster.advance(MINUTE);

    const steps = stepsOf(0);
    const { taskId } = steps[0]!;
    expect(taskId).toMatch(/^settle-orders@-@0,1@-@READY@-@10\.0\.0\.\d@-@/);
    expect(new Set(steps.map((step) => step.taskId))).toEqual(new Set([taskId]));
    expect(steps).toMatchObject([
      { kind: 'triggered', items: [0, 1] },
      { kind: 'begun', items: [0, 1] },
      { kind: 'started', item: 0, attempt: 1 },
      { kind: 'started', item: 1, attempt: 1 },
      { kind: 'settled', item: 0, outcome: { kind: 'succeeded' } },
      { kind: 'settled', item: 1, outcome: { kind: 'failed', error: BROKEN } },
      { kind: 'finished', items: [0, 1], failures: new Map([[1, BROKEN]]) },
    ]);
  });

  it('name the recorded begin of each item, with the token that its handler sees', async () => {
    const tokens: [item: number, token: string][] = [];
    await startCluster({
      handler: ({ shardingItem, token }) => void tokens.push([shardingItem, String(token)]),
    });

    await cluster.advance(MINUTE);

    const begun = cluster.events(0).find((event) => event.kind === 'begun')!;
    const ended = cluster.events(0).filter((event) => event.kind === 'settled');
    const begins = new Map(ended.map(({ begin, item }) => [item, begin]));
    expect(begun.begins).toEqual(begins);
    expect([...begins].map(([item, begin]) => [item, begin?.token])).toEqual(tokens);
    for (const [item, begin] of begins) expect(begin).toMatchObject({ ...(await recordedBegin(item)), launch: 1 });
  });

  it('name no recorded begin without monitorExecution, since nothing is recorded', async () => {
    await startCluster({ handler: () => {}, monitorExecution: false });

    await cluster.advance(MINUTE);

    const runs = cluster.events(0).flatMap((event) => (event.kind === 'begun' ? [event.begins] : []));
    const ends = cluster.events(0).flatMap((event) => (event.kind === 'settled' ? [event.begin] : []));
    expect([runs, ends]).toEqual([[undefined], [undefined, undefined]]);
  });

  it('give the trigger of an instance without items a task id, and no steps', async () => {
    await startCluster({ handler: () => {}, shardingTotalCount: 1 }, 2);

    await cluster.advance(MINUTE);

    const idle = [0, 1].map(stepsOf).find((steps) => steps.length === 1);
    expect(idle).toMatchObject([{ kind: 'triggered', items: [] }]);
    expect(idle?.[0]?.taskId).toMatch(/^settle-orders@-@@-@READY@-@10\.0\.0\.\d@-@/);
  });

  it('report a failover like any other run, with source FAILOVER', async () => {
    await startCluster({ shardingTotalCount: 1, failover: true, handler: () => cluster.clock.sleep(20_000) }, 2);
    await cluster.advance(MINUTE);
    const holder = cluster.runs(JOB)[0]!.instance;

    cluster.crash(holder);
    await cluster.advance(50_000);

    const failover = stepsOf(1 - holder).filter(({ trigger }) => trigger?.source === 'FAILOVER');
    expect(failover.map(({ kind }) => kind)).toEqual(['begun', 'started', 'settled', 'finished']);
  });

  it('report that the lease ended in vain if the session was lost before the handlers returned', async () => {
    await startCluster({ shardingTotalCount: 1, handler: ({ signal }) => aborted(signal) });
    await cluster.advance(MINUTE);

    cluster.partition(0);
    await cluster.advance(30_000);

    const [finished] = stepsOf(0).filter(({ kind }) => kind === 'finished');
    expect(finished).toMatchObject({ items: [0], failures: new Map([[0, expect.anything()]]) });
  });
});

async function startCluster(job: Partial<TestJobOptions> & Pick<TestJobOptions, 'handler'>, instances = 1) {
  const jobs = [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, ...job }];
  cluster = await createTestCluster({ instances, jobs, wall: Date.UTC(2030, 0, 1, 12, 0, 1) });
}

/** Fields of an item's record, as its node has them. */
async function recordedBegin(item: number): Promise<object> {
  const { clock, registry } = cluster;
  const reader = registry.center({ namespace: 'test', clock, sessionTimeoutMs: 60_000, requestTimeoutMs: 5_000 });
  await reader.connect();
  const stored = parseRunRecord((await reader.read(`/${JOB}/sharding/${item}/record`))!.data);
  await reader.close();
  if (stored.kind === 'none') throw new Error(`Item ${item} has no record.`);
  const { run, begunAt } = stored.record;
  return { run, begunAt };
}

type Step = Extract<JobEvent, { taskId: string }> & { readonly trigger?: { readonly source: string } };

function stepsOf(instance: number): Step[] {
  return cluster.events(instance).filter((event): event is Step => 'taskId' in event);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
