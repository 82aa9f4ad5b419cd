import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { afterNextLoad, beforeNextTransaction, type Member, Registry } from '@test/support/unit/member.js';
import { removeLostRequests } from './operator-requests.js';

const GONE = '10.0.0.77@-@1';
const all = (missing: readonly string[]) => missing;

let registry: Registry;
let member: Member;
let term: LeadershipTerm;
let operator: RegistryCenter;
beforeEach(async () => {
  registry = new Registry();
  member = await registry.joined();
  term = await member.lead();
  operator = await registry.operator();
  await operator.create(member.tree.paths.triggers, '', 'PERSISTENT');
});

describe('requests for runs', () => {
  it('go with all that is below them once their instance is gone, and are returned', async () => {
    await ask(GONE);
    await operator.create(`${member.tree.paths.trigger(GONE)}/below`, '', 'PERSISTENT');
    await member.tree.sync();
    expect(await remove()).toEqual([GONE]);
    expect(await asked()).toEqual([]);
    expect(await remove()).toEqual([]);
  });

  it('stay while their instance is there or may come back, and where no instance has such a name', async () => {
    for (const name of [member.id, GONE, 'nobody']) await ask(name);
    expect(await remove(() => [])).toEqual([]);
    expect((await asked()).toSorted()).toEqual([member.id, GONE, 'nobody'].toSorted());
    expect(await remove()).toEqual([GONE]);
  });

  it('are returned by one of two leaders, and not if another client has removed them', async () => {
    await ask(GONE);
    beforeNextTransaction(member, () => operator.delete(member.tree.paths.trigger(GONE)));
    expect(await remove()).toEqual([]);
  });

  it('are not returned, and cost no write, if another client has removed them as they are read', async () => {
    await ask(GONE);
    afterNextLoad(member, () => operator.delete(member.tree.paths.trigger(GONE)));
    beforeNextTransaction(member, () => Promise.reject(new Error('There was a write.')));
    expect(await remove()).toEqual([]);
  });

  it('go a hundred at a time', async () => {
    for (let index = 0; index < 150; index++) await ask(`10.0.0.77@-@${index}`);
    expect([(await remove()).length, (await remove()).length]).toEqual([100, 50]);
  });

  it('are removed by the leader alone: not once its term is over', async () => {
    await ask(GONE);
    await operator.delete(term.guard[0]!.path);
    const over = new AbortController();
    beforeNextTransaction(member, async () => over.abort(new Error('the term is over')));
    const removing = removeLostRequests(member.tree, { guard: term.guard, signal: over.signal }, all);
    await expect(removing).rejects.toThrow('the term is over');
    expect(await asked()).toEqual([GONE]);
  });

  it('cost nothing where there are none', async () => {
    const before = member.center.traffic.foreground;
    await remove();
    expect(member.center.traffic.foreground).toBe(before);
  });
});

async function remove(gone = all): Promise<readonly string[]> {
  const lost = await removeLostRequests(member.tree, term, gone);
  return lost.map(({ path }) => path.slice(member.tree.paths.triggers.length + 1));
}

async function ask(instanceId: string): Promise<void> {
  await operator.create(member.tree.paths.trigger(instanceId), '', 'PERSISTENT');
  await member.tree.sync();
}

function asked(): Promise<readonly string[]> {
  return operator.children(member.tree.paths.triggers);
}
