import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { ExecutionLease } from '../../coordination/index.js';
import { CancelledError } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { Cancellations } from './cancellations.js';
import { RunningItems } from '../leases/running-items.js';
import { contextOf, hearTree } from '@test/support/unit/job-context.js';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let running: RunningItems;
let errors: unknown[];
let cancellations: Cancellations;
beforeEach(async () => {
  ({ registry, member, operator } = await Registry.ofOne());
  await operator.create(member.tree.paths.cancels, '', 'PERSISTENT');
  running = new RunningItems();
  errors = [];
  const { tree } = member;
  const report = () => (error: unknown) => void errors.push(error);
  cancellations = new Cancellations(contextOf({ tree, clock: registry.clock, running, report }));
  hearTree(tree, cancellations);
});
afterEach(() => {
  if (errors.length > 0) throw errors[0];
});

it('given a run of two items, when an operator cancels one, then its signal aborts and the other goes on', async () => {
  const lease = await run([0, 1]);
  await cancel(0, lease.run!);
  expect(lease.signalOf(0).reason).toBeInstanceOf(CancelledError);
  expect(abortedOf(lease)).toEqual([0]);
});

it('given a request for an earlier run, when it comes too late, then the current run goes on', async () => {
  const lease = await run([0]);
  await cancel(0, 'an earlier one');
  expect(abortedOf(lease)).toEqual([]);
});

it('given a request for another run that is set right, when it is changed, then the run is aborted', async () => {
  const lease = await run([0]);
  await cancel(0, 'an earlier one');
  await operator.set(member.tree.paths.cancel(0), lease.run!);
  await registry.clock.advance(0);
  expect(abortedOf(lease)).toEqual([0]);
});

it('given a request that is faster than the reply to the begin, when the items run, then its item aborts', async () => {
  const { lease } = await member.begin([0, 1]);
  await cancel(1, lease!.run!);
  expect(abortedOf(lease!)).toEqual([]);
  running.add(lease!);
  cancellations.LeaseRuns({ kind: 'LeaseRuns', lease: lease! });
  await registry.clock.advance(0);
  expect(abortedOf(lease!)).toEqual([1]);
});

it('given a request that changes as it is read, when it is read again, then the run is aborted', async () => {
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

it('given a connection that was away, when it is back, then what was cancelled meanwhile aborts', async () => {
  const lease = await run([0, 1]);
  registry.memory.suspend(member.sessionId);
  await operator.create(member.tree.paths.cancel(1), lease.run!, 'PERSISTENT');
  registry.memory.resume(member.sessionId);
  await registry.clock.advance(0);
  expect(abortedOf(lease)).toEqual([1]);
});

it('given an item that runs elsewhere, when it is cancelled, then this instance asks nothing', async () => {
  await run([0]);
  const before = member.center.traffic.foreground;
  await cancel(2, 'run');
  expect(member.center.traffic.foreground).toBe(before);
});

it('given nothing is cancelled, when items run, then nothing is asked of the registry', async () => {
  const lease = await run([0]);
  const before = member.center.traffic.foreground;
  cancellations.LeaseRuns({ kind: 'LeaseRuns', lease });
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
