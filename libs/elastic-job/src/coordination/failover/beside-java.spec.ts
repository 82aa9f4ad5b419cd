import { beforeEach, describe, expect, it } from 'vitest';
import { acquireLatch, type RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, JOB, type Member, type Registry } from '@test/support/unit/member.js';
import { ThreeMembers } from '@test/support/unit/three-members.js';

let members: ThreeMembers;
let registry: Registry;
let leader: Member;
let worker: Member;
let third: Member;
let term: LeadershipTerm;
beforeEach(async () => {
  members = await ThreeMembers.start();
  ({ registry, leader, worker, third, term } = members);
});

describe('failover beside Java', () => {
  const [JAVA, OTHER] = ['10.0.0.8@-@4711', '10.0.0.9@-@4711'];
  let operator: RegistryCenter;
  beforeEach(async () => {
    operator = await registry.operator();
    await operator.create(leader.tree.paths.instance(OTHER), '', 'EPHEMERAL');
    await Promise.all([leader, worker, third].map(({ tree }) => tree.sync()));
  });

  it('queues the item of a missing Java peer after the grace', async () => {
    await operator.create(leader.tree.paths.mark(0, 'running'), JAVA, 'PERSISTENT');

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    await registry.clock.advance(1_000);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await leader.holder(0)).toBeUndefined();
  });

  it("queues an item again if its rescuer left while the rescuer's session lasts", async () => {
    await members.orphan(0);
    expect((await registry.clock.advanceUntil(worker.queue.claim(JOB))).kind).toBe('claimed');
    await worker.instances.leave(worker.tree);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await operator.exists(leader.tree.paths.mark(0, 'failover'))).toBeUndefined();
  });

  it('keeps the mark of another Java peer that took the item during a sweep', async () => {
    const { paths } = leader.tree;
    const running = paths.mark(0, 'running');
    await operator.create(running, JAVA, 'PERSISTENT');
    await leader.orphans.sweep(leader.tree, term);
    await registry.clock.advance(1_000);
    beforeNextTransaction(leader, async () => {
      await operator.delete(running);
      await operator.create(paths.mark(0, 'failover'), OTHER, 'EPHEMERAL');
      await operator.create(running, OTHER, 'PERSISTENT');
    });

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    expect(await leader.holder(0)).toBe(OTHER);
    expect(await operator.exists(paths.queued(0))).toBeUndefined();
  });

  it('keeps the mark of one of our instances that began the item during a sweep', async () => {
    const running = leader.tree.paths.mark(0, 'running');
    await operator.create(running, JAVA, 'PERSISTENT');
    await leader.orphans.sweep(leader.tree, term);
    await registry.clock.advance(1_000);
    beforeNextTransaction(leader, async () => {
      await operator.delete(running);
      await worker.begin([0], { fireTime: registry.clock.wallNow() + 1_000 });
    });

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    expect(await leader.holder(0)).toBe(worker.id);
  });

  it('runs an entry without a record for the last fire time before it was queued', async () => {
    await operator.create(leader.tree.paths.queued(2), '', 'PERSISTENT');
    const queuedAt = registry.clock.wallNow();
    await registry.clock.advance(120_000);
    await worker.tree.sync();

    const claim = await worker.queue.claim(JOB);

    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
    expect(claim.lease.trigger).toMatchObject({ fireTime: Math.floor(queuedAt / 60_000) * 60_000, source: 'FAILOVER' });
  });

  it('fault 10: makes a claim lose while Java holds the latch, and succeed later', async () => {
    await members.orphan(0);
    const held = await acquireLatch(operator, registry.clock, worker.tree.paths.failoverLatch, { timeoutMs: 1_000 });

    const claiming = worker.queue.claim(JOB);
    await registry.clock.advance(5_000);
    expect(await claiming).toEqual({ kind: 'lost', items: [0] });
    await held!.release();

    expect(await worker.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
    await registry.clock.advance(1_000);
    expect(await operator.children(worker.tree.paths.failoverLatch)).toEqual([]);
  });

  it('fault 10: makes a claim lose if its place at the latch is lost, and leaves the item queued', async () => {
    await members.orphan(0);
    beforeNextTransaction(worker, async () => {
      const latch = worker.tree.paths.failoverLatch;
      for (const name of await operator.children(latch)) await operator.delete(`${latch}/${name}`);
    });

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await operator.exists(worker.tree.paths.queued(0))).toBeDefined();
  });
});
