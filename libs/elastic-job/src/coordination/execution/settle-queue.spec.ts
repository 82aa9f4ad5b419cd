import { beforeEach, describe, expect, it } from 'vitest';
import { formatParentProgress, itemSetOf } from '../../domain/index.js';
import type { Operation } from '../../registry/index.js';
import { JobTree } from '../job-tree/index.js';
import { type Member, Registry, SUCCEEDED } from '../../../../../test/support/unit/member.js';
import type { EndedItem } from './ended-item.js';
import { SettleQueue } from './settle-queue.js';
import type { DelayedSettles } from './waiting-settles.js';

const NOTHING_COUNTED = formatParentProgress({ closedUpTo: 0, runs: new Map() });

let registry: Registry;
let member: Member;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1, { shardingTotalCount: 8 });
});

describe('group commit', () => {
  it('given items that end in one turn, when they are settled, then they share one request', async () => {
    const { lease } = await member.begin([0, 1, 2, 3, 4, 5, 6, 7]);
    const before = member.center.traffic.foreground;

    for (const item of lease!.items) lease!.settle(item, SUCCEEDED);
    await registry.clock.advance(0);

    expect([...(await lease!.settled()).values()]).toEqual(Array(8).fill(SUCCEEDED));
    expect(member.center.traffic.foreground - before).toBe(1);
  });

  it('given a settle in flight, when further items end, then they wait for it and share the next one', async () => {
    const { queue, transactions, settled } = await slowQueue();

    queue.add(settled('a', [touch(0)]));
    await registry.clock.advance(5);
    queue.add(settled('b', [touch(1)]));
    await registry.clock.advance(1);
    queue.add(settled('c', [touch(2)]));
    expect(transactions()).toBe(1);
    await registry.clock.advance(20);

    expect(transactions()).toBe(2);
    expect(settled.told).toEqual(['a true', 'b true', 'c true']);
  });

  it('given an item that somebody else has taken over, when it is settled with others, then it alone is fenced', async () => {
    const { queue, settled } = await slowQueue();

    queue.add(settled('a', [touch(0)]));
    queue.add(settled('b', [touch(1), { kind: 'delete', path: member.tree.paths.mark(1, 'running') }]));
    queue.add(settled('c', [touch(2)]));
    await registry.clock.advance(50);

    expect(settled.told.toSorted()).toEqual(['a true', 'b false', 'c true']);
  });

  it('given an end that is refused although it is open, when time passes, then it is repeated and told until the session ends', async () => {
    const { queue, settled, transactions, delayed, tree } = await slowQueue();
    const missing = { kind: 'delete', path: member.tree.paths.mark(1, 'running') } as const;

    queue.add({ ...settled('a', [missing]), item: 1, judgeStanding: () => 'open' });
    queue.add(settled('b', [touch(0)]));
    await registry.clock.advance(60_000);
    const before = transactions();
    await registry.clock.advance(60_000);

    expect(settled.told).toEqual(['b true']);
    expect(delayed).toMatchObject([{ items: [1], since: expect.any(Number) }]);
    expect(queue.delayed).toMatchObject({ items: [1] });
    expect((transactions() - before) / 60).toBeLessThan(1);
    tree.close(new Error('over'));
    await registry.clock.advance(0);
    expect(settled.told).toEqual(['b true', 'a false']);
    expect(queue.delayed).toBeUndefined();
  });

  it('given a commit whose answer is lost, when the connection is back, then the end is recognised and not written again', async () => {
    const { lease } = await member.begin([0]);
    registry.memory.loseNextReply(member.sessionId);

    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(100);

    expect(await lease!.settled()).toEqual(new Map([[0, SUCCEEDED]]));
    expect(member.tree.record(0)).toMatchObject({ version: 2 });
  });

  it('given a commit that did not arrive, when the connection is back, then it is written', async () => {
    const { lease } = await member.begin([0]);

    registry.memory.suspend(member.sessionId);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(3_000);
    registry.memory.resume(member.sessionId);
    await registry.clock.advance(2_000);

    expect(await lease!.settled()).toEqual(new Map([[0, SUCCEEDED]]));
  });

  it('given a session that ends before the settle is answered, when that is known, then the item is fenced', async () => {
    const { lease } = await member.begin([0]);

    registry.memory.suspend(member.sessionId);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(1_000);
    member.tree.close(new Error('lost'));
    await registry.clock.advance(0);

    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced' }]]));
    // Only the registry's own timers are left: that of the client and that of the server.
    expect(registry.clock.pendingTimers).toBe(2);
  });

  it('given more than one request holds, when they are settled, then they are split', async () => {
    const { queue, transactions, settled } = await slowQueue({ maxRequestBytes: 1_000 });

    for (let item = 0; item < 8; item++) queue.add(settled(`${item}`, [touch(item, 'x'.repeat(200))]));
    await registry.clock.advance(100);

    expect(settled.told).toHaveLength(8);
    expect(settled.told.every((text) => text.endsWith('true'))).toBe(true);
    expect(transactions()).toBeGreaterThan(1);
    expect(transactions()).toBeLessThan(8);
  });

  it('given an end that no request holds, when it is settled, then it waits and the others are not held up', async () => {
    const { queue, settled } = await slowQueue({ maxRequestBytes: 1_000 });

    queue.add({ ...settled('huge', [touch(0, 'x'.repeat(2_000))]), judgeStanding: () => 'open' });
    queue.add(settled('small', [touch(1)]));
    await registry.clock.advance(50);

    expect(settled.told).toEqual(['small true']);
  });
});

