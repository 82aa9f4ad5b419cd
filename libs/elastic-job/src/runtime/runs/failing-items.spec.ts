import { beforeEach, expect, it } from 'vitest';
import { hearTree } from '@test/support/unit/job-news.js';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { SettledOutcome } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { FailingItems } from './failing-items.js';

const MINUTE = 60_000;

let registry: Registry;
let member: Member;
let other: Member;
let operator: RegistryCenter;
let failing: FailingItems;
/** Two items of this instance. */
let [one, two]: number[] = [];
beforeEach(async () => {
  ({ registry, leader: member, worker: other, operator } = await Registry.ofTwo());
  [one, two] = member.tree.itemsOf(member.id);
  failing = new FailingItems(member.tree);
  hearTree(member.tree, failing);
});

it('counts from the first failure of an item to its last one, of several items the longest', async () => {
  await settle('failed', 5);
  expect(failing.longestMs).toBe(0);
  await settle('failed', 1, two);
  await settle('failed', 4);
  await settle('failed', 10, two);

  expect(failing.longestMs).toBe(14 * MINUTE);
});

it.each(['succeeded', 'fenced'] as const)('counts anew after a run that has %s', async (outcome) => {
  await settle('failed', 0);
  await settle(outcome, 1);
  await settle('failed', 1);
  await settle('failed', 3);

  expect(failing.longestMs).toBe(3 * MINUTE);
});

it('counts on over a run that was cut short', async () => {
  await settle('failed', 0);
  await settle('aborted', 1);
  await settle('failed', 1);

  expect(failing.longestMs).toBe(2 * MINUTE);
});

it('counts anew for an item that has moved and come back, whether or not anybody has asked meanwhile', async () => {
  await settle('failed', 0);
  await settle('failed', 1);
  await move(other.id);
  await move(member.id);

  expect(failing.longestMs).toBe(0);
});

it('counts anew for an item that has moved and come back while the connection was away', async () => {
  await settle('failed', 0);
  await settle('failed', 1);
  registry.memory.suspend(member.sessionId);
  await move(other.id);
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
  await move(member.id);

  expect(failing.longestMs).toBe(0);
});

it('counts on for an item that stays, although another one has moved and the connection was away', async () => {
  await settle('failed', 0, two);
  await settle('failed', 1, two);
  registry.memory.suspend(member.sessionId);
  await move(other.id);
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);

  expect(failing.longestMs).toBe(MINUTE);
});

it('leaves out a disabled item, and counts on once it is enabled, whether or not anybody has asked', async () => {
  const disabled = member.tree.paths.mark(one!, 'disabled');
  await settle('failed', 0);
  await settle('failed', 1);
  await operator.create(disabled, '', 'PERSISTENT');
  await registry.clock.advance(0);
  expect(failing.longestMs).toBe(0);
  await operator.delete(disabled);
  await registry.clock.advance(0);

  expect(failing.longestMs).toBe(MINUTE);
});

/** Tells the end of a run, some minutes after the one before. */
async function settle(outcome: SettledOutcome['kind'], afterMinutes: number, item = one!): Promise<void> {
  await registry.clock.advance(afterMinutes * MINUTE);
  failing.itemSettled({ kind: 'ItemSettled', item, outcome });
}

async function move(owner: string): Promise<void> {
  await operator.set(ownerOf(one!), owner);
  await registry.clock.advance(0);
}

function ownerOf(item: number): string {
  return member.tree.paths.mark(item, 'instance');
}
