import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import { removeStaleCancels } from './operator-requests.js';

let registry: Registry;
let member: Member;
let term: LeadershipTerm;
let operator: RegistryCenter;
beforeEach(async () => {
  registry = new Registry();
  member = await registry.joined();
  term = await member.lead();
  operator = await registry.operator();
  await operator.create(member.tree.paths.cancels, '', 'PERSISTENT');
});

describe('requests to cancel', () => {
  it('stay while the run that they name lasts, at no cost but that of a look', async () => {
    const { lease } = await member.begin([0]);
    await ask(0, lease!.run!);
    const before = member.center.traffic.foreground;

    await removeStaleCancels(member.tree, term);

    expect(member.center.traffic.foreground - before).toBe(1);
    expect(await asked()).toEqual(['0']);
  });

  it('go where the item that runs has no record of ours, at the cost of a look and a write', async () => {
    await operator.create(member.tree.paths.mark(0, 'running'), '10.0.0.9@-@4711', 'PERSISTENT');
    await operator.create(member.tree.paths.mark(1, 'running'), '10.0.0.9@-@4711', 'PERSISTENT');
    await operator.create(member.tree.paths.record(1), 'junk', 'PERSISTENT');
    for (const item of [0, 1]) await ask(item, 'a run');
    const before = member.center.traffic.foreground;

    await removeStaleCancels(member.tree, term);

    expect(member.center.traffic.foreground - before).toBe(2);
    expect(await asked()).toEqual([]);
  });

  it('go once their run is over, is another one, or was none', async () => {
    const [ended, other, running] = await Promise.all(
      [0, 1, 2].map(async (item) => (await member.begin([item])).lease!),
    );
    for (const [item, run] of [ended!.run!, 'another', running!.run!, 'none'].entries()) await ask(item, run);
    ended!.settle(0, { kind: 'succeeded' });
    await registry.clock.advance(0);
    await ask(0, ended!.run!);

    await removeStaleCancels(member.tree, term);

    expect(other!.run).toBeDefined();
    expect(await asked()).toEqual(['2']);
  });

  it('go where a run has ended and its mark has stayed', async () => {
    const { lease } = await member.begin([0]);
    await ask(0, lease!.run!);
    const { data } = (await operator.read(member.tree.paths.record(0)))!;
    const settled = { at: 1, outcome: 'succeeded' };
    await operator.set(member.tree.paths.record(0), JSON.stringify(Object.assign(JSON.parse(data), { settled })));
    await member.tree.sync();

    await removeStaleCancels(member.tree, term);

    expect(await asked()).toEqual([]);
  });

  it('go where a run has left its record and lost its mark', async () => {
    const { lease } = await member.begin([0]);
    await ask(0, lease!.run!);
    await operator.delete(member.tree.paths.mark(0, 'running'));
    await member.tree.sync();

    await removeStaleCancels(member.tree, term);

    expect(await asked()).toEqual([]);
  });

  it('stay if another request takes the place of one meanwhile, and the others go', async () => {
    for (const item of [0, 1]) await ask(item, 'another');
    beforeNextTransaction(member, async () => {
      const { lease } = await member.begin([0]);
      await operator.set(member.tree.paths.cancel(0), lease!.run!);
    });

    await removeStaleCancels(member.tree, term);

    expect(await asked()).toEqual(['0']);
  });

  it('are removed by the leader alone: not once its term is over', async () => {
    await ask(0, 'another');
    await operator.delete(term.guard[0]!.path);
    const over = new AbortController();
    beforeNextTransaction(member, async () => over.abort(new Error('the term is over')));

    await expect(removeStaleCancels(member.tree, { guard: term.guard, signal: over.signal })).rejects.toThrow(
      'the term is over',
    );

    expect(await asked()).toEqual(['0']);
  });

  it('cost nothing where there are none', async () => {
    const before = member.center.traffic.foreground;
    await removeStaleCancels(member.tree, term);
    expect(member.center.traffic.foreground).toBe(before);
  });
});

async function ask(item: number, run: string): Promise<void> {
  const path = member.tree.paths.cancel(item);
  if ((await operator.exists(path)) === undefined) await operator.create(path, run, 'PERSISTENT');
  await member.tree.sync();
}

function asked(): Promise<readonly string[]> {
  return operator.children(member.tree.paths.cancels);
}
