import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { resolveJobOptions, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { LIMITS } from '@test/support/limits.js';
import { startProxy, type ZooKeeperProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'settle-orders';
const TOTAL = 7;
const ITEMS = [...Array(TOTAL).keys()];
/** Far in the future, since fire times are given by hand. */
const NEVER = '0 0 0 1 1 ? 2199';

const clock = new SystemClock();

/** One process of the cluster: a runtime with a session of its own. */
interface Process {
  readonly runtime: ElasticJobRuntime;
  readonly registry: RegistryCenter;
}

interface Run {
  readonly process: number;
  readonly context: ShardingContext;
}

let proxy: ZooKeeperProxy;
let namespace: string;
let processes: Process[];
let runs: Run[];
let handler: (context: ShardingContext) => unknown;
/** Called when something has happened in one of the processes. */
let changed: () => void;
beforeEach(async () => {
  proxy = await startProxy(zooKeeper);
  namespace = `cluster-${clock.uuid()}`;
  processes = [];
  runs = [];
  handler = () => {};
  changed = () => {};
});
afterEach(async () => {
  await Promise.all(processes.map(({ runtime }) => runtime.stop()));
  await proxy.stop();
});

describe('three instances over a real ZooKeeper', LIMITS, () => {
  it('run every item once, on its owner', async () => {
    await startAll(3);

    await fire();

    expect(itemsIn(runs)).toEqual(ITEMS);
    expect(new Set(runs.map(({ process }) => process))).toEqual(new Set([0, 1, 2]));
    expect((await owners()).size).toBe(TOTAL);
    expect(processes.filter(({ runtime }) => runtime.leader.isLeader(JOB))).toHaveLength(1);
  });

  it('take none of several that join at once for a Java peer', async () => {
    for (let process = 0; process < 5; process++) processes.push(await make(process));
    const mixed: JobEvent[] = [];
    for (const { runtime } of processes) runtime.events.on((event) => event.kind === 'mixed' && mixed.push(event));

    await Promise.all(processes.map(({ runtime }) => runtime.start()));
    await untilOwnedBy([0, 1, 2, 3, 4]);

    expect(mixed).toEqual([]);
  });

  it('abort handlers of an ended session, run its items elsewhere, and take it back under a new id', async () => {
    await startAll(3);
    const before = idOf(0);
    const own = itemsOf(before).length;
    // The first run of an item waits for its signal; a failover of it ends at once.
    handler = ({ source, signal }) => source !== 'FAILOVER' && aborted(signal);
    const firing = processes[0]!.runtime.registrar.of(JOB).currentSession!.tick(clock.wallNow());
    await until(() => runs.length === own);
    const lost = itemsIn(runs);
    const rejoined = next(0, (event) => event.kind === 'joined');

    await proxy.expire(processes[0]!.registry.session.id!);

    await firing;
    expect(runs.slice(0, lost.length).every(({ context }) => context.signal.aborted)).toBe(true);
    await rejoined;
    expect(idOf(0)).not.toBe(before);
    await until(() => runs.length >= 2 * lost.length);
    const again = runs.slice(lost.length);
    expect(itemsIn(again)).toEqual(lost);
    expect(again.every(({ context }) => context.source === 'FAILOVER')).toBe(true);
    for (const { context } of again) {
      const first = runs.find((run) => run.context.shardingItem === context.shardingItem)!;
      expect(context.token!).toBeGreaterThan(first.context.token!);
    }
    await untilOwnedBy([0, 1, 2]);
  });

  it('own all items of one that leaves, which leaves no node', async () => {
    await startAll(3);
    const id = idOf(1);
    const leading = processes.findIndex(({ runtime }) => runtime.leader.isLeader(JOB));

    await processes[1]!.runtime.stop();

    const witness = processes[leading === 1 ? 0 : leading]!;
    await untilOwnedBy([0, 2]);
    expect((await witness.runtime.instances.instances(JOB)).map(({ jobInstanceId }) => jobInstanceId)).not.toContain(
      id,
    );
    expect(await witness.registry.exists(`/${JOB}/sessions/${id}`)).toBeUndefined();
    expect(await witness.registry.children(`/${JOB}/sessions`)).toHaveLength(2);
  });

  it('run the items of one that an operator shuts down once its handlers have stopped', async () => {
    await startAll(3);
    const id = idOf(0);
    const own = itemsOf(id);
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    handler = ({ source, signal }) => source !== 'FAILOVER' && aborted(signal).then(() => stopped);
    const firing = processes[0]!.runtime.registrar.of(JOB).currentSession!.tick(clock.wallNow());
    await until(() => runs.length === own.length);
    const outcomes: string[] = [];
    processes[0]!.runtime.events.on((event) => event.kind === 'settled' && outcomes.push(event.outcome.kind));

    await processes[1]!.registry.delete(`/${JOB}/instances/${id}`);

    await until(() => runs.every(({ context }) => context.signal.aborted));
    await untilOwnedBy([1, 2]);
    expect(runs).toHaveLength(own.length);
    stop();
    await firing;
    await until(() => runs.length === 2 * own.length);
    expect(itemsIn(runs.slice(own.length))).toEqual(own);
    expect(runs.slice(own.length).every(({ context }) => context.source === 'FAILOVER')).toBe(true);
    expect(outcomes).toEqual(own.map(() => 'aborted'));
    await until(async () => (await processes[1]!.registry.exists(`/${JOB}/sessions/${id}`)) === undefined);
  });

  it('move nothing when a connection breaks and comes back', async () => {
    await startAll(2);
    const before = await owners();
    const ids = [idOf(0), idOf(1)];
    const back = [0, 1].map((process) =>
      next(process, (event) => event.kind === 'session' && event.state === 'RECONNECTED'),
    );

    proxy.cut();
    await Promise.all(back);
    await fire();

    expect(itemsIn(runs)).toEqual(ITEMS);
    expect(await owners()).toEqual(before);
    expect([idOf(0), idOf(1)]).toEqual(ids);
  });
});

async function startAll(count: number): Promise<void> {
  for (let process = 0; process < count; process++) processes.push(await make(process));
  await Promise.all(processes.map(({ runtime }) => runtime.start()));
  await untilOwnedBy([...Array(count).keys()]);
}

async function make(process: number): Promise<Process> {
  const options = { servers: proxy.connect, namespace, sessionTimeoutMs: 6_000 };
  const registry = new ZooKeeperRegistryCenter(options, clock);
  const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 2_000 });
  runtime.events.on(() => changed());
  const job = { name: JOB, cron: NEVER, shardingTotalCount: TOTAL, failover: true };
  await runtime.registrar.register({
    configuration: resolveJobOptions(job, { place: 'cluster.spec' }),
    className: JOB,
    place: 'cluster.spec',
    handler: (context) => {
      runs.push({ process, context });
      changed();
      return handler(context);
    },
  });
  return { runtime, registry };
}

