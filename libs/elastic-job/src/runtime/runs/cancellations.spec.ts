import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { ExecutionLease } from '../../coordination/index.js';
import { CancelledError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { Cancellations } from './aborted-runs.js';
import { RunningItems } from './running-items.js';
import { hearTree } from '@test/support/unit/job-news.js';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let running: RunningItems;
let errors: unknown[];
let told: JobEvent[];
let cancellations: Cancellations;
beforeEach(async () => {
  ({ registry, member, operator } = await Registry.ofOne());
  await operator.create(member.tree.paths.cancels, '', 'PERSISTENT');
  running = new RunningItems();
  errors = [];
  told = [];
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const { tree } = member;
  const report = () => (error: unknown) => void errors.push(error);
  cancellations = new Cancellations(tree, running, events, report);
  hearTree(tree, cancellations);
});
afterEach(() => {
  if (errors.length > 0) throw errors[0];
});

it('aborts the signal of the item that an operator cancels, and lets the other go on', async () => {
  const lease = await run([0, 1]);
  await cancel(0, lease.run!);
  expect(lease.signalOf(0).reason).toBeInstanceOf(CancelledError);
  expect(abortedOf(lease)).toEqual([0]);
});

it('tells of a cancel once as it is heard, before the run ends', async () => {
  const lease = await run([0, 1]);
  await cancel(0, lease.run!);
  cancellations.treeReset();
  await registry.clock.advance(0);
  expect(told).toEqual([{ kind: 'cancel-requested', jobName: member.tree.jobName, item: 0 }]);
});

it('ignores a request to cancel an earlier run', async () => {
  const lease = await run([0]);
  await cancel(0, 'an earlier one');
  expect(abortedOf(lease)).toEqual([]);
});

it('aborts a run once a request for another run is changed to name it', async () => {
  const lease = await run([0]);
  await cancel(0, 'an earlier one');
  await operator.set(member.tree.paths.cancel(0), lease.run!);
  await registry.clock.advance(0);
  expect(abortedOf(lease)).toEqual([0]);
});

it('reads a request again if it changed during the reading, and aborts the run', async () => {
  const lease = await run([0]);
  const { tree } = member;
  const load = tree.load.bind(tree);
  tree.load = () => {
    tree.load = load;
    return Promise.resolve(false);
  };
  await cancel(0, lease.run!);
  expect(abortedOf(lease)).toEqual([0]);
});

it('aborts what was cancelled while the connection was away, once it is back', async () => {
  const lease = await run([0, 1]);
  registry.memory.suspend(member.sessionId);
  await operator.create(member.tree.paths.cancel(1), lease.run!, 'PERSISTENT');
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
  expect(abortedOf(lease)).toEqual([1]);
});

it('asks the registry nothing if an item that runs elsewhere is cancelled', async () => {
  await run([0]);
  const before = member.center.traffic.foreground;
  await cancel(2, 'run');
  expect(member.center.traffic.foreground).toBe(before);
});

it('asks the registry nothing while no item is cancelled', async () => {
  const lease = await run([0]);
  const before = member.center.traffic.foreground;
  cancellations.leaseRuns({ kind: 'LeaseRuns', lease });
  await registry.clock.advance(0);
  expect(member.center.traffic.foreground).toBe(before);
});

async function run(items: readonly number[]): Promise<ExecutionLease> {
  const { lease } = await member.begin(items);
  running.add(lease!);
  return lease!;
}

async function cancel(item: number, runId: string): Promise<void> {
  await operator.create(member.tree.paths.cancel(item), runId, 'PERSISTENT');
  await registry.clock.advance(0);
}

function abortedOf(lease: ExecutionLease): readonly number[] {
  return lease.items.filter((item) => lease.signalOf(item).aborted);
}
