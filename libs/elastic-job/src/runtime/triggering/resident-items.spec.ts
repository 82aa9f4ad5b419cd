import { beforeEach, expect, it } from 'vitest';
import { afterNextTransaction, SUCCEEDED } from '@test/support/unit/member.js';
import { hearTree } from '@test/support/unit/job-news.js';
import { ResidentStoppedError, type RefusalCause } from '../../domain/index.js';
import { HUNG_GRACE_MS, OneSession } from '@test/support/unit/one-session.js';
import { ResidentItems } from './resident-items.js';

const HOUR = 3_600_000;

let session: OneSession;
let residents: ResidentItems;
/** Item and reason of each run that was told to end. */
let stops: string[];
/** False if only the spec wakes it. */
let isListening: boolean;
beforeEach(async () => {
  session = await OneSession.start({ cron: undefined, resident: true });
  stops = [];
  isListening = true;
  session.handler = async ({ shardingItem, signal }) => {
    await session.clock.sleep(HOUR, signal).catch(() => {});
    if (!(signal.reason instanceof ResidentStoppedError)) return;
    stops.push(`${shardingItem} ${signal.reason.why}`);
    await session.clock.sleep(50);
  };
  residents = residentsOf(session);
  hearTree(session.tree, residents, () => isListening);
});

it('begins each free item once, under a lease of its own', async () => {
  await wake();
  expect(session.toldOf('begun').map(({ items }) => items)).toEqual([[0], [1], [2], [3]]);
  await wake();
  expect([session.running.list, stops]).toEqual([[0, 1, 2, 3], []]);
});

it('begins an item again after a slow listener has returned and the pause is over', async () => {
  const ended = () => session.clock.sleep(1_000);
  session = await OneSession.start({ cron: undefined, resident: true }, [
    { beforeJobExecuted: () => {}, afterJobExecuted: ended },
  ]);
  session.handler = ({ shardingItem, signal }) => shardingItem > 0 && session.clock.sleep(HOUR, signal);
  residents = residentsOf(session);
  hearTree(session.tree, residents);
  await wake(1_090);
  expect([begunOf(0), session.running.list]).toEqual([1, [1, 2, 3]]);
  await session.clock.advance(20);
  expect(begunOf(0)).toBe(2);
});

it.each([
  ['busy', 1],
  ['alreadyBegun', 0],
] as const)(
  'begins an item refused as %s at the next look %i times, and once in all after a pause',
  async (cause, times) => {
    refuseNext(cause);
    await wake();
    await wake();
    expect(begunOf(0)).toBe(times);
    await session.clock.advance(100);
    expect(begunOf(0)).toBe(1);
  },
);

it.each([
  ['disabled', () => session.operator.create(session.paths.mark(1, 'disabled'), '', 'PERSISTENT')],
  ['moved', () => session.operator.set(session.paths.mark(1, 'instance'), '10.0.0.99@-@1')],
])('begins an item that was ended as %s again at once, if it may run again', async (why, change) => {
  await wake();
  await change();
  await wake(100);
  expect([stops, session.running.list]).toEqual([[`1 ${why}`], [0, 2, 3]]);
  await session.operator.set(session.paths.mark(1, 'instance'), session.member.id);
  if (why === 'disabled') await session.operator.delete(session.paths.mark(1, 'disabled'));
  await wake();
  expect([begunOf(0), begunOf(1)]).toEqual([1, 2]);
});

it('ends the items of a disabled server with that reason', async () => {
  await wake();
  await session.disableServer();
  await session.clock.advance(0);
  expect(stops).toEqual([0, 1, 2, 3].map((item) => `${item} disabled`));
});

it('ends its items and begins none again after the instance leaves', async () => {
  await wake();
  residents.stop();
  expect(stops).toEqual([]);
  residents.end();
  await wake(1_000);
  expect(stops).toEqual([0, 1, 2, 3].map((item) => `${item} leaving`));
  expect([session.running.size, session.runs.length, session.clock.pendingTimers]).toEqual([0, 4, 0]);
});

it('begins no item after its pause if the instance leaves meanwhile', async () => {
  isListening = false;
  session.handler = () => {};
  await wake();
  expect(session.clock.pendingTimers).toBe(4);
  residents.stop();
  expect(session.clock.pendingTimers).toBe(0);
  await session.clock.advance(HOUR);
  expect(session.runs).toHaveLength(4);
});

it('calls no handler for a begin that is answered after the instance leaves', async () => {
  afterNextTransaction(session.member, () => Promise.resolve(residents.stop()));
  await wake();
  const settled = session.toldOf('settled').find(({ item }) => item === 0);
  expect(settled?.outcome).toMatchObject({ kind: 'aborted', reason: { why: 'leaving' } });
  expect([session.running.has(0), session.runs]).toEqual([false, expect.not.arrayContaining(['0 schedule'])]);
});

