import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock, type Timer } from '../../libs/elastic-job/src/clock/index.js';
import {
  formatParentProgress,
  formatStartLedger,
  type JobHandler,
  type JobOptions,
  NO_STARTS,
  parseStartLedger,
  resolveJobOptions,
  withParents,
} from '../../libs/elastic-job/src/domain/index.js';
import {
  MemoryRegistry,
  type RegistryCenter,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { fireTimes } from '@test/support/fire-times.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'counted';
const STEP_MS = 10;
const LONGEST_STEPPED_MS = 1_000;

/**
 * A clock by which no stall of the machine counts. Callers share a request as long as a turn of the event loop is
 * short, and ends are recorded together while they come within 200 ms. So no time passes within a turn but what
 * `compute` adds, and short timers pass in steps: time for which this process cannot run is one step at most.
 */
class UnhurriedClock extends SystemClock {
  private computedMs = 0;
  private turnMs: number | undefined;

  /** Lets a handler compute for that long, without the processor. */
  compute(ms: number): void {
    this.computedMs += ms;
  }

  override monotonicNow(): number {
    if (this.turnMs === undefined) {
      this.turnMs = super.monotonicNow();
      setImmediate(() => (this.turnMs = undefined));
    }
    return this.turnMs + this.computedMs;
  }

  override setTimer(ms: number, callback: () => void): Timer {
    if (ms > LONGEST_STEPPED_MS) return super.setTimer(ms, callback);
    let isHolding = true;
    const arm = (leftMs: number): Timer => {
      const next = () => {
        if (leftMs > STEP_MS) step = arm(leftMs - STEP_MS);
        else callback();
      };
      const timer = super.setTimer(Math.min(leftMs, STEP_MS), next);
      if (!isHolding) timer.unref?.();
      return timer;
    };
    let step = arm(ms);
    return {
      cancel: () => step.cancel(),
      unref: () => {
        isHolding = false;
        step.unref?.();
      },
    };
  }
}

const clock = new UnhurriedClock();
const nextFireTime = fireTimes(clock);
const adapters: { readonly name: string; readonly center: (namespace: string) => RegistryCenter }[] = [
  {
    name: 'memory',
    center: (namespace) =>
      new MemoryRegistry(clock).center({
        namespace,
        clock,
        sessionTimeoutMs: 30_000,
        requestTimeoutMs: 10_000,
        latencyMs: 4,
      }),
  },
  {
    name: 'zookeeper',
    center: (namespace) => new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock),
  },
];

let runtime: ElasticJobRuntime | undefined;
afterEach(() => runtime?.stop());

describe.each(adapters)('the cost of one trigger in steady state ($name)', LIMITS, ({ name, center }) => {
  it.each([1, 10, 100, 1_000])('is 3 foreground requests for %i items that end together', async (items) => {
    const registry = await start(center, items, () => {});

    const cost = await costOfTrigger(registry);

    print(name, items, 'together', cost);
    expect(cost.foreground).toBe(3);
  });

  it('is 3 foreground requests for items that together compute for longer than a turn of the event loop', async () => {
    const registry = await start(center, 5, () => clock.compute(26));

    expect((await costOfTrigger(registry)).foreground).toBe(3);
  });

  it('is 3 foreground requests for a job that catches up on all, if nothing is owed', async () => {
    const registry = await start(center, 10, () => {}, { misfirePolicy: 'all' });

    expect((await costOfTrigger(registry)).foreground).toBe(3);
  });

  it("is 3 foreground requests for a job with a child, the child's start included", async () => {
    const registry = await start(center, 10, () => {});
    await registry.ensurePath('/child');
    await registry.create('/child/after', formatStartLedger(withParents(NO_STARTS, [JOB])), 'PERSISTENT');
    const progress = formatParentProgress({ closedUpTo: 0, runs: new Map() });
    await registry.create(`/${JOB}/dependents`, progress, 'PERSISTENT');
    await registry.create(`/${JOB}/dependents/child`, '', 'PERSISTENT');
    await quiet(registry);
    await trigger(); // It learns what the child has.

    const cost = await costOfTrigger(registry);

    expect(cost.foreground).toBe(3);
    const { starts } = parseStartLedger((await registry.read('/child/after'))!.data)!;
    expect(starts).toHaveLength(2);
  });

  it('shares requests among the settles of 1,000 items that end within 100 ms', async () => {
    const registry = await start(center, 1_000, () => clock.sleep(100 * clock.random()));
    const roundTripMs = await shortestRoundTrip(registry);

    const cost = await costOfTrigger(registry);

    print(name, 1_000, `within 100 ms, round trip ${roundTripMs.toFixed(2)} ms`, cost);
    expect(cost.foreground).toBeGreaterThanOrEqual(3);
    // One settle is in flight at a time.
    expect(cost.foreground).toBeLessThanOrEqual(3 + cost.elapsedMs / roundTripMs);
    expect(cost.foreground).toBeLessThan(1_000);
  });

  it('is at most 10 requests for 200 jobs that are due at one instant', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `${JOB}-${index}`);
    const registry = await startJobs(center, names, 1, () => {});

    const cost = await costOfTrigger(registry, names);

    print(name, 200, 'in as many jobs', cost);
    expect(cost.foreground).toBeLessThanOrEqual(10);
  });
});

