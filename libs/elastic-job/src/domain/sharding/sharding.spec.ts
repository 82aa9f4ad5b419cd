import { describe, expect, it } from 'vitest';
import { serverIpOf, type JobInstance } from '../cluster/index.js';
import {
  createShardingStrategy,
  findShardingStrategy,
  strategyBesideJava,
  UnknownStrategyError,
} from './create-sharding-strategy.js';
import { InvalidShardingError, planSharding } from './plan-sharding.js';
import type { ShardingStrategy } from './strategies.js';

const instances = ['10.0.0.1@-@1', '10.0.0.2@-@2'].map((jobInstanceId): JobInstance => ({
  jobInstanceId,
  serverIp: serverIpOf(jobInstanceId),
}));

describe('createShardingStrategy', () => {
  it.each([
    ['balanced', 'BALANCED'],
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

  it.each(['', 'RANDOM', 'org.acme.OdevitySortByNameJobShardingStrategy', 'org.com.dangdang.STICKY', 'constructor'])(
    'lists the known types in the error for the unknown type "%s"',
    (given) => {
      expect(() => createShardingStrategy(given)).toThrow(
        new UnknownStrategyError(given, [
          'BALANCED',
          'AVG_ALLOCATION',
          'ODEVITY',
          'ROUND_ROBIN',
          'SINGLE_SHARDING_BALANCE',
          'STICKY',
        ]),
      );
    },
  );

  it.each([
    ['STICKY', true, 'STICKY'],
    ['ODEVITY', true, 'ODEVITY'],
    ['BALANCED', true, 'AVG_ALLOCATION'],
    ['BALANCED', false, 'AVG_ALLOCATION'],
    ['STICKY', false, 'AVG_ALLOCATION'],
  ])('has %s (named by the registry: %s) beside Java as %s', (type, isNamed, beside) => {
    expect(strategyBesideJava(createShardingStrategy(type), isNamed).type).toBe(beside);
  });

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
    ['gives out an item below 0', (given) => new Map([[given[0]!, [-1, 0, 1, 2]]]), -1, 'outside 0..2'],
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

  it.each<[string, () => unknown, string]>([
    ['no map', () => [[0, 1, 2]], 'a object that is no Map of instances to items'],
    ['a promise', () => Promise.reject(new Error('no')), 'a object that is no Map of instances to items'],
    ['nothing', () => undefined, 'a undefined that is no Map of instances to items'],
    ['a map without lists', () => new Map([[instances[0], 3]]), 'an entry without a list of items'],
  ])('says that it cannot read the answer if that is %s', (_what, shard, detail) => {
    const strategy: ShardingStrategy = Object.assign(Object.create(null), { type: 'MINE', shard });

    expect(() => planSharding(strategy, instances, 'settle-orders', 3)).toThrow(
      `returned something that cannot be read: ${detail}`,
    );
  });

  it('says what the strategy has thrown, which is the cause of the error', () => {
    const cause = new RangeError('no region');
    const broken = strategyOf('MINE', () => {
      throw cause;
    });

    const plan = () => planSharding(broken, instances, 'settle-orders', 3);

    expect(plan).toThrow('threw: no region');
    expect(plan).toThrow(expect.objectContaining({ code: 'INVALID_SHARDING', cause }));
  });
});

function strategyOf(
  type: string,
  shard: (instances: readonly JobInstance[]) => ReadonlyMap<JobInstance, readonly number[]>,
): ShardingStrategy {
  return { type, shard };
}

const [a, b, c] = ['10.0.0.3@-@1', '10.0.0.2@-@1', '10.0.0.1@-@1'] as const;
const JOB = 'settle-orders';

describe("Java's strategies", () => {
  it('give series of items to the instances, the highest first, and what remains to the first ones', () => {
    expect(planOf('AVG_ALLOCATION', [a, b, c], 8, undefined, JOB)).toEqual([a, a, b, b, c, c, a, b]);
  });

  it('give the one item of a job to an instance by the name of the job', () => {
    const ownerOf = (job: string) => planOf('SINGLE_SHARDING_BALANCE', [a, b, c], 1, undefined, job);
    expect(['a', 'b', 'c', 'd'].map(ownerOf)).toEqual([[b], [c], [a], [b]]);
  });
});

describe('BALANCED', () => {
  const plan = (ids: readonly string[], total: number, current?: ReadonlyMap<number, string>, job = JOB) =>
    planOf('BALANCED', ids, total, current, job);

  // Every release has to rank alike, so these rows must not change.
  it.each([
    ['import', [a, b, c]],
    ['report', [b, c, a]],
    ['nightly-1', [c, a, b]],
    ['nightly-3', [a, c, b]],
    ['OrderJobs.nightly', [b, a, c]],
    ['\u4f5c\u4e1a', [c, a, b]],
  ])('ranks instances by job: the one item of %s goes to %j, as far as they live', (job, ranked) => {
    for (const dead of [0, 1, 2]) expect(plan(ranked.slice(dead), 1, undefined, job)).toEqual([ranked[dead]]);
  });

  it('gives all items to a single instance', () => {
    expect(plan([b], 3)).toEqual([b, b, b]);
  });

  it('leaves out the last in rank where there are fewer items than instances', () => {
    expect(plan([a, b, c], 2, undefined, 'report')).toEqual([b, c]);
  });

  it('has no items to give for a total of 0', () => {
    expect(plan([a, b], 0)).toEqual([]);
  });

  it('leaves scattered items where they are, and fills up those that have fewer', () => {
    expect(plan([a, b, c], 6, owned(c, a, b, a, c, b))).toEqual([c, a, b, a, c, b]);
    expect(plan([a, b, c], 7, owned(c, a, b, a, c, b), 'import')).toEqual([c, a, b, a, c, b, a]);
    expect(plan([a, c], 6, owned(c, a, b, a, c, b), 'import')).toEqual([c, a, a, a, c, c]);
  });

  it("orders instances of equal hashes as Java's order has them", () => {
    const [first, second] = ['10.0.0.1@-@BB', '10.0.0.1@-@Aa'];
    expect(plan([second, first], 1)).toEqual([first]);
    expect(plan([first, second], 1)).toEqual([first]);
  });
});

describe('STICKY', () => {
  const plan = (ids: readonly string[], total: number, current?: ReadonlyMap<number, string>) =>
    planOf('STICKY', ids, total, current, 'report');

  it('gives a joining instance its due items, and moves nothing else', () => {
    expect(plan([a, b, c], 6, owned(a, a, a, b, b, b))).toEqual([a, a, c, b, b, c]);
  });

  it('gives the items of a leaving instance to those with the fewest items, or else by rank', () => {
    expect(plan([a, b], 6, owned(a, a, b, b, c, c))).toEqual([a, a, b, b, b, a]);
    expect(plan([a, b], 5, owned(a, a, b, c, c))).toEqual([a, a, b, b, b]);
  });

  it('gives items to an instance without any until it has as many as the others, and then in turn', () => {
    expect(plan([a, b], 4, owned(c, c, c, a))).toEqual([b, b, a, a]);
  });

  it('assigns items in turn by rank if there are no owners yet', () => {
    expect(plan([a, b, c], 5)).toEqual([b, c, a, b, c]);
  });

  it('leaves one item more with those that have it, and of these with the first in rank', () => {
    expect(plan([a, b, c], 4, owned(a, a, c, b))).toEqual([a, a, c, b]);
    expect(plan([a, b, c], 4, owned(a, a, c, c))).toEqual([a, b, c, c]);
  });
});

function owned(...owners: readonly string[]): ReadonlyMap<number, string> {
  return new Map(owners.map((owner, item) => [item, owner]));
}

function planOf(
  type: string,
  ids: readonly string[],
  total: number,
  current: ReadonlyMap<number, string> | undefined,
  job: string,
): readonly string[] {
  const members = ids.map((jobInstanceId) => ({ jobInstanceId, serverIp: serverIpOf(jobInstanceId) }));
  return [...planSharding(createShardingStrategy(type), members, job, total, current).values()];
}
