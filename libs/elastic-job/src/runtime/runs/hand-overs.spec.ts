import { beforeEach, expect, it } from 'vitest';
import { hearTree } from '@test/support/unit/job-news.js';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { ExecutionLease } from '../../coordination/index.js';
import { HandedOverError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import type { JobWork } from '../settings/job-definition.js';
import { RunningItems } from './running-items.js';
import { HandOvers } from './aborted-runs.js';

let registry: Registry;
let member: Member;
let other: Member;
let operator: RegistryCenter;
let running: RunningItems;
let handOvers: HandOvers;
/** Decides if others can adopt the runs. */
let work: { tasks: JobWork['tasks'] };
let lease: ExecutionLease;
/** Two items that run here as tasks. */
let [staying, moving]: number[] = [];
beforeEach(async () => {
  ({ registry, leader: member, worker: other, operator } = await Registry.ofTwo());
  running = new RunningItems();
  [staying, moving] = member.tree.itemsOf(member.self.jobInstanceId);
  work = { tasks: 'adoptable' };
  const { tree } = member;
  handOvers = new HandOvers(tree, running, work);
  hearTree(tree, handOvers);
});

it('hands over only the task whose item has moved, if others can adopt tasks', async () => {
  await begin();
  await move(other.id);
  expect(lease.signalOf(moving!).reason).toMatchObject({ why: 'moved' });
  expect(lease.signalOf(moving!).reason).toBeInstanceOf(HandedOverError);
  expect(letGo()).toEqual([moving]);
});

it.each<[string, () => Promise<void>]>([
  ['stays here', () => move(member.id)],
  ['moves to an instance that is gone', () => move('10.0.0.99@-@1')],
  ['moves to an instance whose server is disabled', () => disableOther().then(() => move(other.id))],
])('keeps a task whose item %s', async (_, happen) => {
  await begin();
  await happen();
  expect(letGo()).toEqual([]);
});

it('keeps the run of an item that has moved if others cannot adopt it', async () => {
  work.tasks = 'bound';
  await begin();
  await move(other.id);
  handOvers.leaseRuns({ kind: 'LeaseRuns', lease });
  expect(letGo()).toEqual([]);
});

it('hands over what moved while the connection was away, once it is back', async () => {
  await begin();
  registry.memory.suspend(member.sessionId);
  await move(other.id);
  expect(letGo()).toEqual([]);
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
  expect(letGo()).toEqual([moving]);
});

it('hands over an item that moved while its run was begun, once the run is there', async () => {
  const begun = await member.begin([staying!, moving!]);
  await move(other.id);
  running.add((lease = begun.lease!));
  handOvers.leaseRuns({ kind: 'LeaseRuns', lease });
  expect(letGo()).toEqual([moving]);
});

async function begin(): Promise<void> {
  lease = (await member.begin([staying!, moving!])).lease!;
  running.add(lease);
}

async function move(owner: string): Promise<void> {
  await operator.set(member.tree.paths.mark(moving!, 'instance'), owner);
  await registry.clock.advance(0);
}

async function disableOther(): Promise<void> {
  await operator.set(member.tree.paths.server(other.self.serverIp), 'DISABLED');
}

function letGo(): readonly number[] {
  return lease.items.filter((item) => lease.signalOf(item).aborted);
}