/** One fire time, the same for all. */
async function fire(): Promise<void> {
  const fireTime = clock.wallNow();
  await Promise.all(processes.map(({ runtime }) => runtime.registrar.of(JOB).currentSession!.tick(fireTime)));
}

/** Ascending. */
function itemsIn(some: readonly Run[]): number[] {
  return some.map(({ context }) => context.shardingItem).toSorted((a, b) => a - b);
}

function idOf(process: number): string {
  return processes[process]!.runtime.registrar.of(JOB).currentSession!.tree.self.jobInstanceId;
}

function itemsOf(instanceId: string): number[] {
  return processes[0]!.runtime.registrar.of(JOB).currentSession!.tree.itemsOf(instanceId);
}

function owners(): Promise<ReadonlyMap<number, string>> {
  return processes.at(-1)!.runtime.sharding.assignments(JOB);
}

/** Waits until exactly these processes own items, and all of them. */
async function untilOwnedBy(expected: readonly number[]): Promise<void> {
  await until(async () => {
    const ids = new Set(expected.map(idOf));
    const current = await owners();
    const holders = new Set(current.values());
    return current.size === TOTAL && holders.size === ids.size && [...ids].every((id) => holders.has(id));
  });
}

/** The next event of a process that fits. Call this before the action that leads to it. */
function next(process: number, fits: (event: JobEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const off = processes[process]!.runtime.events.on((event) => {
      if (!fits(event)) return;
      off();
      resolve();
    });
  });
}

/** Checks now, and again after every event in any process. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const change = new Promise<void>((resolve) => (changed = resolve));
    if (await isTrue()) return;
    await change;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
