import { describe, expect, it } from 'vitest';
import { serverIpOf, type JobInstance } from '../cluster/index.js';
import { createShardingStrategy, findShardingStrategy } from './create-sharding-strategy.js';
import { planSharding } from './plan-sharding.js';
import { InvalidShardingError, UnknownStrategyError } from './sharding.errors.js';
import type { ShardingStrategy } from './sharding-strategy.js';

const instances = ['10.0.0.1@-@1', '10.0.0.2@-@2'].map((jobInstanceId): JobInstance => ({
  jobInstanceId,
  serverIp: serverIpOf(jobInstanceId),
}));

describe('createShardingStrategy', () => {
  it.each([
    ['avg_allocation', 'AVG_ALLOCATION'],
    ['AverageAllocationJobShardingStrategy', 'AVG_ALLOCATION'],
    ['OdevitySortByNameJobShardingStrategy', 'ODEVITY'],
    ['ROTATE_SERVER_BY_NAME', 'ROUND_ROBIN'],
    ['single_sharding_balance', 'SINGLE_SHARDING_BALANCE'],
    ['sticky', 'STICKY'],
    ['com.dangdang.ddframe.job.lite.api.strategy.impl.RotateServerByNameJobShardingStrategy', 'ROUND_ROBIN'],
  ])('reads the type "%s" as %s', (given, type) => {
    expect(createShardingStrategy(given).type).toBe(type);
  });

  it.each(['', 'RANDOM', 'org.acme.OdevitySortByNameJobShardingStrategy', 'constructor'])(
    'lists the known types in the error for the unknown type "%s"',
    (given) => {
      expect(() => createShardingStrategy(given)).toThrow(
        new UnknownStrategyError(given, [
          'AVG_ALLOCATION',
          'ODEVITY',
          'ROUND_ROBIN',
          'SINGLE_SHARDING_BALANCE',
          'STICKY',
        ]),
      );
    },
  );

  it('finds own strategies beside built-in ones, and lists them in the error', () => {
    const byRegion = strategyOf('BY_REGION', () => new Map());
    expect(findShardingStrategy('BY_REGION', [byRegion])).toBe(byRegion);
    expect(findShardingStrategy('odevity', [byRegion])).toBe(createShardingStrategy('ODEVITY'));
    expect(() => findShardingStrategy('BY_REGIO', [byRegion])).toThrow('STICKY, BY_REGION');
  });
});

describe('planSharding', () => {
  it('assigns nothing without instances, and does not ask the strategy', () => {
    const never = strategyOf('NEVER', () => expect.unreachable());
    expect(planSharding(never, [], 'job', 3).size).toBe(0);
  });

  it('accepts the answer of an own strategy that copies the instances', () => {
    const allToLast = strategyOf('LAST', (given) => new Map([[{ ...given.at(-1)! }, [1, 0]]]));
    expect([...planSharding(allToLast, instances, 'job', 2)]).toEqual([
      [0, '10.0.0.1@-@1'],
      [1, '10.0.0.1@-@1'],
    ]);
  });

  const stranger: JobInstance = { jobInstanceId: '10.0.0.9@-@9', serverIp: '10.0.0.9' };
  const faults: [string, (given: readonly JobInstance[]) => Map<JobInstance, number[]>, number, string][] = [
    ['forgets an item', (given) => new Map([[given[0]!, [0, 2]]]), 1, 'no instance'],
    [
      'gives an item twice',
      ([a, b]) =>
        new Map([
          [a!, [0, 1]],
          [b!, [1, 2]],
        ]),
      1,
      '"10.0.0.2@-@2" and "10.0.0.1@-@1"',
    ],
    ['invents an item', (given) => new Map([[given[0]!, [0, 1, 2, 3]]]), 3, 'outside 0..2'],
    ['gives out half an item', (given) => new Map([[given[0]!, [0, 0.5, 1, 2]]]), 0.5, 'outside 0..2'],
    ['invents an instance', () => new Map([[stranger, [0, 1, 2]]]), 0, '"10.0.0.9@-@9"'],
  ];
  it.each(faults)('names strategy, job and item in the error if the strategy %s', (...row) => {
    const [, shard, item, detail] = row;
    const plan = () => planSharding(strategyOf('MINE', shard), instances, 'settle-orders', 3);
    expect(plan).toThrow(InvalidShardingError);
    expect(plan).toThrow(expect.objectContaining({ strategy: 'MINE', jobName: 'settle-orders', item }));
    expect(plan).toThrow(detail);
  });
});

function strategyOf(
  type: string,
  shard: (instances: readonly JobInstance[]) => ReadonlyMap<JobInstance, readonly number[]>,
): ShardingStrategy {
  return { type, shard };
}

describe('STICKY', () => {
  const owned = (...owners: string[]) => new Map(owners.map((owner, item) => [item, owner]));
  const [a, b, c] = ['10.0.0.3@-@1', '10.0.0.2@-@1', '10.0.0.1@-@1'] as const;
  const plan = (ids: readonly string[], total: number, current: ReadonlyMap<number, string>) => {
    const members = ids.map((jobInstanceId) => ({ jobInstanceId, serverIp: serverIpOf(jobInstanceId) }));
    return [...planSharding(createShardingStrategy('STICKY'), members, 'settle-orders', total, current).values()];
  };

  it('gives a joining instance its due items, and moves nothing else', () => {
    expect(plan([a, b, c], 6, owned(a, a, a, b, b, b))).toEqual([a, a, c, b, b, c]);
  });

  it('gives the items of a leaving instance to those with the fewest items', () => {
    expect(plan([a, b], 6, owned(a, a, b, b, c, c))).toEqual([a, a, b, b, a, b]);
    expect(plan([a, b], 5, owned(a, a, b, c, c))).toEqual([a, a, b, b, a]);
  });

  it('assigns items in turn if there are no owners yet', () => {
    expect(plan([a, b, c], 5, new Map())).toEqual([a, b, c, a, b]);
  });
});
