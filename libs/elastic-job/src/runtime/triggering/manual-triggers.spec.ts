import { beforeEach, expect, it } from 'vitest';
import { formatTriggerRequest } from '../../coordination/index.js';
import { afterNextTransaction } from '@test/support/unit/member.js';
import { manualOrigin, type Trigger } from '../../domain/index.js';
import { RegistryUnavailableError, ServerError } from '../../registry/index.js';
import { ManualTriggers } from './manual-triggers.js';
import { OneSession } from '@test/support/unit/one-session.js';
import type { TriggerPlan } from './trigger-plan.js';

const SECOND = 1_000;

let session: OneSession;
let triggers: ManualTriggers;
/** Items that the leader gives this instance for a trigger; undefined: the trigger must not run here. */
let assign: (trigger: Trigger) => Promise<readonly number[] | undefined>;
/** Rounds that have begun all they could. */
let begun: number;
beforeEach(async () => {
  session = await OneSession.start();
  const { services, tree } = session;
  assign = () => Promise.resolve(services.sharding.ownItems(tree));
  begun = 0;
  const plan: TriggerPlan = Object.assign(Object.create(null), {
    assign: (trigger: Trigger) => assign(trigger),
    ownItems: () => services.sharding.ownItems(tree),
    reportTaken: () => {},
  });
  const { events, gate, leases, news, report } = session;
  triggers = new ManualTriggers(tree, gate, plan, leases, events, news, report);
  news.on({ TriggersBegun: () => (begun += 1) });
  news.onBehalfOf(triggers);
  tree.on((event) => news.emit(event));
  await session.operator.ensurePath(session.paths.triggers);
  triggers.start();
});

it('runs free items with the parameters of the operator who triggers them', async () => {
  const passed: unknown[] = [];
  session.handler = ({ trigger }) => void passed.push(trigger);
  await ask('a', 'only Tuesday');
  expect(session.runs).toEqual(['0 a', '1 a', '2 a', '3 a']);
  expect(passed[0]).toEqual({ id: 'a', parameters: 'only Tuesday' });
  expect(kinds()).toEqual(['trigger-requested', 'begun', 'finished']);
  expect([begun > 0, await session.operator.children(session.paths.triggers)]).toEqual([true, []]);
});

it('postpones an item that runs elsewhere, and runs it once it is released', async () => {
  await session.markElsewhere(1);
  await ask('a');
  expect(session.runs).toEqual(['0 a', '2 a', '3 a']);
  expect(postponed()).toEqual(['manual:a 1']);
  expect([0, 1].map((item) => triggers.awaited.has(item))).toEqual([false, true]);

  await session.releaseElsewhere(1);
  expect(session.runs.slice(3)).toEqual(['1 a']);
  expect([triggers.awaited.has(1), postponed().length, session.toldOf('refused')]).toEqual([false, 1, []]);
});

it('does not postpone an item that another instance has begun for the same trigger', async () => {
  const other = await session.registry.joined();
  await other.begin([1], { origin: manualOrigin('a') });
  await ask('a');
  expect(session.runs).toEqual(['0 a', '2 a', '3 a']);
  expect(session.toldOf('refused')).toMatchObject([{ items: [1], cause: 'alreadyBegun' }]);
  expect([postponed(), triggers.awaited.has(1)]).toEqual([[], false]);
});

it('runs the earlier of two triggers first, even if its item is released as the later is assigned', async () => {
  assign = () => Promise.resolve([1]);
  await session.markElsewhere(1);
  await ask('a');
  assign = async () => {
    await session.operator.delete(session.paths.mark(1, 'running'));
    await session.tree.sync();
    return [1];
  };
  await ask('b', undefined, SECOND);
  expect(session.runs).toEqual(['1 a', '1 b']);
});