describe('ends that the server refuses', () => {
  const NO_RIGHT = -102;
  const QUOTA = -125;

  it('are left out, and the others are recorded at once', async () => {
    const { queue, settled } = await slowQueue();
    refuse([1, 2, 5, 6], NO_RIGHT);

    for (let item = 0; item < 8; item++) queue.add(settled(`${item}`, [touch(item)]));
    await registry.clock.advance(55);

    expect(settled.told).toEqual([0, 3, 4, 7].map((item) => `${item} true`));
  });

  it('are recorded as soon as the server takes them, after pauses that grow to 5 s', async () => {
    const { queue, settled, transactions } = await slowQueue();
    const mend = refuse([2], QUOTA);
    queue.add(settled('2', [touch(2)]));
    await registry.clock.advance(60_000);
    const before = transactions();
    await registry.clock.advance(20_000);
    expect(transactions() - before).toBeGreaterThanOrEqual(3);
    expect(transactions() - before).toBeLessThanOrEqual(10);
    mend();
    await registry.clock.advance(6_000);

    expect(settled.told).toEqual(['2 true']);
    expect(queue.delayed).toBeUndefined();
  });

  it('hold up all that is left once four of them were left out of one commit', async () => {
    const { queue, settled } = await slowQueue();
    refuse([0, 1, 2, 3, 4], NO_RIGHT);

    for (let item = 0; item < 8; item++) queue.add(settled(`${item}`, [touch(item)]));
    await registry.clock.advance(65);
    expect(settled.told).toEqual([]);
    await registry.clock.advance(10_000);

    expect(settled.told.toSorted()).toEqual([5, 6, 7].map((item) => `${item} true`));
  });

  it('are blamed by any node that they name', async () => {
    const { queue, settled } = await slowQueue();
    refuse([2], NO_RIGHT);
    queue.add({ ...settled('of 1 and 2', [touch(1), touch(2)]), paths: [] });
    queue.add({ ...settled('3', [touch(3)]), paths: [] });
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['3 true']);
  });

  it('are looked for first where the server may have done it after all', async () => {
    const { queue, settled, transactions } = await slowQueue();
    const mend = registry.memory.fail(() => ({ code: -7, isApplied: true }));
    queue.add({ ...settled('done', [touch(0)]), judgeStanding: () => 'recorded' });
    await registry.clock.advance(30);
    mend();
    await registry.clock.advance(10_000);

    expect(settled.told).toEqual(['done true']);
    expect(transactions()).toBe(2);
  });

  it('end with the session, whatever the server says', async () => {
    const { queue, settled, tree } = await slowQueue();
    refuse([0], NO_RIGHT);
    queue.add(settled('0', [touch(0)]));
    await registry.clock.advance(10_000);
    tree.close(new Error('over'));
    await registry.clock.advance(0);

    expect(settled.told).toEqual(['0 false']);
  });

  function refuse(items: readonly number[], code: number): () => void {
    const paths = items.map((item) => `/test${member.tree.paths.item(item)}`);
    return registry.memory.fail(({ path }) => (paths.includes(path) ? code : undefined));
  }
});

describe('what is looked at before it is settled', () => {
  it('is an end whose mark another run has replaced, and no other one', async () => {
    const { queue, settled } = await slowQueue();
    const looked: string[] = [];
    const judge = (name: string) => (): 'fenced' => {
      looked.push(name);
      return 'fenced';
    };
    queue.add({ ...settled('a', [touch(0)]), isDisturbed: true, judgeStanding: judge('a') });
    queue.add({ ...settled('b', [touch(1)]), judgeStanding: judge('b') });
    await registry.clock.advance(50);

    expect(looked).toEqual(['a']);
    expect(settled.told).toEqual(['a false', 'b true']);
  });

  it('is repeated at once after a lost race, ten times, and waits then', async () => {
    const { queue, settled } = await slowQueue();
    const missing = { kind: 'delete', path: member.tree.paths.mark(1, 'running') } as const;
    let looks = 0;
    const judgeStanding = () => ((looks += 1), 'open' as const);
    queue.add({ ...settled('a', [missing]), judgeStanding });
    await registry.clock.advance(10 * 2 * 10 + 10);
    expect(looks).toBe(10);
    await registry.clock.advance(60_000);

    expect(looks).toBeLessThan(10 + 60);
    expect(settled.told).toEqual([]);
  });
});

