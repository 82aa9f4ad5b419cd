import { afterEach, beforeEach, expect, it } from 'vitest';
import { beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import type { RegistryCenter } from '../../registry/index.js';
import { TriggerInbox } from './trigger-inbox.js';
import { contextOf } from '@test/support/unit/job-context.js';

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
  inbox = new TriggerInbox(contextOf({ tree, clock: registry.clock, report }), onRequest);
  tree.on(() => inbox.wake());
});
afterEach(() => {
  if (errors.length > 0) throw errors[0];
});

it('given a request, when the inbox is opened, then it is taken, as is each that follows, in order', async () => {
  await ask('first');
  expect([taken, await isThere()]).toEqual([[], true]);
  inbox.open();
  await registry.clock.advance(0);
  expect([taken, await isThere()]).toEqual([['first'], false]);
  await ask('second');
  await ask('third');
  expect([taken, await isThere()]).toEqual([['first', 'second', 'third'], false]);
});

it('given an inbox that is closed, when a request comes, then it stays for the next session', async () => {
  inbox.open();
  inbox.close();
  await ask('late');
  expect([taken, await isThere()]).toEqual([[], true]);
});

it('given a request with nodes below it, when it is taken, then they go with it', async () => {
  await operator.create(path, 'deep', 'PERSISTENT');
  await operator.create(`${path}/below`, '', 'PERSISTENT');
  inbox.open();
  await registry.clock.advance(0);
  expect([taken, await isThere()]).toEqual([['deep'], false]);
});

it('given a removal whose reply is lost, when the registry answers again, then the request is told once', async () => {
  await ask('once');
  registry.memory.loseNextReply(member.sessionId);
  inbox.open();
  await registry.clock.advance(10_000);
  expect([taken, await isThere()]).toEqual([['once'], false]);
  await ask('next');
  expect(taken).toEqual(['once', 'next']);
});

it('given a lost reply and a new request since, when the registry answers, then both are told, in order', async () => {
  await ask('once');
  registry.memory.loseNextReply(member.sessionId);
  const askNext = () => void operator.create(path, 'next', 'PERSISTENT');
  beforeNextTransaction(member, async () => void registry.clock.setTimer(0, askNext));
  inbox.open();
  await registry.clock.advance(10_000);
  expect([taken, await isThere()]).toEqual([['once', 'next'], false]);
});

it('given a request that gives way to another, when its removal is refused, then both are told, in order', async () => {
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

it('given a request that grows as it is removed, when its removal is refused, then it is told once', async () => {
  await ask('once');
  beforeNextTransaction(member, () => operator.create(`${path}/below`, '', 'PERSISTENT'));
  inbox.open();
  await registry.clock.advance(1_000);
  expect([taken, await isThere()]).toEqual([['once'], false]);
});

it('given a connection that was away, when it is back, then what was asked meanwhile is taken', async () => {
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
