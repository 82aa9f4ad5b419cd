import { beforeEach, describe, expect, it } from 'vitest';
import type { LeadershipTerm } from '../leadership/index.js';
import {
  afterNextTransaction,
  beforeNextTransaction,
  JOB,
  Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';

let registry: Registry;
let leader: Member;
let worker: Member;
let term: LeadershipTerm;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(2, { shardingTimeoutMs: 5_000 });
  [leader, worker] = [members[0], members[1]!];
  term = leader.leader.term(JOB)!;
});

describe('resharding', () => {
  it('writes nothing if nothing has changed', async () => {
    const { mzxid } = leader.tree.stat(leader.tree.paths.term)!;

    expect(await leader.sharding.reshard(leader.tree, term)).toEqual({ kind: 'unchanged' });
    expect(leader.tree.stat(leader.tree.paths.term)!.mzxid).toBe(mzxid);
  });

  it('gives the items of a dead instance new owners, in place', async () => {
    const versions = new Map([0, 1, 2, 3].map((item) => [item, stat(item)!.czxid]));
    worker.die();

    expect((await leader.sharding.reshard(leader.tree, term)).kind).toBe('committed');

    expect([...(await leader.sharding.assignments(JOB)).values()]).toEqual(Array(4).fill(leader.id));
    expect(new Map([0, 1, 2, 3].map((item) => [item, stat(item)!.czxid]))).toEqual(versions);
  });

  it('notifies every instance of new owners, even without a flag', async () => {
    const witness = await registry.joined();
    const heard: string[] = [];
    witness.tree.on(({ kind }) => heard.push(kind));

    expect((await leader.sharding.reshard(leader.tree, term)).kind).toBe('committed');
    await witness.tree.sync();

    expect(heard).toContain('ShardingCompleted');
    expect(leader.tree.isReshardingNecessary()).toBe(false);
  });

  it('fault 3: plans again if an instance joins at the commit', async () => {
    const late = await registry.member();
    worker.die();
    afterNextTransaction(leader, () => late.instances.join(late.tree, { isDisabled: () => false }));

    const outcome = await leader.sharding.reshard(leader.tree, term);

    expect(outcome).toMatchObject({ kind: 'committed' });
    const owners = await leader.sharding.assignments(JOB);
    expect(new Set(owners.values())).toEqual(new Set([leader.id, late.id]));
    expect(leader.tree.isReshardingNecessary()).toBe(false);
  });

  it.each([2, 6])('makes its plan for a total of %i that is written while it plans', async (total) => {
    worker.die();
    beforeNextTransaction(leader, () => writeTotal(total));

    const outcome = await leader.sharding.reshard(leader.tree, term);

    expect(outcome.kind === 'committed' && outcome.assignment.size).toBe(total);
    expect(leader.tree.items()).toHaveLength(total);
  });

  it('removes a free item beyond the total with all its marks and its queue entry', async () => {
    const operator = await registry.operator();
    const { paths } = leader.tree;
    for (const mark of ['misfire', 'disabled', 'failovering'] as const) {
      await operator.create(paths.mark(3, mark), '', 'PERSISTENT');
    }
    await operator.create(paths.queued(3), '', 'PERSISTENT');
    await writeTotal(3);

    await leader.sharding.reshard(leader.tree, term);

    expect(leader.tree.items()).toEqual([0, 1, 2]);
    expect(leader.tree.queue()).toEqual([]);
  });

  it('does not begin a new item for what the ended one of its number was begun for', async () => {
    const { lease } = await worker.begin([2, 3], { fireTime: 7_000 });
    await worker.end(lease!, 2, 3);
    await writeTotal(2);
    await leader.sharding.reshard(leader.tree, term);
    await writeTotal(6);
    await leader.sharding.reshard(leader.tree, term);

    const { lease: again, refused } = await worker.begin([2, 3, 4, 5], { fireTime: 7_000 });
    expect(again!.items).toEqual([4, 5]);
    expect(refused).toEqual(new Map([2, 3].map((item) => [item, 'alreadyBegun'])));
    expect((await leader.begin([2, 3], { fireTime: 8_000 })).lease!.items).toEqual([2, 3]);
    expect(leader.tree.has(leader.tree.paths.ended)).toBe(false);
  });

  it('removes no item of which a run begins and ends after its record was read', async () => {
    await writeTotal(3);
    beforeNextTransaction(leader, async () => {
      const { lease } = await worker.begin([3], { fireTime: 7_000 });
      await worker.end(lease!, 3);
    });

    await leader.sharding.reshard(leader.tree, term);

    const { data } = (await (await registry.operator()).read(leader.tree.paths.ended))!;
    expect(data).toContain('7000');
  });

  it('finds no instance if all servers are disabled', async () => {
    await disable(worker);
    await disable(leader);

    expect(await leader.sharding.reshard(leader.tree, term)).toEqual({ kind: 'no-instance' });
    expect(leader.sharding.ownItems(leader.tree)).toEqual([]);
  });

  it('lets the holder of a running item finish it under a new owner', async () => {
    const [item] = leader.sharding.ownItems(leader.tree);
    const { lease } = await leader.begin([item!]);
    await disable(leader);

    await leader.sharding.reshard(leader.tree, term);

    expect(leader.tree.owner(item!)).toBe(worker.id);
    lease!.settle(item!, SUCCEEDED);
    await registry.clock.advance(0);
    expect(await lease!.settled()).toEqual(new Map([[item, SUCCEEDED]]));
  });

  it('changes nothing for a deposed leader', async () => {
    await (await registry.operator()).delete(leader.tree.paths.leader);
    worker.die();
    const before = await leader.sharding.assignments(JOB);
    leader.leader.endTerm(JOB, new Error('deposed'));

    await expect(leader.sharding.reshard(leader.tree, term)).rejects.toThrow('deposed');
    expect(await leader.sharding.assignments(JOB)).toEqual(before);
  });
});