it('begins no item before a plan that is asked for is made', async () => {
  await session.operator.create(session.paths.reshardingFlag, '', 'PERSISTENT');
  await wake(100);
  expect(session.runs).toEqual([]);
  await session.operator.delete(session.paths.reshardingFlag);
  await wake();
  expect(session.runs).toHaveLength(4);
});

it('begins an item once its former owner has released it', async () => {
  await session.markElsewhere(2);
  await wake();
  expect(session.running.list).toEqual([0, 1, 3]);
  await session.releaseElsewhere(2);
  expect(session.running.list).toEqual([0, 1, 2, 3]);
});

it.each<[string, () => void]>([
  ['the connection is back', () => residents.treeReset()],
  ['an instance is lost', () => residents.instanceLost()],
  ['the instance that is to run next is named', () => residents.nextInstanceChanged()],
])('begins free items once %s', async (_, happen) => {
  isListening = false;
  happen();
  await session.clock.advance(0);
  expect(session.running.list).toEqual([0, 1, 2, 3]);
});

it('lets the pause of an item that ends at once grow, even if the instance has been up for long', async () => {
  await session.clock.advance(HOUR);
  isListening = false;
  session.handler = ({ shardingItem }) => shardingItem > 0 && session.clock.sleep(HOUR);
  await wake(100);
  await session.clock.advance(199);
  expect(begunOf(0)).toBe(2);
  await session.clock.advance(1);
  expect(begunOf(0)).toBe(3);
});

it('begins no pause for an item that ends while the instance leaves', async () => {
  isListening = false;
  session.handler = ({ shardingItem }) => session.clock.sleep(shardingItem === 0 ? 10 : HOUR);
  await wake();
  const { pendingTimers } = session.clock;
  residents.stop();
  await session.clock.advance(10);
  expect(session.clock.pendingTimers).toBe(pendingTimers - 1);
});

it.each([
  ['is read at once', false],
  ['has changed while it was read', true],
])('begins an item despite a last run by a clock that was ahead, if its record %s', async (_, isChanged) => {
  const { tree } = session;
  const ahead = { origin: 'resident', fireTime: session.clock.wallNow() + HOUR } as const;
  const { lease } = await session.member.begin([0], ahead);
  lease!.settle(0, SUCCEEDED);
  await lease!.settled();
  const loadRecords = tree.loadRecords.bind(tree);
  let isOutdated = isChanged;
  tree.loadRecords = (items, options) => {
    if (!isOutdated || !items.includes(0)) return loadRecords(items, options);
    isOutdated = false;
    return Promise.resolve(undefined);
  };
  await wake();
  expect([begunOf(0), session.toldOf('refused')]).toEqual([1, []]);
});

it('asks the registry nothing for a job that is not resident, whoever wakes it', async () => {
  session = await OneSession.start();
  residents = residentsOf(session);
  const { traffic } = session.member.center;
  const before = traffic.foreground;
  await wake();
  await residents.wakeAndWait();
  expect([session.runs, traffic.foreground - before]).toEqual([[], 0]);
});

it('shows no failure any more once the job has become one that is not resident', async () => {
  const { clock, settings, tree } = session;
  tree.sync = () => Promise.reject(new Error('broken'));
  await wake();
  expect(tree.failures.oldest).toMatchObject({ work: 'running resident items' });
  Object.defineProperty(settings, 'configuration', { value: { ...settings.configuration, resident: false } });
  tree.sync = () => Promise.resolve();
  await clock.advance(1_000);
  expect([tree.failures.oldest, session.runs]).toEqual([undefined, []]);
});

async function wake(ms = 0): Promise<void> {
  residents.workExpected();
  await session.clock.advance(ms);
}

function begunOf(item: number): number {
  return session.toldOf('begun').filter(({ items }) => items.includes(item)).length;
}

/** Another instance is faster with the next begin of item 0. */
function refuseNext(cause: RefusalCause): void {
  const { executions } = session.member;
  const begin = executions.begin.bind(executions);
  let isRefused = false;
  executions.begin = (assignment, hold) => {
    if (isRefused || !assignment.items.includes(0)) return begin(assignment, hold);
    isRefused = true;
    return Promise.resolve({ lease: undefined, refused: new Map([[0, cause]]), former: new Map() });
  };
}

function residentsOf({ gate, leases, report, services, settings, tree }: OneSession): ResidentItems {
  return new ResidentItems(tree, services.sharding, settings, gate, leases, HUNG_GRACE_MS, report);
}
