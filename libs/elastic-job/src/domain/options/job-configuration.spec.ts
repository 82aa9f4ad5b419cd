import { describe, expect, it } from 'vitest';
import { mostItemsAtOnce, switchesFailover } from './job-configuration.js';
import type { JobOptions } from './job-options.js';
import { resolveJobOptions } from './resolve-job-options.js';

const PROCESSORS = 4;

describe('mostItemsAtOnce', () => {
  it.each<[Partial<JobOptions>, number]>([
    [{}, Infinity],
    [{ concurrency: 3 }, 3],
    [{ concurrency: 'CPU' }, 8],
    [{ concurrency: 'SINGLE_THREAD' }, 1],
    [{ jobExecutorThreadPoolSizeProviderType: 'CPU' }, 8],
    [{ jobExecutorThreadPoolSizeProviderType: 'single_thread' }, 1],
    [{ jobExecutorThreadPoolSizeProviderType: 'com.acme.PoolSize' }, Infinity],
    [{ jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD', concurrency: 5 }, 5],
    [{ jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD', resident: true }, Infinity],
  ])('allows for %j on four processors %s items at once', (options, most) => {
    const configuration = resolveJobOptions({ name: 'j', shardingTotalCount: 9, ...options }, { place: 'spec' });
    expect(mostItemsAtOnce(configuration, PROCESSORS)).toBe(most);
  });
});

it.each([
  [{}, false],
  [{ failover: false }, true],
  [{ monitorExecution: null }, true],
  [{ failover: undefined, misfire: true }, false],
])('tells that the change %j decides whether failover can work: %s', (changes, decides) => {
  expect(switchesFailover(changes)).toBe(decides);
});
