import { beforeEach, describe, expect, it } from 'vitest';
import { DrainDeadlineError, sharedRunRecord } from '../../domain/index.js';
import { JOB, type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { planOperations, stampOperations } from './plan-operations.js';

/** The flag was not set, so it is created and deleted to tell everyone. */
const TOLD = ['notify leader/sharding/necessary'];

let registry: Registry;
let member: Member;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1, { shardingTotalCount: 2 });
});

describe('what a plan writes', () => {
  it('is nothing if the tree already shows the plan', () => {
    expect(plan({ 0: member.id, 1: member.id })).toEqual([]);
  });

  it('changes the owner of an item in place', () => {
    expect(plan({ 0: member.id, 1: 'b' })).toEqual(['set sharding/1/instance', ...TOLD]);
  });

  it('creates each further item with its owner', () => {
    expect(plan({ 0: member.id, 1: member.id, 2: 'b' })).toEqual([
      'create sharding/2',
      'create sharding/2/instance',
      ...TOLD,
    ]);
  });

  it('gives an owner to an item without one', async () => {
    await member.center.delete(member.tree.paths.mark(1, 'instance'));
    await member.tree.sync();

    expect(plan({ 0: member.id, 1: member.id })).toEqual(['create sharding/1/instance', ...TOLD]);
  });

  it('removes a free surplus item, children first', () => {
    expect(plan({ 0: member.id })).toEqual(['delete sharding/1/instance', 'delete sharding/1']);
  });

  it('keeps a surplus item that runs', async () => {
    await member.begin([1]);

    expect(plan({ 0: member.id })).toEqual([]);
  });

  it('deletes the flag last', async () => {
    await member.sharding.requestResharding(member.tree.jobName);
    await member.tree.sync();

    expect(plan({ 0: 'b', 1: member.id })).toEqual(['set sharding/0/instance', 'delete leader/sharding/necessary']);
  });
});

describe('what stands for the runs of Java, once it has left', () => {
  const JAVA = sharedRunRecord('r', 5_000, 6_000);
  const stamped = () => stampOperations(member.tree, [0, 1], JAVA).map(({ path }) => path);

  it('replaces records of earlier fire times for free items', async () => {
    const { lease } = await member.begin([0, 1]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);

    expect(stamped()).toEqual([member.tree.paths.record(0)]);
  });

  it('keeps the record of an item that waits for failover', async () => {
    const { lease } = await member.begin([0]);
    lease!.settle(0, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await registry.clock.advance(0);

    expect(stamped()).toEqual([]);
  });

  it('stamps no record of an item that was never begun, or was begun later', async () => {
    await member.begin([0], { fireTime: 5_000 });
    await member.tree.loadRecords([1]);

    expect(stamped()).toEqual([]);
  });
});

function plan(owners: Readonly<Record<number, string>>): string[] {
  const assignment = new Map(Object.entries(owners).map(([item, owner]) => [Number(item), owner]));
  const { root } = member.tree.paths;
  return planOperations(member.tree, assignment, { author: () => ({ run: 'r', by: 'a', at: 0 }) }).map(
    ({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`,
  );
}
