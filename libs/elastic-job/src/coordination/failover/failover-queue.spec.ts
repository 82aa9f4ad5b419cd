import { beforeEach, describe, expect, it } from 'vitest';
import { DrainDeadlineError } from '../../domain/index.js';
import { acquireLatch, type RegistryCenter } from '../../registry/index.js';
import type { ExecutionLease } from '../execution/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, JOB, Member, Registry, SUCCEEDED } from '../../../../../test/support/unit/member.js';

let registry: Registry;
let leader: Member;
let worker: Member;
let third: Member;
let term: LeadershipTerm;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(3);
  [leader, worker, third] = [members[0], members[1]!, members[2]!];
  term = leader.leader.term(JOB)!;
});

describe('the sweep', () => {
  it('given an instance that died in mid-run, when the leader sweeps, then what it ran is queued, whoever owns it', async () => {
    await worker.begin([0, 3]);
    await third.begin([1]);
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0, 3]);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([0, 3]);
    expect(await Promise.all([0, 1, 3].map((item) => leader.holder(item)))).toEqual([undefined, third.id, undefined]);
    expect(await leader.queue.pending(JOB)).toMatchObject([
      { item: 0, cause: 'crashed', lastHolder: worker.id },
      { item: 3, cause: 'crashed', lastHolder: worker.id },
    ]);
  });

  it('given a run that ended before its instance died, when the leader sweeps, then there is nothing to queue', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    expect(leader.tree.queue()).toEqual([]);
  });

  it('given items that have run and no mark, when the leader sweeps, then that costs one request', async () => {
    const { lease } = await worker.begin([0, 1]);
    for (const item of [0, 1]) lease!.settle(item, SUCCEEDED);
    await registry.clock.advance(0);
    const before = leader.center.traffic.foreground;

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    expect(leader.center.traffic.foreground - before).toBe(1);
  });

  it('given no failover, when the leader sweeps, then stale marks go and nothing is queued', async () => {
    await worker.begin([0]);
    worker.die();
    await writeConfig('failover: true', 'failover: false');

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);

    await leader.tree.sync();
    expect(leader.tree.isRunning(0)).toBe(false);
    expect(leader.tree.queue()).toEqual([]);
  });

  it('given a rescuer that died, when the leader sweeps, then the item waits again and all its marks are gone', async () => {
    await orphan(0);
    expect((await worker.queue.claim(JOB)).kind).toBe('claimed');
    worker.die();

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);

    await leader.tree.sync();
    expect(leader.tree.descendants(leader.tree.paths.item(0))).toEqual([
      leader.tree.paths.mark(0, 'instance'),
      leader.tree.paths.record(0),
    ]);
  });

  it('given a rescuer that has left the job while its session lasts, when the leader sweeps, then others can claim the item', async () => {
    await orphan(0);
    await worker.queue.claim(JOB);
    await worker.instances.leave(worker.tree);

    await leader.orphans.sweep(leader.tree, term);

    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });

  it('given a leader that was deposed, when it sweeps, then nothing is queued', async () => {
    await worker.begin([0]);
    worker.die();
    await (await registry.operator()).delete(leader.tree.paths.leader);
    leader.leader.endTerm(JOB, new Error('deposed'));

    await expect(leader.orphans.sweep(leader.tree, term)).rejects.toThrow('deposed');
    await third.tree.sync();
    expect(third.tree.queue()).toEqual([]);
  });

  it('given a sweep and a settle of the same item, when they race, then the item is either queued or done, never both', async () => {
    const { lease } = await worker.begin([0]);
    await worker.instances.leave(worker.tree); // Its session goes on, and so does its settle.

    lease!.settle(0, SUCCEEDED);
    const [queued, outcome] = await Promise.all([leader.orphans.sweep(leader.tree, term), settledIn(lease!)]);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual(queued);
    expect(outcome.get(0)!.kind).toBe(queued.length > 0 ? 'fenced' : 'succeeded');
  });

  it('given an item that was swept meanwhile, when an instance begins it on an older view, then it looks again', async () => {
    await worker.begin([0]);
    worker.die();
    const { paths } = leader.tree;
    await leader.tree.loadRecords([0]);
    const { version } = leader.tree.stat(paths.record(0))!;

    await leader.orphans.sweep(leader.tree, term);

    const begin = { kind: 'set', path: paths.record(0), data: '', version } as const;
    expect(await third.center.transaction([begin])).toMatchObject({ kind: 'refused', refusal: 'BAD_VERSION' });
  });
});

