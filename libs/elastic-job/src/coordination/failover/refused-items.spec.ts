import { beforeEach, describe, expect, it } from 'vitest';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';

const ITEMS = [0, 1, 2];

let registry: Registry;
let leader: Member;
beforeEach(async () => {
  registry = new Registry();
  [leader] = await registry.sharded(1, { shardingTotalCount: ITEMS.length });
});

describe('an item that this client may not write', () => {
  it('keeps a claim from taking anything, and is claimed with the others once it may be written', async () => {
    await registry.orphan(leader, ITEMS);
    const end = registry.protect(1);
    await expect(leader.queue.claim(JOB)).rejects.toMatchObject(refusedBelow(1));
    expect(leader.tree.queue()).toEqual(ITEMS);
    end();

    expect(await leader.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: ITEMS } });
  });

  it('keeps a sweep from changing anything, and is queued with the others once it may be written', async () => {
    const victim = await registry.joined();
    await victim.begin(ITEMS);
    victim.die();
    const end = registry.protect(1);
    await expect(sweep()).rejects.toMatchObject(refusedBelow(1));
    await leader.tree.sync();
    expect([leader.tree.queue(), await holders()]).toEqual([[], ITEMS.map(() => victim.id)]);
    end();

    expect(await sweep()).toEqual(ITEMS);
    expect(await holders()).toEqual(ITEMS.map(() => undefined));
  });
});

function refusedBelow(item: number) {
  return { code: 'NO_AUTH', path: expect.stringContaining(`/sharding/${item}/`) };
}

function sweep(): Promise<readonly number[]> {
  return registry.clock.advanceUntil(leader.orphans.sweep(leader.tree, leader.leader.term(JOB)!));
}

function holders(): Promise<readonly (string | undefined)[]> {
  return Promise.all(ITEMS.map((item) => leader.holder(item)));
}
