import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import { beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import { confirmLost } from './operator-requests.js';

const JAVA = '10.0.0.9@-@4711';

let member: Member;
let operator: RegistryCenter;
beforeEach(async () => void ({ member, operator } = await Registry.ofOne()));

describe('the confirmation that the executor of a run is gone', () => {
  it.each([
    ['the first request of its job', false, undefined],
    ['one beside others', true, undefined],
    ['put in the place of a request to cancel', true, 'a run'],
  ])('is told to the holder, with the run: %s', async (_, isThere, request) => {
    const { lease } = await member.begin([0]);
    const { cancel, cancels } = { cancel: member.tree.paths.cancel(0), cancels: member.tree.paths.cancels };
    if (isThere) await operator.create(cancels, '', 'PERSISTENT');
    if (request !== undefined) await operator.create(cancel, request, 'PERSISTENT');

    expect(await confirmLost(member.tree, 0)).toEqual({ kind: 'requested', run: lease!.run, instanceId: member.id });

    expect((await operator.read(cancel))?.data).toBe(`${lease!.run} lost`);
  });

  it('tells nobody where nothing runs', async () => {
    expect(await confirmLost(member.tree, 0)).toEqual({ kind: 'not-running' });
    expect(await operator.exists(member.tree.paths.cancels)).toBeUndefined();
  });

  it.each([
    ['no record', undefined],
    ['a record that cannot be read', 'junk'],
    ['a record of ours from before', '{"v":1,"run":"r","by":"x","target":{"fireTime":1,"origin":"schedule"}}'],
  ])('tells nobody where a Java peer runs the item: %s', async (_, record) => {
    await operator.create(member.tree.paths.mark(0, 'running'), JAVA, 'PERSISTENT');
    if (record !== undefined) await operator.create(member.tree.paths.record(0), record, 'PERSISTENT');

    expect(await confirmLost(member.tree, 0)).toEqual({ kind: 'not-ours', instanceId: JAVA });
    expect(await operator.exists(member.tree.paths.cancels)).toBeUndefined();
  });

  it('tells nobody if the run ends meanwhile', async () => {
    const { lease } = await member.begin([0]);
    beforeNextTransaction(member, () => member.end(lease!, 0));

    expect(await confirmLost(member.tree, 0)).toEqual({ kind: 'not-running' });
    expect(await operator.exists(member.tree.paths.cancel(0))).toBeUndefined();
  });

  it('is about the run that has begun meanwhile, if another one has', async () => {
    const { lease } = await member.begin([0]);
    let next: string | undefined;
    beforeNextTransaction(member, async () => {
      await member.end(lease!, 0);
      next = (await member.begin([0], { fireTime: 2_000 })).lease!.run;
    });

    expect(await confirmLost(member.tree, 0)).toEqual({ kind: 'requested', run: next, instanceId: member.id });
  });
});