it.each([
  ['the item', () => session.operator.create(session.paths.mark(1, 'disabled'), '', 'PERSISTENT')],
  ['the server', () => session.disableServer()],
  ['the item, and removed it,', () => deleteItem(1)],
])('refuses a waiting item once if an operator has disabled %s in the meantime', async (_, disable) => {
  await session.markElsewhere(1);
  await ask('a');
  await disable();
  await ask('b');
  if (session.tree.isRunning(1)) await session.releaseElsewhere(1);
  await session.clock.advance(SECOND);
  const refused = session.toldOf('refused').map(({ cause, items, trigger }) => [trigger.origin, items, cause]);
  expect(refused.filter(([origin]) => origin === 'manual:a')).toEqual([['manual:a', [1], 'disabled']]);
  expect(session.runs).not.toContain('1 a');
});

it.each([
  ['is not answered', new RegistryUnavailableError('begin', 'not-applied', 'no answer'), []],
  ['is refused', new ServerError('begin', -127), ['running a trigger']],
])('runs a trigger once the registry answers again if its begin %s', async (_, error, heard) => {
  assign = () => {
    failNextTransaction(error);
    return Promise.resolve([0, 1]);
  };
  await ask('a', undefined, 10 * SECOND);
  expect(session.runs).toEqual(['0 a', '1 a']);
  expect(session.heard.filter((text) => text.includes('trigger')).map((text) => text.split(':')[0])).toEqual(heard);
});

it('reports a trigger that cannot be begun as failed, and runs the next one', async () => {
  assign = () => {
    assign = () => Promise.resolve([0]);
    return Promise.reject(new RangeError('too large'));
  };
  await ask('a');
  await ask('b');
  expect(session.runs).toEqual(['0 b']);
  expect(session.heard[0]).toBe('the trigger manual:a: RangeError: too large');
});

it('postpones nothing for a trigger that must not run here, and runs the next one', async () => {
  assign = ({ origin }) => Promise.resolve(origin === 'manual:a' ? undefined : [0]);
  await ask('a');
  expect([kinds(), session.heard]).toEqual([['trigger-requested'], []]);
  await ask('b');
  expect(session.runs).toEqual(['0 b']);
});

it('runs items that moved during the trigger if their new owners were not asked', async () => {
  const { operator, paths } = session;
  const known = await session.registry.joined();
  assign = async () => {
    const newcomer = await session.registry.joined();
    await operator.set(paths.mark(1, 'instance'), known.id);
    await operator.set(paths.mark(2, 'instance'), newcomer.id);
    await operator.set(paths.mark(3, 'instance'), 'nobody');
    await session.tree.sync();
    return [0];
  };
  await ask('a');
  expect(session.runs).toEqual(['0 a', '2 a']);
});

it.each([
  ['alone', [1, 3], false],
  ['with a Java peer', [3], true],
])('postpones these items if one is failed over (job %s): %j', async (_, waiting, hasJava) => {
  const { operator, paths } = session;
  if (hasJava) await operator.create(paths.instance('10.0.0.98@-@1'), '', 'EPHEMERAL');
  for (const item of [1, 3]) await session.markElsewhere(item);
  await operator.create(paths.mark(1, 'failover'), '10.0.0.99@-@1', 'PERSISTENT');
  assign = () => Promise.resolve([3]); // The others are not its own for this trigger.
  await ask('a');
  expect([session.toldOf('postponed').map(({ items }) => items), session.runs]).toEqual([[waiting], []]);
});

it('reports each waiting trigger as skipped while the instance leaves, and begins none', async () => {
  session.handler = ({ shardingItem }) => shardingItem === 0 && session.clock.sleep(60 * SECOND);
  await ask('a');
  await ask('b');
  assign = () => {
    triggers.stop();
    return Promise.resolve([1]);
  };
  await ask('c');
  await ask('d');
  const skipped = session.toldOf('skipped').map(({ reason, trigger }) => `${trigger.origin}: ${reason}`);
  expect(skipped).toEqual(['manual:b: this instance leaves', 'manual:c: this instance leaves']);
  await session.clock.advance(60 * SECOND);
  expect(session.runs.slice(4)).toEqual(['1 b', '2 b', '3 b']);
  expect(await session.operator.children(session.paths.triggers)).toEqual([session.member.id]);
});

