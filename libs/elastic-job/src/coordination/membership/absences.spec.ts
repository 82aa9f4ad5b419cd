import { beforeEach, describe, expect, it } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import { Absences } from './absences.js';

const JAVA = '10.0.0.9@-@4711';

let registry: Registry;
let member: Member;
let absences: Absences;
beforeEach(async () => {
  registry = new Registry();
  member = await registry.joined();
  absences = new Absences(registry.clock, () => 1_000);
});

describe('how long an instance is missing', () => {
  it('makes it gone once its grace is over, and not before', async () => {
    absences.note(member.tree, [JAVA]);
    expect(absences.longestRemainingMs(member.tree)).toBe(1_000);

    await registry.clock.advance(999);
    expect(absences.isGone(member.tree, JAVA)).toBe(false);
    await registry.clock.advance(1);

    expect(absences.isGone(member.tree, JAVA)).toBe(true);
    expect(absences.longestRemainingMs(member.tree)).toBe(0);
  });

  it('does not count while nobody has noticed that it is missing', () => {
    expect(absences.isGone(member.tree, JAVA)).toBe(false);
    expect(absences.longestRemainingMs(member.tree)).toBe(0);
  });

  it('is counted anew after it has come back and vanished again', async () => {
    absences.note(member.tree, [JAVA]);
    await registry.clock.advance(600);
    await member.center.create(member.tree.paths.instance(JAVA), '', 'EPHEMERAL');
    absences.note(member.tree, [JAVA]);
    await member.center.delete(member.tree.paths.instance(JAVA));
    absences.note(member.tree, [JAVA]);

    await registry.clock.advance(600);

    expect(absences.isGone(member.tree, JAVA)).toBe(false);
    expect(absences.longestRemainingMs(member.tree)).toBe(400);
  });

  it('decides which instance is gone next: the one that is missing longer', async () => {
    absences.note(member.tree, [JAVA]);
    await registry.clock.advance(600);
    absences.note(member.tree, ['10.0.0.8@-@1']);
    expect(absences.nextGoneInMs(member.tree)).toBe(400);

    await registry.clock.advance(400);
    expect(absences.nextGoneInMs(member.tree)).toBe(600);
    expect(absences.forget(member.tree, '10.0.0.8@-@1')).toBe(true);
    expect(absences.forget(member.tree, '10.0.0.8@-@1')).toBe(false);
    expect(absences.nextGoneInMs(member.tree)).toBeUndefined();
  });

  it('is remembered of 10,000 instances, the latest ones', () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => `10.0.0.9@-@${index}`);

    absences.note(member.tree, ids);

    expect(ids.slice(0, 2).map((id) => absences.forget(member.tree, id))).toEqual([false, true]);
    expect(absences.forget(member.tree, ids.at(-1)!)).toBe(true);
  });

  it('does not count while it is registered', async () => {
    absences.note(member.tree, [member.id]);
    await registry.clock.advance(2_000);

    expect(absences.isGone(member.tree, member.id)).toBe(false);
  });
});
