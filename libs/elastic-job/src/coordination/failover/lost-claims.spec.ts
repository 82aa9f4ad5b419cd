import { beforeEach, describe, expect, it } from 'vitest';
import { acquireLatch, type HeldLatch, type RegistryCenter } from '../../registry/index.js';
import {
  afterNextLoad,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';

const PEER = '10.0.0.9@-@4711';
const LOST = { kind: 'lost', items: [0] };

let registry: Registry;
let leader: Member;
let worker: Member;
let operator: RegistryCenter;
beforeEach(async () => {
  ({ registry, leader, worker, operator } = await Registry.ofTwo());
});

describe('a claim that has lost', () => {
  it.each<[string, number, () => Promise<unknown>]>([
    ['another instance has one of its items', 1, () => worker.queue.claim(JOB, { from: 2 })],
    [
      'its server was written to, and its items still wait',
      2,
      () => operator.set(leader.tree.paths.server(leader.self.serverIp), 'ENABLED'),
    ],
  ])('was lost because %s, and cost %i request(s)', async (_cause, requests, happen) => {
    await registry.orphan(leader, [0, 1, 2, 3]);
    await worker.tree.sync();
    await leader.queue.pending(JOB); // All records are known.
    const before = leader.center.traffic.foreground;
    beforeNextTransaction(leader, happen);

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'lost', items: [2, 3] });

    expect(leader.center.traffic.foreground - before).toBe(requests);
  });

  it('succeeds the next time if a record changed as it was read', async () => {
    await registry.orphan(leader, [0]);
    await worker.tree.sync();
    const record = worker.tree.paths.record(0);
    afterNextLoad(worker, async () => operator.set(record, (await operator.read(record))!.data));

    expect(await worker.queue.claim(JOB)).toEqual(LOST);

    expect(await worker.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });

  it('begins only items that are not done, and the next one drops the entry of a done item', async () => {
    await registry.orphan(leader, [0]);
    await worker.instances.leave(worker.tree);
    const { lease } = await leader.begin([1]);
    lease!.settle(1, SUCCEEDED);
    await registry.clock.advance(0);
    await operator.create(leader.tree.paths.queued(1), '', 'PERSISTENT');
    await leader.tree.sync();

    expect(await leader.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'lost', items: [1] });
    expect(leader.tree.queue()).toEqual([]);
  });
});

describe('a claim that waits for the latch of a Java peer', () => {
  let held: HeldLatch;
  let transactions: number;
  beforeEach(async () => {
    await operator.create(leader.tree.paths.instance(PEER), '', 'EPHEMERAL');
    await registry.orphan(leader, [0]);
    await worker.tree.sync();
    const latch = await acquireLatch(operator, registry.clock, worker.tree.paths.failoverLatch, { timeoutMs: 1_000 });
    held = latch!;
    transactions = 0;
    const transaction = worker.center.transaction.bind(worker.center);
    worker.center.transaction = (...request) => {
      transactions += 1;
      return transaction(...request);
    };
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the peer has taken the item', takeAsJava],
    ['the peer has begun to take the item', () => operator.create(mark('failover'), PEER, 'EPHEMERAL')],
    ['the item has gone', removeItem],
  ])('has lost without a write if %s meanwhile', async (_, happen) => {
    expect(await claimAfter(happen)).toEqual(LOST);
    expect(transactions).toBe(0);
  });

  it('takes the item for another run if that is owed by then', async () => {
    const claim = await claimAfter(async () => {
      const record = worker.tree.paths.record(0);
      const { data } = (await operator.read(record))!;
      await operator.set(record, data.replace('"fireTime":1000', '"fireTime":2000'));
    });

    expect(claim).toMatchObject({ kind: 'claimed', lease: { items: [0], trigger: { fireTime: 2_000 } } });
  });

  it('has lost if its server node was removed meanwhile', async () => {
    const server = worker.tree.paths.server(worker.self.serverIp);
    expect(await claimAfter(() => operator.delete(server))).toEqual(LOST);
    expect(await operator.exists(worker.tree.paths.queued(0))).toBeDefined();
  });

  async function claimAfter(happen: () => Promise<unknown>) {
    const claiming = worker.queue.claim(JOB);
    await registry.clock.advance(100);
    await happen();
    await held.release();
    return registry.clock.advanceUntil(claiming);
  }

  function mark(name: 'failover' | 'failovering'): string {
    return worker.tree.paths.mark(0, name);
  }

  async function takeAsJava(): Promise<void> {
    await operator.create(mark('failover'), PEER, 'EPHEMERAL');
    await operator.create(mark('failovering'), PEER, 'PERSISTENT');
    await operator.delete(worker.tree.paths.queued(0));
  }

  async function removeItem(): Promise<void> {
    const { tree } = leader;
    for (const path of [...tree.descendants(tree.paths.item(0)), tree.paths.item(0)]) await operator.delete(path);
  }
});

describe('beside Java', () => {
  beforeEach(async () => {
    await operator.create(leader.tree.paths.instance(PEER), '', 'EPHEMERAL');
    await Promise.all([leader, worker].map(({ tree }) => tree.sync()));
  });

  it('only the holder of a run that has ended drops its entry', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);
    await operator.create(worker.tree.paths.queued(0), '', 'PERSISTENT');
    await Promise.all([leader, worker].map(({ tree }) => tree.sync()));

    expect(await leader.queue.claim(JOB)).toEqual({ kind: 'empty' }); // Only the holder knows that it has ended.
    expect(await worker.queue.claim(JOB)).toEqual(LOST);
    expect(await operator.exists(worker.tree.paths.queued(0))).toBeUndefined();
  });
});
