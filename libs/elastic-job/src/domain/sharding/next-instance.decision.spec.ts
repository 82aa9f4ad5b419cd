import { describe, expect, it } from 'vitest';
import { serverIpOf } from '../cluster/index.js';
import { createShardingStrategy } from './create-sharding-strategy.js';
import { goesRound, nextIpAfter, nextInstanceOf } from './next-instance.decision.js';

const [C, B, A] = ['10.0.0.3@-@1', '10.0.0.2@-@1', '10.0.0.1@-@1'] as const;

describe('the next instance', () => {
  it.each([
    ['names an address', '10.0.0.2', [C, B, A], B],
    ['names nobody', undefined, [C, B, A], undefined],
    ['is blank', '', [C, B, A], undefined],
    ['names an address that has no instance any more', '10.0.0.9', [C, B, A], undefined],
    ['names an address that begins like another', '10.0.0.1', ['10.0.0.10@-@1', A], A],
    ['names an address of several instances', '10.0.0.2', ['10.0.0.2@-@9', '10.0.0.2@-@10', A], '10.0.0.2@-@9'],
  ])('is found from a node that %s: $3', (_, nextIp, ids, taker) => {
    expect(nextInstanceOf(nextIp, instancesOf(ids))).toBe(taker);
  });

  it('is the Java peer at the named address if one of ours is there as well', () => {
    const java = { ...instancesOf(['10.0.0.2@-@1'])[0]!, isOurs: false };
    expect(nextInstanceOf('10.0.0.2', [...instancesOf(['10.0.0.2@-@2-s']), java])).toBe(java.jobInstanceId);
  });

  it.each([
    ['the first', C, [C, B, A], '10.0.0.2'],
    ['the last', A, [C, B, A], '10.0.0.3'],
    ['the one between', B, [C, B, A], '10.0.0.1'],
    ['the only one', A, [A], '10.0.0.1'],
    ['one of two at an address', '10.0.0.2@-@9', ['10.0.0.2@-@9', '10.0.0.2@-@10', A], '10.0.0.1'],
    ['one that may be given nothing any more', B, [C, A], '10.0.0.3'],
    ['one that nobody is left beside', B, [], '10.0.0.2'],
  ])('is named by its address after a run of %s: $3', (_, self, ids, nextIp) => {
    expect(nextIpAfter(instancesOf([self])[0]!, instancesOf(ids))).toBe(nextIp);
  });

  it.each([
    ['SINGLE_SHARDING_BALANCE', 1, true],
    ['SINGLE_SHARDING_BALANCE', 2, false],
    ['ROUND_ROBIN', 1, false],
  ])('gets the item in turn with %s and %i items: %s', (type, shardingTotalCount, expected) => {
    expect(goesRound({ strategy: createShardingStrategy(type), shardingTotalCount })).toBe(expected);
  });
});

function instancesOf(ids: readonly string[]) {
  return ids.map((jobInstanceId) => ({ jobInstanceId, serverIp: serverIpOf(jobInstanceId), isOurs: true }));
}
