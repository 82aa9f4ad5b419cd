import { resolveJobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import { createTestCluster, VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';
import type { ReshardOptions, Resharding } from './instance-calls.js';

/** Code must be compiled, and caches filled, before the measurement. */
const WARM_UP = 3_000;
const SECOND_MS = 1_000;
const STEP_MS = 10;
const RESHARDING_LIMIT_MS = 60_000;
const NEVER = '0 0 0 1 1 ? 2099';

/**
 * Measures the processor time of a trigger of one item, over the embedded registry and a virtual clock, in
 * milliseconds.
 */
export async function timeTriggers(runs: number): Promise<number> {
  const clock = new VirtualClock();
  const limits = { sessionTimeoutMs: 60_000, requestTimeoutMs: 10_000, latencyMs: 1 };
  const registry = new MemoryRegistry(clock).center({ namespace: 'bench', clock, ...limits });
  const runtime = new ElasticJobRuntime({ registry, clock });
  let handled = 0;
  const options = { name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1, failover: true };
  const configuration = resolveJobOptions(options, { place: 'bench' });
  const handler = () => void (handled += 1);
  await runtime.registrar.register({ configuration, className: 'bench', place: 'bench', handler });
  await clock.advanceUntil(runtime.start());
  await clock.advance(WARM_UP * SECOND_MS);
  const before = handled;
  const begun = process.cpuUsage();
  await clock.advance(runs * SECOND_MS);
  const computedMs = cpuMsSince(begun);
  const done = handled - before;
  await clock.advanceUntil(runtime.stop());
  if (Math.abs(done - runs) > 1) throw new Error(`${done} of ${runs} runs were made.`);
  return computedMs / done;
}

/** Measures how items get other owners when one of many instances, all in this process, leaves. */
export async function timeResharding({ instances, jobs, items }: ReshardOptions): Promise<Resharding> {
  const names = Array.from({ length: jobs }, (_, n) => `job-${n}`);
  const job = { cron: NEVER, shardingTotalCount: items, failover: true, handler: () => {} };
  const cluster = await createTestCluster({ instances, jobs: names.map((name) => ({ ...job, name })) });
  try {
    const isShared = (leaver?: number) =>
      names.every((name) => {
        const owners = [...cluster.assignment(name).values()];
        return owners.length === items && owners.every((owner) => owner >= 0 && owner !== leaver);
      });
    if (!isShared()) throw new Error(`${instances} instances did not share their jobs.`);
    const leaver = instances - 1;
    const begunAt = cluster.clock.monotonicNow();
    const begun = process.cpuUsage();
    await cluster.leave(leaver);
    while (!isShared(leaver)) {
      if (cluster.clock.monotonicNow() - begunAt > RESHARDING_LIMIT_MS) throw new Error('The jobs were not resharded.');
      await cluster.advance(STEP_MS);
    }
    return { virtualMs: cluster.clock.monotonicNow() - begunAt, computedMs: cpuMsSince(begun) };
  } finally {
    await cluster.stop();
  }
}

function cpuMsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}
