import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { Deadline } from '../../clock/index.js';
import { type Member, Registry } from '@test/support/unit/member.js';

let registry: Registry;
let member: Member;
beforeEach(async () => {
  registry = new Registry();
  member = await registry.joined();
});

describe('a wait for an event of the tree', () => {
  const inAMinute = () => Deadline.after(registry.clock, 60_000);
  const isRequested = () => member.tree.isReshardingPending();

  it.each([
    ['the event comes', () => member.sharding.requestResharding(member.tree.jobName), true],
    ['its deadline comes', () => registry.clock.advance(60_000), false],
  ])('ends once %s, and leaves no listener and no timer', async (_, happen, told) => {
    const caller = new AbortController();
    const before = getEventListeners(member.tree.signal, 'abort').length;

    const waiting = member.tree.until(isRequested, ['ReshardingRequested'], inAMinute(), caller.signal);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    await happen();

    expect(await waiting).toBe(told);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(getEventListeners(member.tree.signal, 'abort')).toHaveLength(before);
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it.each(['the caller gives up', 'the tree is closed'])('ends with the reason if %s', async (who) => {
    const caller = new AbortController();
    const reason = new Error(who);
    const waiting = member.tree.until(isRequested, ['ReshardingRequested'], inAMinute(), caller.signal);

    if (who === 'the caller gives up') caller.abort(reason);
    else member.tree.close(reason);

    await expect(waiting).rejects.toBe(reason);
    expect(registry.clock.pendingTimers).toBe(0);
  });
});
