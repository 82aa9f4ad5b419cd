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
  it('given it has just vanished, when its grace is over, then it is gone, and not before', async () => {
    absences.note(member.tree, [JAVA]);
    expect(absences.longestRemainingMs(member.tree)).toBe(1_000);

    await registry.clock.advance(999);
    expect(absences.isGone(member.tree, JAVA)).toBe(false);
    await registry.clock.advance(1);

    expect(absences.isGone(member.tree, JAVA)).toBe(true);
    expect(absences.longestRemainingMs(member.tree)).toBe(0);
  });

  it('given nobody has noticed that it is missing, when it is judged, then it is not gone', () => {
    expect(absences.isGone(member.tree, JAVA)).toBe(false);
    expect(absences.longestRemainingMs(member.tree)).toBe(0);
  });

  it('given it has come back and vanished again, when it is judged, then its grace has begun anew', async () => {
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

  it('given two that vanished in turn, when the next is asked for, then it is the one missing longer', async () => {
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

  it('given it is registered, when it is judged, then it is not gone', async () => {
    absences.note(member.tree, [member.id]);
    await registry.clock.advance(2_000);

    expect(absences.isGone(member.tree, member.id)).toBe(false);
  });
});
