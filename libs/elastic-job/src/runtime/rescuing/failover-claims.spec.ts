import { beforeEach, expect, it } from 'vitest';
import type { JobOptions } from '../../domain/index.js';
import { FailoverClaims } from './failover-claims.js';
import { NoAuthError } from '../../registry/index.js';
import { OneSession } from '@test/support/unit/one-session.js';

const HOUR = 3_600_000;

let session: OneSession;
let claims: FailoverClaims;
/** Rounds after which nothing was left to claim here. */
let rounds: number;
beforeEach(() => start());

it('claims all waiting items at once on an idle instance, and reports them', async () => {
  await queue(1, 2);
  await wake();
  expect(session.runs).toEqual(['1 schedule', '2 schedule']);
  await session.clock.advance(20); // The delay that two runs cause before it looks for more.
  expect(session.toldOf('claimed')).toMatchObject([{ items: [1, 2], source: 'FAILOVER' }]);
  expect([session.tree.queue(), rounds]).toEqual([[], 1]);
});

it.each([
  [1, 10],
  [3, 30],
  [5, 40],
])('waits with %i running items for %i ms before it claims', async (busy, ms) => {
  await start({ shardingTotalCount: 8, concurrency: 8 });
  await keepBusy(busy);
  await queue(7);
  await wake(ms - 1);
  expect(claimed()).toEqual([]);
  await session.clock.advance(1);
  expect(claimed()).toEqual([[7]]);
});

it('claims its part first beside another idle instance, and what is left later', async () => {
  await session.registry.joined();
  session.handler = () => session.clock.sleep(HOUR);
  await queue(0, 1, 2, 3);
  await wake(19);
  expect(claimed()).toEqual([[2, 3]]);
  await session.clock.advance(1);
  expect(claimed()).toEqual([[2, 3], [1], [0]]);
});

it('leaves waiting items alone until it has a free slot', async () => {
  await start({ concurrency: 2 });
  session.handler = () => session.clock.sleep(500);
  await session.run([0, 1]);
  await queue(2, 3);
  await wake(400);
  expect(claimed()).toEqual([]);
  session.onItemEnded = () => claims.workExpected();
  await session.clock.advance(200);
  expect(claimed()).toEqual([[2, 3]]);
});

it('claims no more items than it has free slots', async () => {
  await start({ concurrency: 3 });
  await keepBusy(1);
  await queue(1, 2, 3);
  await wake(100);
  expect(claimed()).toHaveLength(1);
  expect(session.tree.queue()).toHaveLength(1);
});

it.each([
  ['busy', [[2]], 1],
  ['alreadyBegun', [], 0],
] as const)(
  'claims these items without a free slot after a trigger has found one %s: %j',
  async (cause, taken, times) => {
    await start({ concurrency: 1 });
    await keepBusy(1);
    await queue(1, 2);
    claims.itemsRefused({ kind: 'ItemsRefused', refused: new Map([[2, cause]]) });
    await session.clock.advance(100);
    expect([claimed(), rounds]).toEqual([taken, times]);
  },
);

it('claims an item that a trigger has found busy without a free slot, also if its first claim is refused', async () => {
  await start({ concurrency: 1 });
  await keepBusy(1);
  await queue(2);
  const { queue: waiting } = session.member;
  const claim = waiting.claim.bind(waiting);
  waiting.claim = () => {
    waiting.claim = claim;
    return Promise.reject(new NoAuthError('/job/sharding/2/failover'));
  };
  claims.itemsRefused({ kind: 'ItemsRefused', refused: new Map([[2, 'busy']]) });
  await session.clock.advance(100);
  expect(claimed()).toEqual([[2]]);
});

it('claims all waiting items without a free slot if a user asks it to', async () => {
  await start({ concurrency: 1 });
  await keepBusy(1);
  await queue(1, 2);
  const lease = await session.clock.advanceUntil(claims.claim());
  expect(lease).toMatchObject({ items: [1, 2] });
  expect(session.runs.slice(1)).toEqual([]);
  expect(session.running.list).toEqual([0, 1, 2]);
});

it.each([
  ['failover is off', () => start({ failover: false })],
  ['the instance leaves', () => Promise.resolve(session.gate.close())],
  ['the server is disabled', () => session.disableServer()],
])('claims nothing if %s, even if a user asks it to', async (_, switchOff) => {
  await switchOff();
  await queue(1);
  await wake(100);
  expect(await session.clock.advanceUntil(claims.claim())).toBe('empty');
  expect([session.runs, session.tree.queue(), rounds]).toEqual([[], [1], 0]);
});

