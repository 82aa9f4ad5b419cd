import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { Registry } from '@test/support/unit/member.js';
import { assertFitsOneTransaction, fitsOneTransactionOf } from './transaction-limit.js';

describe('the largest total of a job', () => {
  it('is at least 1,000 items with requests of the usual size', () => {
    expect(problem(center(), 1_000)).toBeUndefined();
  });

  it.each([
    ['orders', 1_000_000],
    ['orders', 100_000],
    ['a/rather/long/namespace/for/a/team/that/likes/order', 1_000_000],
    ['orders', 1_000],
  ])('just fits in the namespace %s with requests of %i bytes', (namespace, maxRequestBytes) => {
    const registry = center(namespace, maxRequestBytes);
    const limit = Number(/at most (\d+) items/.exec(problem(registry, 50_000)!)![1]);

    expect(problem(registry, Math.max(limit, 1)) === undefined).toBe(limit > 0);
    expect(problem(registry, limit + 1)).toContain(`at most ${limit} items fit`);
  });

  it('is reported with job, place and sizes if a total exceeds it', () => {
    expect(() => check(center(), 30_000)).toThrow(ConfigurationError);
    expect(problem(center(), 30_000)).toMatch(
      /job "settle-orders" \(OrderJobs\.settle\): shardingTotalCount 30000: .* \d+ bytes, .* 1000000;/,
    );
  });

  it('is smaller for a job with a longer name', () => {
    const registry = center();
    const limit = Number(/at most (\d+) items/.exec(problem(registry, 50_000)!)![1]);
    const assertFits = fitsOneTransactionOf(registry);
    const judge = (jobName: string) => () => assertFits({ jobName, place: 'here', shardingTotalCount: limit });

    expect(judge('settle-orders')).not.toThrow();
    expect(judge('settle-prices')).not.toThrow();
    expect(judge('settle-all-orders')).toThrow(/job "settle-all-orders" \(here\)/);
  });

  it('allows one instance to begin all items, and a sweep to queue them all', async () => {
    const registry = new Registry();
    const limit = Number(/at most (\d+) items/.exec(problem(registry.connect(), 50_000)!)![1]);
    const [leader] = await registry.sharded(1, { shardingTotalCount: limit });
    const worker = await registry.joined({ shardingTotalCount: limit });
    const items = [...Array(limit).keys()];

    const { lease } = await worker.begin(items);
    expect(lease!.items).toHaveLength(limit);
    worker.die();
    expect(await leader.orphans.sweep(leader.tree, leader.leader.term('settle-orders')!)).toHaveLength(limit);
  });
});

function center(namespace = 'orders', maxRequestBytes?: number): RegistryCenter {
  const { clock, memory } = new Registry();
  return memory.center({ namespace, clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000, maxRequestBytes });
}

function check(registry: RegistryCenter, shardingTotalCount: number): void {
  assertFitsOneTransaction(registry, { jobName: 'settle-orders', place: 'OrderJobs.settle', shardingTotalCount });
}

function problem(registry: RegistryCenter, shardingTotalCount: number): string | undefined {
  try {
    check(registry, shardingTotalCount);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