it('reports a request as skipped if the instance leaves while it is taken', async () => {
  afterNextTransaction(session.member, () => Promise.resolve(triggers.stop()));
  await ask('a');
  expect(session.toldOf('skipped')).toMatchObject([{ reason: 'this instance leaves' }]);
  expect(session.runs).toEqual([]);
});

it.each<[string, () => void]>([
  ['it is told of work', () => triggers.workExpected()],
  ['the leader has made a plan', () => triggers.shardingCompleted()],
  ['failed over items have been claimed', () => triggers.queueClaimed()],
])('begins a waiting item that is free once %s', async (_, happen) => {
  const { lease } = await session.begin([0]);
  await ask('a');
  await session.releaseElsewhere(0); // Its handler still runs here and returns without a report.
  session.running.endLease(0, lease!);
  happen();
  await session.clock.advance(0);
  expect(session.runs).toEqual(['1 a', '2 a', '3 a', '0 a']);
});

it('begins nothing for expected work if no trigger waits', async () => {
  triggers.workExpected();
  await session.clock.advance(0);
  expect(begun).toBe(0);
});

it('asks the registry nothing about a waiting item that still runs elsewhere', async () => {
  await session.markElsewhere(1);
  await ask('a');
  const before = session.member.center.traffic.foreground;
  triggers.workExpected();
  await session.clock.advance(0);
  expect(session.member.center.traffic.foreground).toBe(before);
});

it('awaits no item before the items of a trigger are known', async () => {
  assign = () => new Promise(() => {});
  await ask('a');
  expect(triggers.awaited.has(0)).toBe(false);
});

it('reports no error if the only item of a trigger has run for it elsewhere', async () => {
  const other = await session.registry.joined();
  await other.begin([1], { origin: manualOrigin('a') });
  assign = () => Promise.resolve([1]);
  await ask('a');
  expect(session.toldOf('refused')).toMatchObject([{ items: [1], cause: 'alreadyBegun' }]);
  expect(session.heard.filter((text) => text.includes('trigger'))).toEqual([]);
});

it('does not run a disabled item that has moved to a newcomer', async () => {
  const { operator, paths } = session;
  assign = async () => {
    const newcomer = await session.registry.joined();
    await operator.set(paths.mark(2, 'instance'), newcomer.id);
    await operator.create(paths.mark(2, 'disabled'), '', 'PERSISTENT');
    await session.tree.sync();
    return [0];
  };
  await ask('a');
  expect(session.runs).toEqual(['0 a']);
  expect(session.toldOf('refused')).toEqual([]);
});

it('leaves the request of another instance alone', async () => {
  await session.clock.advance(0);
  const before = session.member.center.traffic.foreground;
  await session.operator.create(session.paths.trigger('10.0.0.2@-@2'), 'other', 'PERSISTENT');
  await session.clock.advance(0);
  expect([kinds(), session.member.center.traffic.foreground]).toEqual([[], before]);
});

async function ask(id: string, parameters?: string, ms = 10): Promise<void> {
  const path = session.paths.trigger(session.member.id);
  await session.operator.create(path, formatTriggerRequest({ id, parameters }), 'PERSISTENT');
  await session.clock.advance(ms);
}

function kinds(): string[] {
  const kept = session.told.map(({ kind }) => kind).filter((kind) => kind !== 'started' && kind !== 'settled');
  return [...new Set(kept)];
}

function postponed(): string[] {
  return session.toldOf('postponed').map(({ items, trigger }) => `${trigger.origin} ${items.join()}`);
}

async function deleteItem(item: number): Promise<void> {
  const path = session.paths.item(item);
  const paths = [...session.tree.descendants(path), path];
  await session.operator.transaction(paths.map((below) => ({ kind: 'delete', path: below })));
}

/** The next write request is not applied. */
function failNextTransaction(error: Error): void {
  const { center } = session.member;
  const transaction = center.transaction.bind(center);
  center.transaction = () => {
    center.transaction = transaction;
    return Promise.reject(error);
  };
}