it('claims only the other items while the handler of a waiting one still goes on here', async () => {
  await keepBusy(1);
  await session.releaseElsewhere(0); // Simulates that the mark was removed by hand.
  await queue(0, 1);
  await wake(100);
  expect([claimed(), session.tree.queue()]).toEqual([[[1]], [0]]);
});

it('claims again at once, from a random item, while others win its claims', async () => {
  await start({ shardingTotalCount: 8, concurrency: 8 });
  const from: (number | undefined)[] = [];
  const { queue: waiting } = session.member;
  const claim = waiting.claim.bind(waiting);
  waiting.claim = (jobName, limits) => {
    from.push(limits?.from);
    return from.length < 3 ? Promise.resolve({ kind: 'lost', items: [5] }) : claim(jobName, limits);
  };
  session.clock.random = () => 0.5;
  session.handler = () => session.clock.sleep(HOUR);
  await queue(1, 5, 6);
  await wake();
  expect([from, claimed()]).toEqual([[undefined, 4, 4], [[5]]]);
  await session.clock.advance(10);
  expect([from.slice(3), claimed()]).toEqual([[undefined], [[5], [1, 6]]]);
});

it.each<[string, () => void, boolean]>([
  ['the leader has made a plan', () => claims.shardingCompleted(), true],
  ['its own server is switched', () => hearSwitched(session.member.self.serverIp), true],
  ['another server is switched', () => hearSwitched('10.0.0.99'), false],
  ['that item is released', () => claims.itemReleased({ kind: 'ItemReleased', item: 1 }), true],
  ['another item is released', () => claims.itemReleased({ kind: 'ItemReleased', item: 2 }), false],
  ['a run of its own ends', () => claims.itemEnded(), true],
  ['an instance is lost', () => claims.instanceLost(), true],
])('claims a waiting item once %s: $2', async (_, happen, isTaken) => {
  await queue(1);
  happen();
  await session.clock.advance(0);
  expect(claimed()).toEqual(isTaken ? [[1]] : []);
});

it.each<[string, Partial<JobOptions>, readonly number[]]>([
  ['nothing waits', {}, []],
  ['failover is off', { failover: false }, [3]],
])('sets no timer to stand back on a busy instance if %s', async (_, options, waiting) => {
  await start(options);
  await keepBusy(1);
  await queue(...waiting);
  const before = session.clock.pendingTimers;
  await wake();
  expect(session.clock.pendingTimers).toBe(before);
});

it('stands back only once on a busy instance while others win its claims', async () => {
  await start({ concurrency: 4 });
  await keepBusy(1);
  const { queue: waiting } = session.member;
  const claim = waiting.claim.bind(waiting);
  let calls = 0;
  waiting.claim = (jobName, limits) =>
    (calls += 1) < 3 ? Promise.resolve({ kind: 'lost', items: [3] }) : claim(jobName, limits);
  await queue(2);
  await wake(10);
  expect(claimed()).toEqual([[2]]);
});

it('claims nothing by itself after it has stopped', async () => {
  await queue(1);
  claims.stop();
  await wake(100);
  expect(claimed()).toEqual([]);
});

async function start(options: Partial<JobOptions> = {}): Promise<void> {
  session = await OneSession.start(options);
  rounds = 0;
  const { leases, news, report, services, settings, tree } = session;
  claims = new FailoverClaims(tree, services.queue, settings, undefined, leases, news, report);
  news.on({ QueueClaimed: () => (rounds += 1) });
}

async function wake(ms = 0): Promise<void> {
  claims.workExpected();
  await session.clock.advance(ms);
}

function hearSwitched(serverIp: string): void {
  claims.serverChanged({ kind: 'ServerChanged', serverIp });
}

/** Items without a record of a begin, so each stands for the last fire time before now. */
async function queue(...items: readonly number[]): Promise<void> {
  for (const item of items) await session.operator.create(session.paths.queued(item), '', 'PERSISTENT');
  await session.clock.advance(0);
}

/** Runs the first items, and every later one, for an hour. */
async function keepBusy(count: number): Promise<void> {
  session.handler = () => session.clock.sleep(HOUR);
  await session.run([...Array(count).keys()]);
}

function claimed(): (readonly number[])[] {
  return session.toldOf('claimed').map(({ items }) => items);
}
