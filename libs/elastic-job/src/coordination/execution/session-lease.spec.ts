import { beforeEach, describe, expect, it } from 'vitest';
import { JOB, type Member, Registry } from '../member.for-spec.js';

const JAVA = '10.0.0.9@-@4711';

let registry: Registry;
let leader: Member;
beforeEach(async () => {
  registry = new Registry();
  [leader] = await registry.sharded(1);
});

describe('whether an item is moving', () => {
  it('given an instance joins, when the leader has resharded, then what goes to it is moving, and what stays is not', async () => {
    const { lease } = await leader.begin([0, 1, 2, 3]);
    expect(movingOf(lease!)).toEqual([]);

    await registry.joined();
    await leader.center.create(leader.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await leader.tree.sync();
    // Nobody waits for the run: it is not disturbed before it is known what moves.
    expect(movingOf(lease!)).toEqual([]);
    await leader.lead();

    expect(movingOf(lease!)).toEqual(leader.tree.items().filter((item) => leader.tree.owner(item) !== leader.id));
    expect(movingOf(lease!)).toHaveLength(2);
  });

  it('given a Java peer, when resharding is due, then every item is moving: the peer waits for the run', async () => {
    const { lease } = await leader.begin([0, 1]);
    await leader.center.create(leader.tree.paths.instance(JAVA), '', 'EPHEMERAL');
    await leader.tree.sync();
    expect(movingOf(lease!)).toEqual([]);

    await leader.center.create(leader.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await leader.tree.sync();

    expect(movingOf(lease!)).toEqual([0, 1]);
  });

  it("given a rescued item, when it is another instance's, then it is not moving: the rescue goes on to its end", async () => {
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
