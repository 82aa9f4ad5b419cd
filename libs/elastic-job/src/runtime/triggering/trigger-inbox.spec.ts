import { afterEach, beforeEach, expect, it } from 'vitest';
import { beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import { type RegistryCenter, RegistryUnavailableError } from '../../registry/index.js';
import { TriggerInbox } from './manual-triggers.js';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let taken: string[];
let errors: unknown[];
let inbox: TriggerInbox;
let path: string;
beforeEach(async () => {
  ({ registry, member, operator } = await Registry.ofOne());
  const { tree } = member;
  path = tree.paths.trigger(member.id);
  await operator.create(tree.paths.triggers, '', 'PERSISTENT');
  taken = [];
  errors = [];
  const onRequest = ({ data }: { readonly data: string }) => void taken.push(data);
  const report = () => (error: unknown) => void errors.push(error);
  inbox = new TriggerInbox(tree, report, onRequest);
  tree.on(() => inbox.wake());
});
afterEach(() => {
  if (errors.length > 0) throw errors[0];
});

it('takes a request once it is open, and each that follows, in order', async () => {
  await ask('first');
  expect([taken, await isThere()]).toEqual([[], true]);
  inbox.open();
  await registry.clock.advance(0);
  expect([taken, await isThere()]).toEqual([['first'], false]);
  await ask('second');
  await ask('third');
  expect([taken, await isThere()]).toEqual([['first', 'second', 'third'], false]);
});

it('leaves a request that comes after it is closed to the next session', async () => {
  inbox.open();
  inbox.close();
  await ask('late');
  expect([taken, await isThere()]).toEqual([[], true]);
});

it('takes a request together with the nodes below it', async () => {
  await operator.create(path, 'deep', 'PERSISTENT');
  await operator.create(`${path}/below`, '', 'PERSISTENT');
  inbox.open();
  await registry.clock.advance(0);
  expect([taken, await isThere()]).toEqual([['deep'], false]);
});

it('takes a request once, even if the reply to its removal is lost', async () => {
  await ask('once');
  registry.memory.loseNextReply(member.sessionId);
  inbox.open();
  await registry.clock.advance(10_000);
  expect([taken, await isThere()]).toEqual([['once'], false]);
  await ask('next');
  expect(taken).toEqual(['once', 'next']);
});

it('takes both requests, in order, if a new one comes after a lost reply', async () => {
  await ask('once');
  registry.memory.loseNextReply(member.sessionId);
  const askNext = () => void operator.create(path, 'next', 'PERSISTENT');
  beforeNextTransaction(member, async () => void registry.clock.setTimer(0, askNext));
  inbox.open();
  await registry.clock.advance(10_000);
  expect([taken, await isThere()]).toEqual([['once', 'next'], false]);
});

it('takes both requests, in order, if one gives way to another and its removal is refused', async () => {
  await ask('former');
  beforeNextTransaction(member, async () => {
    await operator.delete(path);
    await operator.create(path, 'latter', 'PERSISTENT');
    await operator.create(`${path}/below`, '', 'PERSISTENT'); // Only the removal of the node is refused.
  });
  inbox.open();
  await registry.clock.advance(1_000);
  expect([taken, await isThere()]).toEqual([['former', 'latter'], false]);
});

it('takes a request once, even if a node is created below it and its removal is refused', async () => {
  await ask('once');
  beforeNextTransaction(member, () => operator.create(`${path}/below`, '', 'PERSISTENT'));
  inbox.open();
  await registry.clock.advance(1_000);
  expect([taken, await isThere()]).toEqual([['once'], false]);
});

it('gives a request once, as it closes, whose removal has no answer when the session ends', async () => {
  const { tree } = member;
  await ask('unknown');
  Object.assign(tree, {
    commit: () => Promise.reject(new RegistryUnavailableError('transaction', 'unknown', 'no answer')),
  });
  inbox.open();
  await registry.clock.advance(0);
  expect(taken).toEqual([]);
  inbox.close();
  tree.close(new Error('the session is over'));
  await registry.clock.advance(10_000);
  expect(taken).toEqual(['unknown']);
  expect(errors.splice(0)).toEqual([new Error('the session is over')]);
});

it('takes what was requested while the connection was away, once it is back', async () => {
  inbox.open();
  await registry.clock.advance(0);
  registry.memory.suspend(member.sessionId);
  await operator.create(path, 'meanwhile', 'PERSISTENT');
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
  expect([taken, await isThere()]).toEqual([['meanwhile'], false]);
});

async function ask(data: string): Promise<void> {
  await operator.create(path, data, 'PERSISTENT');
  await registry.clock.advance(0);
}

async function isThere(): Promise<boolean> {
  return (await operator.exists(path)) !== undefined;
}