interface Cost {
  readonly foreground: number;
  readonly background: number;
  readonly elapsedMs: number;
}

function start(
  center: (namespace: string) => RegistryCenter,
  shardingTotalCount: number,
  handler: JobHandler,
  more: Partial<JobOptions> = {},
): Promise<RegistryCenter> {
  return startJobs(center, [JOB], shardingTotalCount, handler, more);
}

async function startJobs(
  center: (namespace: string) => RegistryCenter,
  names: readonly string[],
  shardingTotalCount: number,
  handler: JobHandler,
  more: Partial<JobOptions> = {},
): Promise<RegistryCenter> {
  const registry = center(`cost-${clock.uuid()}`);
  runtime = new ElasticJobRuntime({ registry, clock });
  const common = { cron: '0 0 0 1 1 ? 2199', shardingTotalCount, failover: true, monitorExecution: true, ...more };
  for (const name of names) {
    const configuration = resolveJobOptions({ name, ...common }, { place: 'request-cost.spec' });
    await runtime.registrar.register({ configuration, className: JOB, place: 'request-cost.spec', handler });
  }
  await runtime.start();
  await trigger(names); // The first run of a job is not steady state.
  return registry;
}

async function trigger(names: readonly string[] = [JOB]): Promise<void> {
  const fireTime = nextFireTime();
  await Promise.all(names.map((name) => runtime!.registrar.of(name).currentSession!.tick(fireTime)));
}

async function costOfTrigger(registry: RegistryCenter, names?: readonly string[]): Promise<Cost> {
  await quiet(registry, names);
  const before = { ...registry.traffic };
  const begunAt = performance.now();
  await trigger(names);
  const elapsedMs = performance.now() - begunAt;
  const foreground = registry.traffic.foreground - before.foreground;
  await quiet(registry, names);
  return { foreground, background: registry.traffic.background - before.background, elapsedMs };
}

// The sync of a view resolves when nothing is left to be read again.
async function quiet(registry: RegistryCenter, names: readonly string[] = [JOB]): Promise<void> {
  const before = registry.traffic.foreground;
  await Promise.all(names.map((name) => runtime!.registrar.of(name).currentSession!.tree.sync()));
  expect(registry.traffic.foreground).toBe(before + 1);
}

async function shortestRoundTrip(registry: RegistryCenter): Promise<number> {
  let shortestMs = Infinity;
  for (let round = 0; round < 20; round++) {
    const begunAt = performance.now();
    await registry.exists(`/${JOB}/config`);
    shortestMs = Math.min(shortestMs, performance.now() - begunAt);
  }
  return shortestMs;
}

function print(adapter: string, items: number, how: string, { foreground, background, elapsedMs }: Cost): void {
  console.info(
    `${adapter}: ${items} items ending ${how}: ${foreground} foreground, ${background} watch requests, ` +
      `${elapsedMs.toFixed(0)} ms`,
  );
}