describe('the count of runs that start other jobs', () => {
  const noteOf = (item: number) => ({ fireTime: 1_000, item, expected: itemSetOf(range(1_000)), isSucceeded: true });

  /** The next item ends when the one before is settled. @returns how many have ended */
  function endWithoutPause({ queue, settled }: Awaited<ReturnType<typeof slowQueue>>): () => number {
    let ended = 0;
    const endAgain = () => {
      queue.add({ ...settled('busy', [touch(0)]), note: noteOf((ended += 1)), onSettled: endAgain });
    };
    endAgain();
    return () => ended;
  }

  beforeEach(async () => {
    await member.center.create(member.tree.paths.dependents, NOTHING_COUNTED, 'PERSISTENT');
    await member.center.create(member.tree.paths.dependent('report'), '', 'PERSISTENT');
  });

  it.each([30, 300])(
    'given an instance whose items end without a pause, when one whose requests take %i ms counts as well, then it has its turn',
    async (latencyMs) => {
      const busy = await slowQueue({ latencyMs: 10 });
      const slow = await slowQueue({ latencyMs });
      const ended = endWithoutPause(busy);
      await registry.clock.advance(1_000);
      slow.queue.add({ ...slow.settled('slow', [touch(1)]), note: noteOf(999) });
      await registry.clock.advance(10 * latencyMs);

      expect(slow.settled.told).toEqual(['slow true']);
      expect(await member.center.exists(member.tree.paths.countingLock)).toBeUndefined();
      const before = ended();
      await registry.clock.advance(1_000);
      expect(ended() - before).toBeGreaterThan(50);
    },
  );

  it('given an instance that stands still while it holds the lock, when items of another one end, then they wait for it once, and not long', async () => {
    const { queue, settled } = await slowQueue();
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(0)]), note: noteOf(0) });
    await registry.clock.advance(1_900);
    expect(settled.told).toEqual([]);
    await registry.clock.advance(200);
    queue.add({ ...settled('second', [touch(1)]), note: noteOf(1) });
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true', 'second true']);
  });

  it('given an instance that waits for the lock of another one, when that is over, then it counts at once', async () => {
    const { queue, settled } = await slowQueue();
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true']);
  });

  it('given an end that waits for the lock of another instance, when further items end, then they share its turn', async () => {
    const { queue, settled } = await slowQueue();
    await member.center.create(member.tree.paths.countingLock, '', 'EPHEMERAL');
    await registry.clock.advance(10);

    queue.add({ ...settled('first', [touch(0)]), note: noteOf(0) });
    await registry.clock.advance(100);
    queue.add({ ...settled('second', [touch(1)]), note: noteOf(1) });
    await member.center.delete(member.tree.paths.countingLock);
    await registry.clock.advance(100);

    expect(settled.told).toEqual(['first true', 'second true']);
    expect((await member.center.read(member.tree.paths.dependents))?.stat.version).toBe(1);
  });

  it('given an instance that holds the lock, when its items have been taken over meanwhile, then it keeps nobody waiting', async () => {
    const { countingLock } = member.tree.paths;
    const busy = await slowQueue({ latencyMs: 10 });
    const slow = await slowQueue({ latencyMs: 100 });
    endWithoutPause(busy);
    slow.queue.add({ ...slow.settled('slow', [{ ...touch(1), version: 0 }]), note: noteOf(999) });
    while ((await member.center.exists(countingLock)) === undefined) await registry.clock.advance(10);
    await member.center.set(member.tree.paths.item(1), 'taken over');
    await registry.clock.advance(1_000);

    expect(slow.settled.told).toEqual(['slow false']);
    expect(await member.center.exists(countingLock)).toBeUndefined();
  });
});

function touch(item: number, data = '') {
  return { kind: 'set', path: member.tree.paths.item(item), data } as const;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, item) => item);
}

/** A queue over a registry that takes its time to answer. */
async function slowQueue({ latencyMs = 10, maxRequestBytes }: { latencyMs?: number; maxRequestBytes?: number } = {}) {
  const center = registry.memory.center({
    namespace: 'test',
    clock: registry.clock,
    sessionTimeoutMs: 10_000,
    requestTimeoutMs: 5_000,
    latencyMs,
    maxRequestBytes,
  });
  const connecting = center.connect();
  await registry.clock.advance(2 * latencyMs);
  await connecting;
  const opening = JobTree.open(center, registry.clock, member.tree.jobName, member.self);
  await registry.clock.advance(2 * latencyMs);
  const tree = await opening;
  const delayed: DelayedSettles[] = [];
  const queue = new SettleQueue(tree, registry.clock, undefined, (one) => delayed.push(one));
  const before = center.traffic.foreground;
  const told: string[] = [];
  const settled = Object.assign(
    (name: string, operations: readonly Operation[]): EndedItem => ({
      item: 0,
      paths: [operations[0]!.path],
      operations,
      isDisturbed: false,
      judgeStanding: () => 'fenced',
      onSettled: (isRecorded) => told.push(`${name} ${isRecorded}`),
    }),
    { told },
  );
  return { tree, queue, settled, delayed, transactions: () => center.traffic.foreground - before };
}
