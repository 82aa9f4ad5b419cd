import { type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { slowQueue, touch } from '@test/support/unit/slow-queue.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { SessionLostError } from '../../registry/index.js';
import type { EndedItem } from './ended-run.js';
import { OwnRuns } from './own-runs.js';

let registry: Registry;
let member: Member;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1, { shardingTotalCount: 8 });
});

describe('group commit', () => {
  it('settles items that end in one turn in one request', async () => {
    const { lease } = await member.begin([0, 1, 2, 3, 4, 5, 6, 7]);
    const before = member.center.traffic.foreground;

    for (const item of lease!.items) lease!.settle(item, SUCCEEDED);
    await registry.clock.advance(0);

    expect([...(await lease!.settled()).values()]).toEqual(Array(8).fill(SUCCEEDED));
    expect(member.center.traffic.foreground - before).toBe(1);
  });

  it('settles items that end while a settle is in flight together in the next request', async () => {
    const { queue, transactions, settled } = await slowQueue(registry, member);

    queue.add(settled('a', [touch(member, 0)]));
    await registry.clock.advance(5);
    queue.add(settled('b', [touch(member, 1)]));
    await registry.clock.advance(1);
    queue.add(settled('c', [touch(member, 2)]));
    expect(transactions()).toBe(1);
    await registry.clock.advance(20);

    expect(transactions()).toBe(2);
    expect(settled.told).toEqual(['a true', 'b true', 'c true']);
  });

  it('fences only the item that another run has taken over', async () => {
    const { queue, settled } = await slowQueue(registry, member);

    queue.add(settled('a', [touch(member, 0)]));
    queue.add(settled('b', [touch(member, 1), { kind: 'delete', path: member.tree.paths.mark(1, 'running') }]));
    queue.add(settled('c', [touch(member, 2)]));
    await registry.clock.advance(50);

    expect(settled.told.toSorted()).toEqual(['a true', 'b false', 'c true']);
  });

  it('repeats a refused end that is still open until the session ends', async () => {
    const { queue, settled, transactions, delayed, tree } = await slowQueue(registry, member);
    const missing = { kind: 'delete', path: member.tree.paths.mark(1, 'running') } as const;

    queue.add({ ...settled('a', [missing]), item: 1, judgeStanding: () => 'open' });
    queue.add(settled('b', [touch(member, 0)]));
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

  it('does not write an end again after its reply was lost', async () => {
    const { lease } = await member.begin([0]);
    registry.memory.loseNextReply(member.sessionId);

    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(100);

    expect(await lease!.settled()).toEqual(new Map([[0, SUCCEEDED]]));
    expect(member.tree.record(0)).toMatchObject({ version: 2 });
  });

  it('writes an end that did not arrive once the connection is back', async () => {
    const { lease } = await member.begin([0]);

    registry.memory.suspend(member.sessionId);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(3_000);
    registry.memory.resume(member.sessionId);
    await registry.clock.advance(2_000);

    expect(await lease!.settled()).toEqual(new Map([[0, SUCCEEDED]]));
  });

  it('fences an end if the session ends before the answer, and leaves no timer', async () => {
    const { lease } = await member.begin([0]);

    registry.memory.suspend(member.sessionId);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(1_000);
    member.tree.close(new Error('lost'));
    await registry.clock.advance(0);

    expect(await lease!.settled()).toEqual(new Map([[0, { kind: 'fenced', unrecorded: 'succeeded' }]]));
    // Only the registry's own timers are left: one of the client and one of the server.
    expect(registry.clock.pendingTimers).toBe(2);
  });

  it.each([1, 2])('fences %i end(s) if the session ends before the settle is prepared', async (count) => {
    const { queue, settled } = await slowQueue(registry, member);
    const lost: EndedItem = {
      ...settled('lost', [touch(member, 0)]),
      get operations(): never {
        throw new SessionLostError('ended');
      },
    };

    const told = Array<string>(count).fill('lost false');
    for (let n = 0; n < count; n++) queue.add(lost);
    await registry.clock.advance(0);
    expect(settled.told).toEqual(told);
    queue.add(settled('next', [touch(member, 1)]));
    await registry.clock.advance(50);
    expect(settled.told).toEqual([...told, 'next true']);
  });

  it('splits ends that do not fit into one request', async () => {
    const { queue, transactions, settled } = await slowQueue(registry, member, { maxRequestBytes: 1_000 });

    for (let item = 0; item < 8; item++) queue.add(settled(`${item}`, [touch(member, item, 'x'.repeat(200))]));
    await registry.clock.advance(100);

    expect(settled.told).toHaveLength(8);
    expect(settled.told.every((text) => text.endsWith('true'))).toBe(true);
    expect(transactions()).toBe(3);
  });

  it('lets an end that is too large for a request wait without holding up others', async () => {
    const { queue, settled } = await slowQueue(registry, member, { maxRequestBytes: 1_000 });

    queue.add({ ...settled('huge', [touch(member, 0, 'x'.repeat(2_000))]), judgeStanding: () => 'open' });
    queue.add(settled('small', [touch(member, 1)]));
    await registry.clock.advance(50);

    expect(settled.told).toEqual(['small true']);
  });
});

describe('ends that the server refuses', () => {
  const NO_RIGHT = -102;
  const QUOTA = -125;

  it.each([NO_RIGHT, QUOTA])('wait together, and one that comes meanwhile is recorded at once (%i)', async (code) => {
    const { queue, settled } = await slowQueue(registry, member);
    const mend = refuse([2], code);
    for (let item = 0; item < 4; item++) queue.add(settled(`${item}`, [touch(member, item)]));
    await registry.clock.advance(2_000);
    expect(settled.told).toEqual([]);
    queue.add(settled('5', [touch(member, 5)]));
    await registry.clock.advance(30);
    expect(settled.told).toEqual(['5 true']);
    mend();
    await registry.clock.advance(6_000);

    expect(settled.told).toEqual([5, 0, 1, 2, 3].map((item) => `${item} true`));
  });

  it('are recorded as soon as the server takes them, after pauses that grow to 5 s', async () => {
    const { queue, settled, transactions } = await slowQueue(registry, member);
    const mend = refuse([2], QUOTA);
    queue.add(settled('2', [touch(member, 2)]));
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

  it('are looked up before they are written again if the server may have applied them', async () => {
    const { queue, settled, transactions } = await slowQueue(registry, member);
    const mend = registry.memory.fail(() => ({ code: -7, isApplied: true }));
    queue.add({ ...settled('done', [touch(member, 0)]), judgeStanding: () => 'recorded' });
    await registry.clock.advance(30);
    mend();
    await registry.clock.advance(10_000);

    expect(settled.told).toEqual(['done true']);
    expect(transactions()).toBe(2);
  });

  it('are looked up before they are written again even if the first look is refused', async () => {
    const { queue, settled } = await slowQueue(registry, member);
    const mend = registry.memory.fail(() => ({ code: -7, isApplied: true }));
    queue.add({ ...settled('done', [touch(member, 0)]), judgeStanding: () => 'recorded' });
    await registry.clock.advance(15);
    mend();
    const { version } = (await member.center.exists(member.tree.paths.item(0)))!;
    const answer = registry.memory.failRequests(() => -127);
    await registry.clock.advance(2_000);
    answer();
    await registry.clock.advance(10_000);

    expect(settled.told).toEqual(['done true']);
    expect(await member.center.exists(member.tree.paths.item(0))).toMatchObject({ version });
  });

  it('end with the session, whatever the server says', async () => {
    const { queue, settled, tree } = await slowQueue(registry, member);
    refuse([0], NO_RIGHT);
    queue.add(settled('0', [touch(member, 0)]));
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
    const { queue, settled } = await slowQueue(registry, member);
    const looked: string[] = [];
    const judge = (name: string) => (): 'fenced' => {
      looked.push(name);
      return 'fenced';
    };
    queue.add({ ...settled('a', [touch(member, 0)]), isDisturbed: true, judgeStanding: judge('a') });
    queue.add({ ...settled('b', [touch(member, 1)]), judgeStanding: judge('b') });
    await registry.clock.advance(50);

    expect(looked).toEqual(['a']);
    expect(settled.told).toEqual(['a false', 'b true']);
  });

  it('is repeated at once after a lost race, ten times, and waits then', async () => {
    const { queue, settled } = await slowQueue(registry, member);
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

it('knows an item as its own run until each of its begins has ended', () => {
  const runs = new OwnRuns();
  expect(runs.has(0)).toBe(false);

  runs.enter([0, 1]);
  runs.enter([0]);
  runs.leave([0, 1]);
  expect([runs.has(0), runs.has(1)]).toEqual([true, false]);
  runs.leave([0]);
  expect(runs.has(0)).toBe(false);

  runs.leave([0]);
  runs.enter([0]);
  expect(runs.has(0)).toBe(true);
});