describe('a trigger', () => {
  it('waits for the plan if the flag is set, and runs by it', async () => {
    await disable(worker);
    await leader.sharding.announce(leader.tree, term);

    const assigning = assign(leader);
    await registry.clock.advance(1_000);
    await leader.sharding.reshard(leader.tree, term);

    expect(await assigning).toMatchObject({ items: [0, 1, 2, 3], isOutdated: false });
  });

  it('uses the last assignment if no plan comes before the deadline', async () => {
    const own = worker.sharding.ownItems(worker.tree);
    await worker.sharding.requestResharding(JOB);
    await worker.sharding.requestResharding(JOB);

    const assigning = assign(worker);
    await registry.clock.advance(5_000);

    expect(await assigning).toMatchObject({ items: own, isOutdated: true });
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('waits for the plan no longer once its signal aborts', async () => {
    await worker.sharding.requestResharding(JOB);
    const assigning = assign(worker);
    await registry.clock.advance(10);

    worker.tree.close(new Error('stopping'));

    await expect(assigning).rejects.toThrow('stopping');
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('leaves out items that are disabled or taken over', async () => {
    await disable(worker);
    await leader.sharding.reshard(leader.tree, term);
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.mark(1, 'disabled'), '', 'PERSISTENT');
    await operator.create(leader.tree.paths.mark(2, 'failover'), worker.id, 'EPHEMERAL');

    expect(await assign(leader)).toMatchObject({ items: [0, 3] });
  });

  it.each([
    ['disabled', 'PERSISTENT'],
    ['failover', 'EPHEMERAL'],
  ] as const)('takes an item that was left out as %s again once that has ended', async (mark, mode) => {
    await disable(worker);
    await leader.sharding.reshard(leader.tree, term);
    const operator = await registry.operator();
    const path = leader.tree.paths.mark(1, mark);
    const items: (readonly number[])[] = [];
    const note = async () => items.push((await assign(leader)).items);

    await note();
    await operator.create(path, worker.id, mode);
    await note();
    await operator.delete(path);
    await note();

    expect(items).toEqual([
      [0, 1, 2, 3],
      [0, 2, 3],
      [0, 1, 2, 3],
    ]);
  });
});

describe('beside Java', () => {
  const JAVA = '10.0.0.9@-@4711';

  beforeEach(async () => {
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.instance(JAVA), '', 'EPHEMERAL');
    await operator.create(leader.tree.paths.server('10.0.0.9'), 'ENABLED', 'PERSISTENT');
    await leader.tree.sync();
  });

  it("items are shared by Java's average, and by the default again once the peer has left", async () => {
    await leader.sharding.reshard(leader.tree, term);
    await registry.clock.advance(1_000);
    const ids = [JAVA, worker.id, leader.id];
    expect(leader.tree.availableInstances().map(({ jobInstanceId }) => jobInstanceId)).toEqual(ids);
    expect(ownersNow()).toEqual([...ids, JAVA]);

    await (await registry.operator()).delete(leader.tree.paths.instance(JAVA));
    await leader.tree.sync();
    await leader.sharding.reshard(leader.tree, term);

    // The peer's items are all that moves.
    expect(ownersNow().slice(1, 3)).toEqual([worker.id, leader.id]);
    expect(ownersNow().filter((owner) => owner === leader.id)).toHaveLength(2);
    expect(ownersNow().filter((owner) => owner === worker.id)).toHaveLength(2);
  });

  it('the leader reshards only after a running item has ended', async () => {
    const { lease } = await worker.begin([0]);
    expect(await leader.sharding.reshard(leader.tree, term)).toEqual({ kind: 'barred' });

    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);

    expect(await leader.sharding.reshard(leader.tree, term)).toMatchObject({ kind: 'committed' });
    expect(leader.tree.itemsOf(JAVA)).not.toEqual([]);
  });

  it("triggers wait until Java's caches have read new owners", async () => {
    await leader.sharding.announce(leader.tree, term);
    const resharding = leader.sharding.reshard(leader.tree, term);
    const assigning = assign(worker);
    await registry.clock.advance(400);

    const isOwner = leader.tree.itemsOf(JAVA).length > 0;
    const isWaiting = leader.tree.isReshardingPending();
    await registry.clock.advance(200);

    expect({ isOwner, isWaiting }).toEqual({ isOwner: true, isWaiting: true });
    expect(await resharding).toMatchObject({ kind: 'committed' });
    expect(await assigning).toMatchObject({ isOutdated: false, items: worker.tree.itemsOf(worker.id) });
  });

  it('the next leader removes the flag with its own plan if the former one died meanwhile', async () => {
    await leader.sharding.announce(leader.tree, term);
    const resharding = leader.sharding.reshard(leader.tree, term);
    resharding.catch(() => {});
    await registry.clock.advance(100);
    leader.die();
    await registry.clock.advance(1_000);
    await worker.tree.sync();
    expect(worker.tree.isReshardingPending()).toBe(true);

    await registry.clock.advanceUntil(worker.lead());

    expect(worker.tree.isReshardingPending()).toBe(false);
    expect(worker.tree.itemsOf(JAVA)).not.toEqual([]);
  });

  it('a trigger waits while a Java leader replaces owners', async () => {
    const operator = await registry.operator();
    await operator.create(leader.tree.paths.reshardingProcessing, '', 'EPHEMERAL');
    const assigning = assign(worker);
    await registry.clock.advance(1_000);
    await operator.delete(leader.tree.paths.reshardingProcessing);

    expect(await assigning).toMatchObject({ isOutdated: false });
    expect(registry.clock.pendingTimers).toBe(0);
  });
});

/** Items for a trigger, as `TriggerPlan` asks for them. */
async function assign({ sharding, tree }: Member): Promise<{ readonly items: readonly number[]; isOutdated: boolean }> {
  await tree.sync();
  const isOutdated = sharding.mustWait(tree) && !(await sharding.waitForPlan(tree));
  return { items: sharding.ownItems(tree), isOutdated };
}

function ownersNow(): readonly (string | undefined)[] {
  return leader.tree.items().map((item) => leader.tree.owner(item));
}

function stat(item: number) {
  return leader.tree.stat(leader.tree.paths.mark(item, 'instance'));
}

async function disable(member: Member): Promise<void> {
  await (await registry.operator()).set(leader.tree.paths.server(member.self.serverIp), 'DISABLED');
  await Promise.all([leader.tree.sync(), worker.tree.sync()]);
}

async function writeTotal(total: number): Promise<void> {
  const operator = await registry.operator();
  const { data } = (await operator.read(leader.tree.paths.config))!;
  await operator.set(
    leader.tree.paths.config,
    data.replace(/^shardingTotalCount: .*$/m, `shardingTotalCount: ${total}`),
  );
  await leader.tree.sync();
}
