import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LeaseLostError } from '../../domain/index.js';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';

const JAVA = '10.0.0.9@-@4711';

let registry: Registry;
let leader: Member;
beforeEach(async () => {
  registry = new Registry();
  [leader] = await registry.sharded(1);
});

describe('whether an item is held', () => {
  it('refuses a lease of an earlier session once the next one is there, before the tree is closed', async () => {
    const { lease } = await leader.begin([0]);
    lease!.assertHeld(0);

    registry.memory.expire(leader.sessionId);
    await registry.clock.advance(1);

    expect(leader.center.session.state).toBe('RECONNECTED');
    expect(leader.center.leaseRemainingMs()).toBeGreaterThan(0);
    expect(() => lease!.assertHeld(0)).toThrow(LeaseLostError);
  });
});

describe('a lease whose session ends as it begins', () => {
  it('is aborted from its start on', async () => {
    const reason = new Error('the session is over');
    const transaction = leader.center.transaction.bind(leader.center);
    leader.center.transaction = async (...request) => {
      const result = await transaction(...request);
      leader.tree.close(reason);
      return result;
    };

    const { lease } = await leader.begin([0]);

    expect(lease!.signal.reason).toBe(reason);
    expect(lease!.signalOf(0).reason).toBe(reason);
  });
});

describe('what a lease says of its items', () => {
  it('refuses and starts no item once the lease of its session is over, before any signal comes', async () => {
    const { lease } = await leader.begin([0]);
    lease!.assertHeld(0);

    vi.spyOn(leader.tree, 'leaseRemainingMs').mockReturnValue(0);

    expect(lease!.signal.aborted).toBe(false);
    expect(() => lease!.assertHeld(0)).toThrow(new LeaseLostError(JOB, 0));
    expect(lease!.mayStart).toBe(false);
  });

  it('refuses an item that it does not have, and has no signal for it', async () => {
    const { lease } = await leader.begin([0]);
    expect(() => lease!.assertHeld(1)).toThrow(LeaseLostError);
    expect(() => lease!.signalOf(1)).toThrow(new RangeError('The lease has no item 1.'));
  });

  it('names the reason for which an item was aborted, and refuses no other one', async () => {
    const { lease } = await leader.begin([0, 1]);
    const reason = new Error('cancelled');

    lease!.abortItem(0, reason);

    expect(() => lease!.assertHeld(0)).toThrow(expect.objectContaining({ code: 'LEASE_LOST', cause: reason }));
    expect(() => lease!.assertHeld(1)).not.toThrow();
  });

  it('names the reason for which all of it was aborted', async () => {
    const { lease } = await leader.begin([0, 1]);
    const reason = new Error('drain');

    lease!.abort(reason);

    for (const item of [0, 1]) {
      expect(() => lease!.assertHeld(item)).toThrow(expect.objectContaining({ code: 'LEASE_LOST', cause: reason }));
      expect(lease!.signalOf(item).reason).toBe(reason);
    }
  });

  it('refuses an item whose end was reported, and reports it once', async () => {
    const { lease } = await leader.begin([0]);
    const told: unknown[] = [];
    lease!.onSettled((...settled) => told.push(settled));

    lease!.settle(0, { kind: 'succeeded' });
    lease!.settle(0, { kind: 'failed', error: new Error('too late') });
    expect(() => lease!.assertHeld(0)).toThrow(LeaseLostError);
    await registry.clock.advance(0);

    expect(told).toEqual([[0, { kind: 'succeeded' }]]);
    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'succeeded' }]]));
  });

  it('is settled only once the last of its items is', async () => {
    const { lease } = await leader.begin([0, 1]);
    let isSettled = false;
    void lease!.settled().then(() => (isSettled = true));

    lease!.settle(0, { kind: 'succeeded' });
    await registry.clock.advance(0);
    expect(isSettled).toBe(false);
    lease!.settle(1, { kind: 'succeeded' });
    await registry.clock.advance(0);

    expect(isSettled).toBe(true);
  });

  it('starts nothing while the registry does not answer, and notifies once it does', async () => {
    const { lease } = await leader.begin([0]);
    const told: unknown[] = [];
    const off = lease!.onMayStart(() => told.push(leader.center.session.state));
    expect(lease!.mayStart).toBe(true);

    registry.memory.suspend(leader.sessionId);
    await registry.clock.advance(1);
    expect([lease!.mayStart, told]).toEqual([false, []]);
    registry.memory.resume(leader.sessionId);
    await registry.clock.advance(1);
    expect([lease!.mayStart, told]).toEqual([true, ['RECONNECTED']]);

    off();
    registry.memory.suspend(leader.sessionId);
    registry.memory.resume(leader.sessionId);
    await registry.clock.advance(1);
    expect(told).toHaveLength(1);
  });
});

describe('whether an item is moving', () => {
  it('is true only for items that go to another instance, once the leader has resharded', async () => {
    const { lease } = await leader.begin([0, 1, 2, 3]);
    expect(movingOf(lease!)).toEqual([]);

    await registry.joined();
    await leader.center.create(leader.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await leader.tree.sync();
    // No one waits for the run, so it is not disturbed before the new plan exists.
    expect(movingOf(lease!)).toEqual([]);
    await leader.lead();

    expect(movingOf(lease!)).toEqual(leader.tree.items().filter((item) => leader.tree.owner(item) !== leader.id));
    expect(movingOf(lease!)).toHaveLength(2);
  });

  it('is true for every item beside a Java peer, which waits for the run, once resharding is due', async () => {
    const { lease } = await leader.begin([0, 1]);
    await leader.center.create(leader.tree.paths.instance(JAVA), '', 'EPHEMERAL');
    await leader.tree.sync();
    expect(movingOf(lease!)).toEqual([]);

    await leader.center.create(leader.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await leader.tree.sync();

    expect(movingOf(lease!)).toEqual([0, 1]);
  });

  it('is false for a rescued item that another instance owns', async () => {
    const owner = await registry.joined();
    await leader.center.create(leader.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await leader.lead();
    await owner.tree.sync();
    const [item] = owner.tree.itemsOf(owner.id);
    await leader.center.create(leader.tree.paths.queued(item!), '', 'PERSISTENT');
    await leader.tree.sync();

    const claim = await leader.queue.claim(JOB);

    expect(claim).toMatchObject({ kind: 'claimed', lease: { items: [item] } });
    expect(claim.kind === 'claimed' && claim.lease.isMoving(item!)).toBe(false);
    expect(leader.tree.owner(item!)).toBe(owner.id);
  });
});

function movingOf(lease: { readonly items: readonly number[]; isMoving(item: number): boolean }): number[] {
  return lease.items.filter((item) => lease.isMoving(item));
}
