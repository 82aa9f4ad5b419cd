import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { formatTriggerRequest } from '../../libs/elastic-job/src/coordination/index.js';
import { resolveJobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'settle-orders';
const TOTAL = 5;
const ITEMS = [...Array(TOTAL).keys()];
const clock = new SystemClock();

interface Process {
  readonly runtime: ElasticJobRuntime;
  readonly events: JobEvent[];
}

let namespace: string;
let operator: RegistryCenter;
let processes: Process[];
let contexts: ShardingContext[];
let handler: (context: ShardingContext) => unknown;
/** Called when something has happened in one of the processes. */
let changed: () => void;
beforeEach(async () => {
  namespace = `triggers-${clock.uuid()}`;
  processes = [];
  contexts = [];
  handler = () => {};
  changed = () => {};
  operator = connection();
  await operator.connect();
});
afterEach(async () => {
  await Promise.all(processes.map(({ runtime }) => runtime.stop()));
  await operator.close();
});

describe('a one-off job of two instances over a real ZooKeeper', LIMITS, () => {
  it('runs each item once for one target if both are asked in one transaction', async () => {
    await startAll(2);

    await ask('a', 'only Tuesday');
    await until(() => settled() === TOTAL);

    expect(itemsRun()).toEqual(ITEMS);
    for (const { trigger } of contexts) expect(trigger).toEqual({ id: 'a', parameters: 'only Tuesday' });
    expect(new Set(contexts.map(({ fireTime }) => fireTime.getTime())).size).toBe(1);
    expect(await operator.children(`/${JOB}/trigger`)).toEqual([]);
  });

  it('runs items that run already twice more, one after the other, if asked twice (fault 18)', async () => {
    await startAll(2);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    handler = ({ trigger }) => trigger !== 'schedule' && trigger.id === 'a' && released;
    await ask('a');
    await until(() => contexts.length === TOTAL);

    for (const [number, id] of ['b', 'c'].entries()) {
      await ask(id);
      await until(() => count('postponed') === 2 * (number + 1));
    }
    expect(contexts).toHaveLength(TOTAL);
    release();
    await until(() => settled() === 3 * TOTAL);

    for (const item of ITEMS) {
      const own = contexts.filter(({ shardingItem }) => shardingItem === item);
      expect(own.map(({ trigger }) => trigger !== 'schedule' && trigger.id)).toEqual(['a', 'b', 'c']);
    }
  });

  it("runs the items of each instance for an id of its own if Java's empty requests ask", async () => {
    await startAll(2);

    await askWith('');
    await until(() => settled() === TOTAL);

    expect(itemsRun()).toEqual(ITEMS);
    expect(new Set(contexts.map(({ trigger }) => trigger !== 'schedule' && trigger.id)).size).toBeLessThanOrEqual(2);
    expect(count('error')).toBe(0);
  });
});

function connection(): RegistryCenter {
  return new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace, sessionTimeoutMs: 6_000 }, clock);
}

async function startAll(size: number): Promise<void> {
  while (processes.length < size) processes.push(await make());
  await Promise.all(processes.map(({ runtime }) => runtime.start()));
  await until(async () => {
    const owners = await processes[0]!.runtime.sharding.assignments(JOB);
    return owners.size === TOTAL && new Set(owners.values()).size === size;
  });
}

async function make(): Promise<Process> {
  const registry = connection();
  const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 2_000 });
  const events: JobEvent[] = [];
  runtime.events.on((event) => {
    events.push(event);
    changed();
  });
  const job = { name: JOB, shardingTotalCount: TOTAL, failover: true };
  await runtime.registrar.register({
    configuration: resolveJobOptions(job, { place: 'triggers.spec' }),
    className: JOB,
    place: 'triggers.spec',
    handler: (context) => {
      contexts.push(context);
      changed();
      return handler(context);
    },
  });
  return { runtime, events };
}

function ask(id: string, parameters?: string): Promise<void> {
  return askWith(formatTriggerRequest({ id, parameters }));
}

async function askWith(data: string): Promise<void> {
  await operator.ensurePath(`/${JOB}/trigger`);
  const ids = await operator.children(`/${JOB}/instances`);
  const result = await operator.transaction(
    ids.map((id) => ({ kind: 'create', path: `/${JOB}/trigger/${id}`, data, mode: 'PERSISTENT' })),
  );
  expect(result.kind).toBe('committed');
}

function itemsRun(): number[] {
  return contexts.map(({ shardingItem }) => shardingItem).toSorted((a, b) => a - b);
}

function settled(): number {
  return count('settled');
}

function count(kind: JobEvent['kind']): number {
  return processes.flatMap(({ events }) => events).filter((event) => event.kind === kind).length;
}

/** Checks now, and again after every event in any process. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const change = new Promise<void>((resolve) => (changed = resolve));
    if (await isTrue()) return;
    await change;
  }
}
