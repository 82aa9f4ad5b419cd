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

  it('gives an item to only one of many instances that claim at once, and the others lose', async () => {
    const claimers = [leader, worker, third];
    while (claimers.length < 12) claimers.push(await registry.joined());
    await members.orphan(0);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'lost')).toHaveLength(11);
  });

  it('takes each of many items once if several instances claim to the end', async () => {
    const items = [0, 1, 2, 3];
    await members.orphan(...items);
    const claimers = [leader, worker, third];

    const claimed = await Promise.all(claimers.map((claimer) => claimAll(claimer)));

    expect(claimed.flat().toSorted((a, b) => a - b)).toEqual(items);
  });

  it('runs the lost target with a greater token, and leaves no mark', async () => {
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

  it('is lost if its server is disabled as it is sent, and leaves the item to others', async () => {
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

  it('takes nothing if its server is disabled while it reads', async () => {
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

  it('costs no request, and takes nothing, if its server is disabled', async () => {
    await members.orphan(0);
    const { paths, self } = worker.tree;
    await (await registry.operator()).set(paths.server(self.serverIp), 'DISABLED');
    await worker.tree.sync();
    const before = worker.center.traffic.foreground;

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });

    expect(worker.center.traffic.foreground).toBe(before);
  });

  it('takes a task that goes on without a scheduler once the owner of its item has left', async () => {
    const item = worker.tree.itemsOf(worker.id)[0]!;
    const target = { fireTime: 1_000, origin: 'schedule' };
    const record = JSON.stringify({ v: 1, run: 'r', by: 'x', target, isAdoptable: true });
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.record(item), record, 'PERSISTENT');
    await operator.create(leader.tree.paths.queued(item), '', 'PERSISTENT');
    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toEqual({ kind: 'empty' });

    await worker.instances.leave(worker.tree);
    await third.tree.sync();

    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [item] } });
  });

  it.each([
    ['its item is disabled', true],
    ['failover is off', false],
  ])('leaves a run of a crashed instance in the queue while %s', async (_, isDisabled) => {
    await members.orphan(0);
    const { paths } = worker.tree;
    const operator = await registry.operator();
    const { data } = (await operator.read(paths.config))!;
    if (isDisabled) await operator.create(paths.mark(0, 'disabled'), '', 'PERSISTENT');
    else await operator.set(paths.config, data.replace('failover: true', 'failover: false'));
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
    expect(await operator.exists(paths.queued(0))).toBeDefined();
  });

  it('takes an aborted run that was queued', async () => {
    const { lease } = await worker.begin([2]);
    lease!.settle(2, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await members.settledIn(lease!);
    await third.tree.sync();
    expect(await third.queue.pending(JOB)).toMatchObject([{ item: 2, cause: 'aborted' }]);

    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [2] } });
  });

  it('drops the entry of an item that is done', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await members.settledIn(lease!);
    await (await registry.operator()).create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    await third.tree.sync();

    expect(await third.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await third.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('does not drop an entry if the item was queued for another run meanwhile', async () => {
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

  it.each(['failover', 'failovering'] as const)('takes no item that has a %s mark', async (mark) => {
    await members.orphan(0);
    await (await registry.operator()).create(leader.tree.paths.mark(0, mark), third.id, 'PERSISTENT');
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('leaves an item whose handler still runs here to others', async () => {
    await members.orphan(0, 1);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { mayTake: (item) => item !== 0 })).toMatchObject({
      kind: 'claimed',
      lease: { items: [1] },
    });
  });

  it('takes one item if it is to start from an item, and the next one after it later', async () => {
    await members.orphan(0, 1, 3);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [3] } });
    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [0] } });
  });

  it('gives each instance its part of the items in one transaction', async () => {
    await members.orphan(0, 1, 2, 3);
    const claimers = [leader, third];
    await worker.instances.leave(worker.tree);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));
    const sent = claimers.map(countTransactions);

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims).toMatchObject([{ lease: { items: [2, 3] } }, { lease: { items: [0, 1] } }]);
    expect(sent.map((count) => count())).toEqual([1, 1]);
  });

  it('takes no more items than its limit', async () => {
    await members.orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();

    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [0, 1, 2] } });
    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [3] } });
  });

  it('takes items of one target for each lease', async () => {
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

  it('takes none of several items if one was taken meanwhile', async () => {
    await members.orphan(0, 1, 2, 3);
    await third.instances.leave(third.tree);
    await leader.tree.sync();
    beforeNextTransaction(leader, () => worker.queue.claim(JOB, { from: 2 }));

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'lost', items: [2, 3] });

    await leader.tree.sync();
    expect((await claimAll(leader)).toSorted((a, b) => a - b)).toEqual([0, 1, 3]);
    expect(await leader.holder(2)).toBe(worker.id);
  });

  it('splits items that do not fit into one request', async () => {
    await members.orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();
    Object.defineProperty(leader.center, 'maxRequestBytes', { value: 2_000 });
    const sent = countTransactions(leader);

    expect(await claimAll(leader)).toEqual([0, 1, 2, 3]);
    expect(sent()).toBeGreaterThan(1);
  });

  it('begins 100 items on three instances in three transactions, each item once', async () => {
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

  it('succeeds although its answer was lost', async () => {
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
