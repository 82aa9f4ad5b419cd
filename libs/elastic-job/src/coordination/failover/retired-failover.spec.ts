import { afterNextLoad, beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { removeRetiredFailover } from './retired-failover.js';

let registry: Registry;
let leader: Member;
let term: LeadershipTerm;
let operator: RegistryCenter;
let isRetired: boolean;
beforeEach(async () => {
  isRetired = true;
  registry = new Registry();
  leader = await registry.joined();
  term = await leader.lead();
  operator = await registry.operator();
});

describe('what is left once failover is switched off', () => {
  it('goes: entries of the queue, and the marks of items that were taken and do not run', async () => {
    await create(leader.tree.paths.queued(0), leader.tree.paths.queued(3));
    await create(mark(1, 'failover'), mark(1, 'failovering'), mark(2, 'failovering'));

    expect(await remove()).toEqual([0, 3]);

    expect(await operator.children(leader.tree.paths.queue)).toEqual([]);
    for (const item of [1, 2])
      expect(await operator.children(leader.tree.paths.item(item))).toEqual(['instance', 'record']);
  });

  it('goes without an entry in the queue, and without a mark', async () => {
    await create(mark(1, 'failovering'));
    await remove();
    expect(await operator.exists(mark(1, 'failovering'))).toBeUndefined();

    await create(leader.tree.paths.queued(0));
    await remove();
    expect(await operator.exists(leader.tree.paths.queued(0))).toBeUndefined();
  });

  it('stays where a failover runs: it goes with the end of that', async () => {
    await create(leader.tree.paths.queued(0), mark(1, 'running'), mark(1, 'failovering'));

    await remove();

    expect(await operator.exists(mark(1, 'failovering'))).toBeDefined();
    expect(await operator.exists(leader.tree.paths.queued(0))).toBeUndefined();
  });

  it('is looked at anew if an item is begun meanwhile, or the configuration changes', async () => {
    await create(mark(1, 'failovering'), leader.tree.paths.queued(0));
    beforeNextTransaction(leader, async () => {
      await operator.create(leader.tree.paths.record(1), 'begun', 'PERSISTENT');
      await operator.create(mark(1, 'running'), 'another', 'PERSISTENT');
    });
    await remove();
    expect(await operator.exists(mark(1, 'failovering'))).toBeDefined();

    await create(leader.tree.paths.queued(2));
    const { data } = (await operator.read(leader.tree.paths.config))!;
    beforeNextTransaction(leader, () => operator.set(leader.tree.paths.config, data));
    await remove();
    expect(await operator.exists(leader.tree.paths.queued(2))).toBeUndefined();
  });

  it.each([
    ['written', beforeNextTransaction],
    ['read', afterNextLoad],
  ])('stays if failover is switched on again as it is %s, with what is queued from then on', async (_, meanwhile) => {
    await create(mark(1, 'failovering'), leader.tree.paths.record(1), leader.tree.paths.queued(0));
    meanwhile(leader, async () => {
      isRetired = false;
      const { data } = (await operator.read(leader.tree.paths.config))!;
      await operator.set(leader.tree.paths.config, data);
      await operator.create(leader.tree.paths.queued(2), '', 'PERSISTENT');
    });

    expect(await remove()).toEqual([]);

    expect(await operator.children(leader.tree.paths.queue)).toEqual(['0', '2']);
    expect(await operator.exists(mark(1, 'failovering'))).toBeDefined();
  });

  it('stays if the item is begun as its record is read', async () => {
    await create(mark(1, 'failovering'), leader.tree.paths.record(1));
    afterNextLoad(leader, async () => {
      await operator.set(leader.tree.paths.record(1), 'begun');
      await operator.create(mark(1, 'running'), 'another', 'PERSISTENT');
    });

    await remove();

    expect(await operator.exists(mark(1, 'failovering'))).toBeDefined();
  });

  it('goes although the configuration is gone', async () => {
    await operator.delete(leader.tree.paths.config);
    await create(leader.tree.paths.queued(0));

    await remove();

    expect(await operator.exists(leader.tree.paths.queued(0))).toBeUndefined();
  });

  it('is removed by the leader alone', async () => {
    await create(leader.tree.paths.queued(0));
    await operator.delete(term.guard[0]!.path);
    leader.leader.endTerm(leader.tree.jobName, new Error('deposed'));

    await expect(remove()).rejects.toThrow('deposed');
    expect(await operator.exists(leader.tree.paths.queued(0))).toBeDefined();
  });

  it('costs one write, and nothing where there is nothing', async () => {
    await create(leader.tree.paths.queued(0));
    const before = leader.center.traffic.foreground;
    await remove();
    expect(await remove()).toEqual([]);
    expect(leader.center.traffic.foreground - before).toBe(1);
  });

  it('stays where a task waits for adoption, at no cost but that of a look', async () => {
    const target = { fireTime: 1_000, origin: 'schedule' };
    const record = JSON.stringify({ v: 1, run: 'r', by: 'x', target, isAdoptable: true });
    await operator.create(leader.tree.paths.record(0), record, 'PERSISTENT');
    await create(leader.tree.paths.queued(0));
    const before = leader.center.traffic.foreground;

    expect(await remove()).toEqual([]);

    expect(leader.center.traffic.foreground - before).toBe(1);
    expect(await operator.exists(leader.tree.paths.queued(0))).toBeDefined();
  });
});

/** @returns the items that waited */
function remove(): Promise<readonly number[]> {
  return removeRetiredFailover(leader.tree, term, () => isRetired);
}

function mark(item: number, name: 'running' | 'failover' | 'failovering'): string {
  return leader.tree.paths.mark(item, name);
}

async function create(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await operator.create(path, '', 'PERSISTENT');
  await leader.tree.sync();
}
