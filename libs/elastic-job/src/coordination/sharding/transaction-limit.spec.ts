import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { Registry } from '@test/support/unit/member.js';
import { assertFitsOneTransaction, fitsOneTransactionOf } from './transaction-limit.js';

describe('the largest total of a job', () => {
  it('given the usual request size, when a job has 1,000 items, then they fit', () => {
    expect(problem(center(), 1_000)).toBeUndefined();
  });

  it.each([
    ['orders', 1_000_000],
    ['orders', 100_000],
    ['a/rather/long/namespace/for/a/team/that/likes/order', 1_000_000],
    ['orders', 1_000],
  ])(
    'given the namespace %s and requests of %i bytes, when a total is refused, then its limit just fits',
    (namespace, maxRequestBytes) => {
      const registry = center(namespace, maxRequestBytes);
      const limit = Number(/at most (\d+) items/.exec(problem(registry, 50_000)!)![1]);

      expect(problem(registry, Math.max(limit, 1)) === undefined).toBe(limit > 0);
      expect(problem(registry, limit + 1)).toContain(`at most ${limit} items fit`);
    },
  );

  it('given a total that does not fit, when it is refused, then the error names job, place and sizes', () => {
    expect(() => check(center(), 30_000)).toThrow(ConfigurationError);
    expect(problem(center(), 30_000)).toMatch(
      /job "settle-orders" \(OrderJobs\.settle\): shardingTotalCount 30000: .* \d+ bytes, .* 1000000;/,
    );
  });

  it('given a total that fits one name, when it is too large for a longer one, then only that is refused', () => {
    const registry = center();
    const limit = Number(/at most (\d+) items/.exec(problem(registry, 50_000)!)![1]);
    const assertFits = fitsOneTransactionOf(registry);
    const judge = (jobName: string) => () => assertFits({ jobName, place: 'here', shardingTotalCount: limit });

    expect(judge('settle-orders')).not.toThrow();
    expect(judge('settle-prices')).not.toThrow();
    expect(judge('settle-all-orders')).toThrow(/job "settle-all-orders" \(here\)/);
  });

  it('given the greatest allowed total, when one instance takes it through a life, then all requests fit', async () => {
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