describe('the sweep of an instance that an operator has shut down', () => {
  it('leaves its items alone while its session lasts, until its grace is over', async () => {
    await worker.begin([0]);
    await (await registry.operator()).delete(worker.tree.paths.instance(worker.id));

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    await registry.clock.advance(4_000);
    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    expect(await leader.holder(0)).toBe(worker.id);
    await registry.clock.advance(1_000);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await leader.holder(0)).toBeUndefined();
  });

  it('tells of no overflow where there is room', async () => {
    await worker.begin([0]);
    worker.die();
    const told: unknown[] = [];
    await leader.orphans.sweep(leader.tree, term, (items) => told.push(items));
    expect(told).toEqual([]);
  });
});

describe('the claim', () => {
  it('takes nothing beyond the total', async () => {
    await orphan(0);
    await (await registry.operator()).create(leader.tree.paths.queued(4), '', 'PERSISTENT');
    await worker.tree.sync();
    expect(await worker.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('given one item and many instances, when all claim at once, then one has it and the others have lost', async () => {
    const claimers = [leader, worker, third];
    while (claimers.length < 12) claimers.push(await registry.joined());
    await orphan(0);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'lost')).toHaveLength(11);
  });

  it('given many items and instances, when all claim until nothing is left, then each item is claimed once', async () => {
    const items = [0, 1, 2, 3];
    await orphan(...items);
    const claimers = [leader, worker, third];

    const claimed = await Promise.all(claimers.map((claimer) => claimAll(claimer)));

    expect(claimed.flat().toSorted((a, b) => a - b)).toEqual(items);
  });

  it('given a claimed item, when its run ends, then its target is that of the lost run, its token is greater, and no mark is left', async () => {
    const token = await orphan(0);
    await worker.tree.sync();

    const claim = await worker.queue.claim(JOB);

    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
    const { lease } = claim;
    expect(lease.trigger).toMatchObject({ fireTime: 1_000, origin: 'schedule', source: 'FAILOVER' });
    expect(lease.token(0)).toBeGreaterThan(token);
    lease.settle(0, SUCCEEDED);
    expect(await settledIn(lease)).toEqual(new Map([[0, SUCCEEDED]]));
    await leader.tree.sync();
    expect(leader.tree.descendants(leader.tree.paths.item(0))).toEqual([
      leader.tree.paths.mark(0, 'instance'),
      leader.tree.paths.record(0),
    ]);
  });

  it('given an operator who disables the server as a claim is sent, when the claim is refused, then the item waits for another instance', async () => {
    await orphan(0);
    await worker.tree.sync();
    const { paths, self } = worker.tree;
    const operator = await registry.operator();
    beforeNextTransaction(worker, () => operator.set(paths.server(self.serverIp), 'DISABLED'));

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });

    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });

  it('given an aborted run that was queued, when it is claimed, then it runs again', async () => {
    const { lease } = await worker.begin([2]);
    lease!.settle(2, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await settledIn(lease!);
    await third.tree.sync();
    expect(await third.queue.pending(JOB)).toMatchObject([{ item: 2, cause: 'aborted' }]);

    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [2] } });
  });

  it('given an entry of an item that is done, when it is claimed, then it is dropped', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await settledIn(lease!);
    await (await registry.operator()).create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    await third.tree.sync();

    expect(await third.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await third.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });

  it('given an entry that is about to be dropped, when the item is queued for another run meanwhile, then that entry stays', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await settledIn(lease!);
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.queued(0), '', 'PERSISTENT');
    await third.tree.sync();
    beforeNextTransaction(third, async () => {
      await operator.delete(leader.tree.paths.queued(0));
      await leader.tree.sync();
      await orphanOf(2_000, 0);
    });

    expect(await third.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });

    expect(await operator.exists(leader.tree.paths.queued(0))).toBeDefined();
    await third.tree.sync();
    expect(await third.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { trigger: { fireTime: 2_000 } } });
  });

  it.each(['failover', 'failovering'] as const)(
    'given an entry of an item with a %s mark, when it is claimed, then it is left alone without end',
    async (mark) => {
      await orphan(0);
      await (await registry.operator()).create(leader.tree.paths.mark(0, mark), third.id, 'PERSISTENT');
      await worker.tree.sync();

      expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
    },
  );

  it('given an item that a handler here is still at, when this instance claims, then it leaves it to others', async () => {
    await orphan(0, 1);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { mayTake: (item) => item !== 0 })).toMatchObject({
      kind: 'claimed',
      lease: { items: [1] },
    });
  });

  it('given an item to start from, when instances claim, then they take it alone, and the next time the one after it', async () => {
    await orphan(0, 1, 3);
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [3] } });
    expect(await worker.queue.claim(JOB, { from: 2 })).toMatchObject({ lease: { items: [0] } });
  });

  it('given as many items as slots, when instances that see the same queue claim at once, then each takes its part in one transaction', async () => {
    await orphan(0, 1, 2, 3);
    const claimers = [leader, third];
    await worker.instances.leave(worker.tree);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));
    const sent = claimers.map(countTransactions);

    const claims = await Promise.all(claimers.map(({ queue }) => queue.claim(JOB)));

    expect(claims).toMatchObject([{ lease: { items: [2, 3] } }, { lease: { items: [0, 1] } }]);
    expect(sent.map((count) => count())).toEqual([1, 1]);
  });

  it('given a limit, when an instance claims, then it takes no more items than that', async () => {
    await orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();

    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [0, 1, 2] } });
    expect(await leader.queue.claim(JOB, { most: 3 })).toMatchObject({ lease: { items: [3] } });
  });

  it('given items of different targets, when an instance claims, then each lease is of one target', async () => {
    await orphan(0, 2);
    await orphanOf(2_000, 1, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();

    const claims = [await leader.queue.claim(JOB), await leader.queue.claim(JOB)];

    expect(claims).toMatchObject([
      { lease: { items: [0, 2], trigger: { fireTime: 1_000 } } },
      { lease: { items: [1, 3], trigger: { fireTime: 2_000 } } },
    ]);
  });

  it('given another instance has taken one of several items meanwhile, when the claim arrives, then none is taken, and the rest is to be had', async () => {
    await orphan(0, 1, 2, 3);
    await third.instances.leave(third.tree);
    await leader.tree.sync();
    beforeNextTransaction(leader, () => worker.queue.claim(JOB, { from: 2 }));

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'lost', items: [2, 3] });

    await leader.tree.sync();
    expect((await claimAll(leader)).toSorted((a, b) => a - b)).toEqual([0, 1, 3]);
    expect(await leader.holder(2)).toBe(worker.id);
  });

  it('given more items than fit one request, when an instance claims, then it takes those that fit, and the others after them', async () => {
    await orphan(0, 1, 2, 3);
    for (const { instances, tree } of [worker, third]) await instances.leave(tree);
    await leader.tree.sync();
    Object.defineProperty(leader.center, 'maxRequestBytes', { value: 2_000 });
    const sent = countTransactions(leader);

    expect(await claimAll(leader)).toEqual([0, 1, 2, 3]);
    expect(sent()).toBeGreaterThan(1);
  });

  it('given 100 items and 3 instances, when all claim until nothing is left, then it has taken 3 transactions and each item is begun once', async () => {
    registry = new Registry();
    const members = await registry.sharded(4, { shardingTotalCount: 100 });
    leader = members[0];
    await members[3]!.begin(Array.from({ length: 100 }, (_, item) => item));
    members[3]!.die();
    await leader.orphans.sweep(leader.tree, leader.leader.term(JOB)!);
    const claimers = members.slice(0, 3);
    await Promise.all(claimers.map(({ tree }) => tree.sync()));
    const sent = claimers.map(countTransactions);

    const claimed = await Promise.all(claimers.map((claimer) => claimAll(claimer)));

    expect(claimed.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([33, 33, 34]);
    expect(new Set(claimed.flat()).size).toBe(100);
    expect(sent.map((count) => count())).toEqual([1, 1, 1]);
  });

  it('given a claim whose answer is lost, when the connection is back, then the item is claimed', async () => {
    await orphan(0);
    await worker.tree.sync();
    registry.memory.loseNextReply(worker.sessionId);

    const claiming = worker.queue.claim(JOB);
    await registry.clock.advance(100);

    expect(await claiming).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });
});

