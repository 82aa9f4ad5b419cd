import { beforeEach, describe, expect, it } from 'vitest';
import { formatParentProgress, itemSetOf } from '../../domain/index.js';
import { type Member, Registry } from '@test/support/unit/member.js';
import { slowQueue, touch } from '@test/support/unit/slow-queue.js';

const NOTHING_COUNTED = formatParentProgress({ closedUpTo: 0, runs: new Map() });

let registry: Registry;
let member: Member;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1, { shardingTotalCount: 8 });
});

describe('the count of runs that start other jobs', () => {
  const noteOf = (item: number) => ({
    fireTime: 1_000,
    item,
    expected: itemSetOf([...Array(1_000).keys()]),
    isSucceeded: true,
  });

  /** Ends the next item when the one before is settled. @returns a function that counts the ended ones */
  function endWithoutPause({ queue, settled }: Awaited<ReturnType<typeof slowQueue>>): () => number {
    let ended = 0;
    const endAgain = () => {
      queue.add({ ...settled('busy', [touch(member, 0)]), note: noteOf((ended += 1)), onSettled: endAgain });
    };
    endAgain();
    return () => ended;
  }

  beforeEach(async () => {
    await member.center.create(member.tree.paths.dependents, NOTHING_COUNTED, 'PERSISTENT');
    await member.center.create(member.tree.paths.dependent('report'), '', 'PERSISTENT');
  });

  it.each([30, 300])(
    'gives a peer with %i ms latency a turn while items of another instance end without a pause',
    async (latencyMs) => {
      const busy = await slowQueue(registry, member, { latencyMs: 10 });
      const slow = await slowQueue(registry, member, { latencyMs });
      const ended = endWithoutPause(busy);
      await registry.clock.advance(1_000);
      slow.queue.add({ ...slow.settled('slow', [touch(member, 1)]), note: noteOf(999) });
      await registry.clock.advance(10 * latencyMs);

      expect(slow.settled.told).toEqual(['slow true']);
      expect(await member.center.exists(member.tree.paths.countingLock)).toBeUndefined();
      const before = ended();
      await registry.clock.advance(1_000);
      expect(ended() - before).toBeGreaterThan(50);
    },
  );

  it('waits for a stalled holder of the lock only once, and briefly', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(member, 0)]), note: noteOf(0) });
    await registry.clock.advance(1_900);
    expect(settled.told).toEqual([]);
    await registry.clock.advance(200);
    queue.add({ ...settled('second', [touch(member, 1)]), note: noteOf(1) });
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true', 'second true']);
  });

  it('goes on at once after the lock has become free', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(member, 0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true']);
  });

  it('includes items that end while it waits for the lock', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(member, 0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    queue.add({ ...settled('second', [touch(member, 1)]), note: noteOf(1) });
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true', 'second true']);
    expect((await member.center.read(member.tree.paths.dependents))?.stat.version).toBe(1);
  });

  it('has room for the counts: an end that would take it leaves in a transaction of its own', async () => {
    const { queue, settled } = await slowQueue(registry, member, { maxRequestBytes: 4_000 });
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(member, 0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    queue.add(settled('large', [touch(member, 1, 'x'.repeat(3_000))]));
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true', 'large true']);
    const [first, large] = [0, 1].map((item) => member.center.exists(member.tree.paths.item(item)));
    expect((await large)!.mzxid).toBeGreaterThan((await first)!.mzxid);
  });

  it('is waited for by the ends of its transaction that are not counted', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('counted', [touch(member, 0)]), note: noteOf(0) });
    queue.add(settled('other', [touch(member, 1)]));
    await registry.clock.advance(100);
    expect(settled.told).toEqual([]);
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['counted true', 'other true']);
  });

  it('keeps items that end while it waits for the lock, although the registry refuses a read then', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);
    queue.add({ ...settled('first', [touch(member, 0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    queue.add({ ...settled('looked at', [touch(member, 1)]), isDisturbed: true, judgeStanding: () => 'open' });
    queue.add(settled('joined', [touch(member, 2)]));

    await member.center.delete(member.tree.paths.countingLock);
    const mend = registry.memory.failRequests(() => -127);
    await registry.clock.advance(1_000);
    mend();
    await registry.clock.advance(10_000);

    expect(settled.told.toSorted()).toEqual(['first true', 'joined true', 'looked at true']);
  });

  it('frees the lock if the items of its holder were taken over', async () => {
    const { countingLock } = member.tree.paths;
    const busy = await slowQueue(registry, member, { latencyMs: 10 });
    const slow = await slowQueue(registry, member, { latencyMs: 100 });
    endWithoutPause(busy);
    slow.queue.add({ ...slow.settled('slow', [{ ...touch(member, 1), version: 0 }]), note: noteOf(999) });
    while ((await member.center.exists(countingLock)) === undefined) await registry.clock.advance(10);
    await member.center.set(member.tree.paths.item(1), 'taken over');
    await registry.clock.advance(1_000);

    expect(slow.settled.told).toEqual(['slow false']);
    expect(await member.center.exists(countingLock)).toBeUndefined();
  });
});
