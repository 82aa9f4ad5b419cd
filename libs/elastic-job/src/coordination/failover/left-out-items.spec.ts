import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';

const NO_AUTH = { code: 'NO_AUTH' };
const ITEMS = Array.from({ length: 12 }, (_, item) => item);

let registry: Registry;
let leader: Member;
let term: LeadershipTerm;
let operator: RegistryCenter;
beforeEach(() => start(4));

describe('an item that this client may not write', () => {
  it('is left out of a claim, and the others of its target are claimed', async () => {
    await registry.orphan(leader, [0, 1, 2]);
    registry.protect(0, 1);

    expect(await leader.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [2] } });
    expect(leader.tree.queue()).toEqual([0, 1]);
  });

  it('keeps no item of another target from a claim', async () => {
    await registry.orphan(leader, [0]);
    await registry.orphan(leader, [1], 2_000);
    registry.protect(0);

    expect(await leader.queue.claim(JOB)).toMatchObject({ lease: { items: [1], trigger: { fireTime: 2_000 } } });
  });

  it('keeps no other item from an instance with one free slot', async () => {
    await registry.orphan(leader, [0, 1]);
    registry.protect(0);

    expect(await leader.queue.claim(JOB, { most: 1 })).toMatchObject({ lease: { items: [1] } });
  });

  it('keeps no other item from a claim beside Java', async () => {
    await registry.orphan(leader, [0, 1]);
    await operator.create(leader.tree.paths.instance('10.0.0.9@-@4711'), '', 'EPHEMERAL');
    await leader.tree.sync();
    registry.protect(0);

    expect(await leader.queue.claim(JOB)).toMatchObject({ lease: { items: [1] } });
  });

  it('is told if nothing else can be claimed, and is claimed once it may be written', async () => {
    await registry.orphan(leader, [0, 1]);
    const end = registry.protect(0, 1);
    await expect(leader.queue.claim(JOB)).rejects.toMatchObject(NO_AUTH);
    await expect(leader.queue.claim(JOB, { mayTake: (item) => item === 1 })).rejects.toMatchObject({
      path: expect.stringContaining('/sharding/1/'),
    });
    end();

    expect(await leader.queue.claim(JOB)).toMatchObject({ lease: { items: [0, 1] } });
  });

  it('is not to blame if a claim may not be made at all', async () => {
    await registry.orphan(leader, [0, 1]);
    let requests = 0;
    registry.memory.fail(({ kind, path }) => {
      if (kind !== 'check' || !path.includes('/instances/')) return undefined;
      requests += 1;
      return -102;
    });

    await expect(leader.queue.claim(JOB)).rejects.toMatchObject(NO_AUTH);
    expect(requests).toBe(1);
  });
});

describe('a sweep that meets items which this client may not write', () => {
  beforeEach(async () => {
    await start(12);
    const victim = await registry.joined();
    await victim.begin(ITEMS);
    victim.die();
  });

  it('leaves out ten of them and tells why, and queues the others', async () => {
    registry.protect(...ITEMS.slice(0, 10));
    const told: unknown[] = [];

    expect(await sweep((error) => told.push(error))).toEqual([10, 11]);

    expect(told).toHaveLength(10);
    expect(told[9]).toMatchObject(NO_AUTH);
    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([10, 11]);
  });

  it('gives up if there are more of them', async () => {
    registry.protect(...ITEMS.slice(0, 11));

    await expect(sweep()).rejects.toMatchObject(NO_AUTH);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([]);
  });

  it('leaves out none if the registry refuses it for another reason', async () => {
    registry.memory.fail(({ kind }) => (kind === 'create' ? -125 : undefined));
    const told: unknown[] = [];

    await expect(sweep((error) => told.push(error))).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(told).toEqual([]);
  });
});

async function start(shardingTotalCount: number): Promise<void> {
  registry = new Registry();
  [leader] = await registry.sharded(1, { shardingTotalCount });
  term = leader.leader.term(JOB)!;
  operator = await registry.operator();
}

function sweep(onLeftOut?: (error: unknown) => void): Promise<readonly number[]> {
  return registry.clock.advanceUntil(leader.orphans.sweep(leader.tree, term, { onLeftOut }));
}