describe('beside Java', () => {
  const [JAVA, OTHER] = ['10.0.0.8@-@4711', '10.0.0.9@-@4711'];
  let operator: RegistryCenter;
  beforeEach(async () => {
    operator = await registry.operator();
    await operator.create(leader.tree.paths.instance(OTHER), '', 'EPHEMERAL');
    await Promise.all([leader, worker, third].map(({ tree }) => tree.sync()));
  });

  it('given a mark of a Java peer that is missing, when the leader sweeps, then its item is queued once the grace is over', async () => {
    await operator.create(leader.tree.paths.mark(0, 'running'), JAVA, 'PERSISTENT');

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([]);
    await registry.clock.advance(1_000);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await leader.holder(0)).toBeUndefined();
  });

  it('given a rescuer that has left the job while its session lasts, when the leader sweeps, then the item waits again', async () => {
    await orphan(0);
    expect((await registry.clock.advanceUntil(worker.queue.claim(JOB))).kind).toBe('claimed');
    await worker.instances.leave(worker.tree);

    expect(await leader.orphans.sweep(leader.tree, term)).toEqual([0]);
    expect(await operator.exists(leader.tree.paths.mark(0, 'failover'))).toBeUndefined();
  });

  it('given another Java peer has taken the item since it was read, when the leader sweeps, then the mark of that one stays', async () => {
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

  it('given one of ours has begun the item for the first time since it was read, when the leader sweeps, then its mark stays', async () => {
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

  it('given an entry of a run that left no record, when it is claimed, then it runs for the fire time before the entry', async () => {
    await operator.create(leader.tree.paths.queued(2), '', 'PERSISTENT');
    const queuedAt = registry.clock.wallNow();
    await registry.clock.advance(120_000);
    await worker.tree.sync();

    const claim = await worker.queue.claim(JOB);

    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
    expect(claim.lease.trigger).toMatchObject({ fireTime: Math.floor(queuedAt / 60_000) * 60_000, source: 'FAILOVER' });
  });

  it('fault 10: given Java holds the latch, when an instance claims, then it has lost after a while and takes the item later', async () => {
    await orphan(0);
    const held = await acquireLatch(operator, registry.clock, worker.tree.paths.failoverLatch, { timeoutMs: 1_000 });

    const claiming = worker.queue.claim(JOB);
    await registry.clock.advance(5_000);
    expect(await claiming).toEqual({ kind: 'lost', items: [0] });
    await held!.release();

    expect(await worker.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
    await registry.clock.advance(1_000);
    expect(await operator.children(worker.tree.paths.failoverLatch)).toEqual([]);
  });

  it('fault 10: given its own place in the line is gone before the claim arrives, when an instance claims, then it has lost', async () => {
    await orphan(0);
    beforeNextTransaction(worker, async () => {
      const latch = worker.tree.paths.failoverLatch;
      for (const name of await operator.children(latch)) await operator.delete(`${latch}/${name}`);
    });

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'lost', items: [0] });
    expect(await operator.exists(worker.tree.paths.queued(0))).toBeDefined();
  });
});

/** A run of each item whose holder has died, queued. @returns the token of the last of them */
function orphan(...items: number[]): Promise<bigint> {
  return orphanOf(1_000, ...items);
}

async function orphanOf(fireTime: number, ...items: number[]): Promise<bigint> {
  const token = await registry.orphan(leader, items, fireTime);
  await Promise.all([worker, third].map(({ tree }) => tree.sync()));
  return token;
}

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

async function settledIn(lease: ExecutionLease) {
  await registry.clock.advance(0);
  return lease.settled();
}

async function writeConfig(text: string, replacement: string): Promise<void> {
  const { data } = (await leader.center.read(leader.tree.paths.config))!;
  await leader.center.set(leader.tree.paths.config, data.replace(text, replacement));
}
