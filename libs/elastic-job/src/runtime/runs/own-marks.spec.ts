import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JobEvents, type JobEvent } from '../../tracing/index.js';
import { OwnMarks } from './own-marks.js';
import { RunningItems } from './running-items.js';
import { HeardNews, hearTree } from '@test/support/unit/job-news.js';

const LOOK_MS = 15_000;

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let running: RunningItems;
let told: JobEvent[];
let heard: string[];
let marks: OwnMarks;
beforeEach(async () => {
  ({ registry, member, operator } = await Registry.ofOne());
  running = new RunningItems();
  told = [];
  heard = [];
  marks = watch();
});
afterEach(() => marks.stop());

it('releases a mark without a run at the next comparison, and reports it', async () => {
  await mark(1);
  await registry.clock.advance(LOOK_MS - 100);
  expect(await isMarked(1)).toBe(true);
  await registry.clock.advance(200);

  expect(await isMarked(1)).toBe(false);
  expect(told).toMatchObject([{ kind: 'mark-released', item: 1, marks: ['running'] }]);
  expect(heard).toEqual(['WorkExpected']);
});

it('keeps marks younger than three seconds until the comparison after', async () => {
  await mark(0);
  await registry.clock.advance(LOOK_MS - 2_900);
  await mark(1);
  await registry.clock.advance(3_000);
  expect(await isMarked(1)).toBe(true);
  await registry.clock.advance(LOOK_MS);
  expect(await isMarked(1)).toBe(false);
});

it('releases a mark that is three seconds old', async () => {
  await mark(0);
  await registry.clock.advance(LOOK_MS - 3_000);
  await mark(1);
  await registry.clock.advance(3_000);
  expect(await isMarked(1)).toBe(false);
});

it('sets no timer while nothing is marked', async () => {
  const before = registry.clock.pendingTimers;
  marks.compareLater();
  expect(registry.clock.pendingTimers).toBe(before);
});

it('looks at no items for further marks while a look is due', async () => {
  await mark(0);
  const looked = vi.spyOn(member.tree, 'items');
  for (const item of [1, 2, 3]) marks.itemMarked({ kind: 'ItemMarked', item });
  expect(looked).not.toHaveBeenCalled();
});

it('counts the age of a mark from when it was set last', async () => {
  await mark(1);
  await registry.clock.advance(LOOK_MS - 1_000);
  await operator.delete(member.tree.paths.mark(1, 'running'));
  await registry.clock.advance(100);
  await mark(1);
  await registry.clock.advance(1_500);
  expect(await isMarked(1)).toBe(true);
});

it('leaves the marks of other instances alone, and asks for a sweep', async () => {
  await operator.create(member.tree.paths.mark(2, 'running'), 'nobody', 'PERSISTENT');
  await registry.clock.advance(LOOK_MS + 100);
  expect([await isMarked(2), told, heard]).toEqual([true, [], ['SweepNeeded']]);
});

it('looks at marks while something is marked, and leaves no timer after that', async () => {
  await mark(1);
  await registry.clock.advance(100);
  expect(registry.clock.pendingTimers).toBe(1);
  await registry.clock.advance(3 * LOOK_MS);
  expect(registry.clock.pendingTimers).toBe(0);
});

it('looks at no marks after it is stopped', async () => {
  await mark(1);
  await registry.clock.advance(100);
  marks.stop();
  expect(registry.clock.pendingTimers).toBe(0);
  await registry.clock.advance(3 * LOOK_MS);
  expect(await isMarked(1)).toBe(true);
});

it('looks at no marks after the session is over', async () => {
  member.tree.close(new Error('over'));
  marks.compareLater();
  expect(registry.clock.pendingTimers).toBe(0);
});

it('counts the age of the first mark of an item that is marked twice', async () => {
  await mark(1);
  await registry.clock.advance(LOOK_MS - 1_000);
  await operator.create(member.tree.paths.mark(1, 'failovering'), member.id, 'PERSISTENT');
  await registry.clock.advance(1_000);
  expect(await isMarked(1)).toBe(false);
});

it('releases a mark from before its start at its first look', async () => {
  await mark(1);
  marks.stop();
  marks = watch();
  marks.compareLater();
  await registry.clock.advance(LOOK_MS);
  expect(await isMarked(1)).toBe(false);
});

it('releases a mark that was set while the connection was away, at the next look', async () => {
  await whileAway(() => mark(1));
  await registry.clock.advance(LOOK_MS);
  expect(await isMarked(1)).toBe(false);
});

it('counts only the latest age of a mark that was renewed without an event', async () => {
  await mark(1);
  await whileAway(() => operator.delete(member.tree.paths.mark(1, 'running')));
  running.add((await member.begin([2])).lease!); // Something is marked, so the looks go on.
  await registry.clock.advance(2 * LOOK_MS - 2_900);
  await mark(1);
  await registry.clock.advance(2_900);
  expect(await isMarked(1)).toBe(true);
  await registry.clock.advance(LOOK_MS);
  expect([await isMarked(1), await isMarked(2)]).toEqual([false, true]);
});

it('reports a mark that may not be removed, and releases it and later ones once it may be', async () => {
  await mark(1);
  const path = member.tree.paths.mark(1, 'running');
  const mend = registry.memory.fail((operation) => (operation.path.endsWith(path) ? -102 : undefined));
  await mark(0);
  await mark(2);
  await registry.clock.advance(LOOK_MS);
  expect([await isMarked(0), await isMarked(1), await isMarked(2)]).toEqual([false, true, true]);
  expect(heard).toEqual(['WorkExpected', expect.stringContaining(path)]);

  mend();
  await registry.clock.advance(LOOK_MS - 1_000);

  expect([await isMarked(1), await isMarked(2)]).toEqual([false, false]);
});

async function mark(item: number): Promise<void> {
  await operator.create(member.tree.paths.mark(item, 'running'), member.id, 'PERSISTENT');
}

async function isMarked(item: number): Promise<boolean> {
  return (await operator.exists(member.tree.paths.mark(item, 'running'))) !== undefined;
}

function watch(): OwnMarks {
  const { executions, tree } = member;
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const news = new HeardNews();
  const report = () => (error: unknown) => void heard.push(String(error));
  news.on({
    WorkExpected: ({ kind }) => heard.push(kind),
    SweepNeeded: ({ kind }) => heard.push(kind),
  });
  const watching = new OwnMarks(tree, executions, running, events, news, report);
  hearTree(tree, watching);
  return watching;
}

/** Makes a change of which this instance gets no news. */
async function whileAway(happen: () => Promise<unknown>): Promise<void> {
  registry.memory.suspend(member.sessionId);
  await happen();
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
}
