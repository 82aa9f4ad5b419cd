import { beforeEach, describe, expect, it } from 'vitest';
import { DrainDeadlineError } from '../../domain/index.js';
import {
  afterNextLoad,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';
import { ThreeMembers } from '@test/support/unit/three-members.js';

let members: ThreeMembers;
let registry: Registry;
let leader: Member;
let worker: Member;
let third: Member;
beforeEach(async () => {
  members = await ThreeMembers.start();
  ({ registry, leader, worker, third } = members);
});

describe('the claim', () => {
  it('takes nothing beyond the total', async () => {
    await members.orphan(0);
    await (await registry.operator()).create(leader.tree.paths.queued(4), '', 'PERSISTENT');
    await worker.tree.sync();
    expect(await worker.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('given one item and many instances, when all claim at once, then one has it and the rest have lost', async () => {
    const claimers = [leader, worker, third];
    while (claimers.length < 12) claimers.push(await registry.joined());
    await members.orphan(0);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'lost')).toHaveLength(11);
  });

  it('given many items and instances, when all claim to the end, then each item is claimed once', async () => {
    const items = [0, 1, 2, 3];
    await members.orphan(...items);
    const claimers = [leader, worker, third];

    const claimed = await Promise.all(claimers.map((claimer) => claimAll(claimer)));

    expect(claimed.flat().toSorted((a, b) => a - b)).toEqual(items);
  });

  it('given a claimed item, when its run ends, then it had the lost target, a greater token, and no mark', async () => {
    const token = await members.orphan(0);
    await worker.tree.sync();

    const claim = await worker.queue.claim(JOB);

    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
    const { lease } = claim;
    expect(lease.trigger).toMatchObject({ fireTime: 1_000, origin: 'schedule', source: 'FAILOVER' });
    expect(lease.token(0)).toBeGreaterThan(token);
    lease.settle(0, SUCCEEDED);
    expect(await members.settledIn(lease)).toEqual(new Map([[0, SUCCEEDED]]));
    await leader.tree.sync();
    expect(leader.tree.descendants(leader.tree.paths.item(0))).toEqual([
      leader.tree.paths.mark(0, 'instance'),
      leader.tree.paths.record(0),
    ]);
  });

  it('given a server disabled as a claim is sent, when the claim is refused, then the item waits on', async () => {
    await members.orphan(0);
    await worker.tree.sync();
    const { paths, self } = worker.tree;
    const operator = await registry.operator();
    beforeNextTransaction(worker, () => operator.set(paths.server(self.serverIp), 'DISABLED'));

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });

    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });

  it('given a server disabled while a claim reads, when the claim goes on, then it takes nothing', async () => {
    await members.orphan(0);
    await worker.tree.sync();
    const { paths, self } = worker.tree;
    const operator = await registry.operator();
    afterNextLoad(worker, async () => {
      await operator.set(paths.server(self.serverIp), 'DISABLED');
      await worker.tree.sync();
    });

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('given an aborted run that was queued, when it is claimed, then it runs again', async () => {
    const { lease } = await worker.begin([2]);
    lease!.settle(2, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await members.settledIn(lease!);
    await third.tree.sync();
    expect(await third.queue.pending(JOB)).toMatchObject([{ item: 2, cause: 'aborted' }]);

    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [2] } });
  });

  it('given an entry of an item that is done, when it is claimed, then it is dropped', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await members.settledIn(lease!);
    await (await registry.operator()).create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    await third.tree.sync();

    expect(await third.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await third.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('given an entry to drop, when the item is queued for another run meanwhile, then that entry stays', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await members.settledIn(lease!);
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    await third.tree.sync();
    beforeNextTransaction(third, async () => {
      await operator.delete(leader.tree.paths.queued(0));
      await leader.tree.sync();
      await members.orphanOf(2_000, 0);
    });

    expect(await third.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });

    expect(await operator.exists(leader.tree.paths.queued(0))).toBeDefined();
    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { trigger: { fireTime: 2_000 } } });
  });

  it.each(['failover', 'failovering'] as const)(
    'given an entry of an item with a %s mark, when it is claimed, then it is left alone without end',
    async (mark) => {
      await members.orphan(0);
      await (await registry.operator()).create(leader.tree.paths.mark(0, mark), third.id, 'PERSISTENT');
      await worker.tree.sync();

      expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
    },
  );

  it('given an item whose handler still runs here, when it claims, then it leaves the item to others', async () => {
    await members.orphan(0, 1);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { mayTake: (item) => item !== 0 })).toMatchObject({
      kind: 'claimed',
      lease: { items: [1] },
    });
  });

  it('given an item to start from, when instances claim, then they take it alone, later the one after it', async () => {
    await members.orphan(0, 1, 3);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [3] } });
    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [0] } });
  });

  it('given as many items as slots, when all claim at once, then each takes its part in one transaction', async () => {
    await members.orphan(0, 1, 2, 3);
    const claimers = [leader, third];
    await worker.instances.leave(worker.tree);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));
    const sent = claimers.map(countTransactions);

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims).toMatchObject([{ lease: { items: [2, 3] } }, { lease: { items: [0, 1] } }]);
    expect(sent.map((count) => count())).toEqual([1, 1]);
  });

  it('given a limit, when an instance claims, then it takes no more items than that', async () => {
    await members.orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();

    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [0, 1, 2] } });
    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [3] } });
  });

  it('given items of different targets, when an instance claims, then each lease is of one target', async () => {
    await members.orphan(0, 2);
    await members.orphanOf(2_000, 1, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();

    const claims = [await leader.queue.claim(JOB), await leader.queue.claim(JOB)];

    expect(claims).toMatchObject([
      { lease: { items: [0, 2], trigger: { fireTime: 1_000 } } },
      { lease: { items: [1, 3], trigger: { fireTime: 2_000 } } },
    ]);
  });

  it('given one of several items was taken meanwhile, when the claim arrives, then none is taken', async () => {
    await members.orphan(0, 1, 2, 3);
    await third.instances.leave(third.tree);
    await leader.tree.sync();
    beforeNextTransaction(leader, () => worker.queue.claim(JOB, { from: 2 }));

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'lost', items: [2, 3] });

    await leader.tree.sync();
    expect((await claimAll(leader)).toSorted((a, b) => a - b)).toEqual([0, 1, 3]);
    expect(await leader.holder(2)).toBe(worker.id);
  });

  it('given more items than fit one request, when an instance claims, then it takes those that fit', async () => {
    await members.orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();
    Object.defineProperty(leader.center, 'maxRequestBytes', { value: 2_000 });
    const sent = countTransactions(leader);

    expect(await claimAll(leader)).toEqual([0, 1, 2, 3]);
    expect(sent()).toBeGreaterThan(1);
  });

  it('given 100 items and 3 instances, when all claim, then 3 transactions begin each item once', async () => {
    const [first, second, last, victim] = await new Registry().sharded(4, { shardingTotalCount: 100 });
    await victim!.begin(Array.from({ length: 100 }, (_, item) => item));
    victim!.die();
    await first.orphans.sweep(first.tree, first.leader.term(JOB)!);
    const claimers = [first, second!, last!];
    await Promise.all(claimers.map(({ tree }) => tree.sync()));
    const sent = claimers.map(countTransactions);

    const claimed = await Promise.all(claimers.map((claimer) => claimAll(claimer)));

    expect(claimed.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([33, 33, 34]);
    expect(new Set(claimed.flat()).size).toBe(100);
    expect(sent.map((count) => count())).toEqual([1, 1, 1]);
  });

  it('given a claim whose answer is lost, when the connection is back, then the item is claimed', async () => {
    await members.orphan(0);
    await worker.tree.sync();
    registry.memory.loseNextReply(worker.sessionId);

    const claiming = worker.queue.claim(JOB);
    await registry.clock.advance(100);

    expect(await claiming).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });
});

async function claimAll({ queue }: Member): Promise<number[]> {
  const items: number[] = [];
  for (let claim = await queue.claim(JOB); claim.kind !== 'empty'; claim = await queue.claim(JOB)) {
    if (claim.kind === 'claimed') items.push(...claim.lease.items);
  }
  return items;
}

function countTransactions({ center }: Member): () => number {
  let count = 0;
  const transaction = center.transaction.bind(center);
  center.transaction = (...request) => {
    count += 1;
    return transaction(...request);
  };
  return () => count;
}
