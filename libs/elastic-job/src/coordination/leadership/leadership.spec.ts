import { beforeEach, describe, expect, it } from 'vitest';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';
import type { LeadershipTerm } from './leadership-term.js';

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('an election', () => {
  it('has one winner among ten instances, and the others know it', async () => {
    const members = await joined(10);

    const terms = await Promise.all(members.map((member) => member.leader.elect(member.tree)));

    const won = terms.filter((term) => term !== undefined);
    expect(won).toHaveLength(1);
    await Promise.all(members.map(({ tree }) => tree.sync()));
    expect(new Set(members.map(({ leader }) => leader.leader(JOB)))).toEqual(new Set([won[0]!.instanceId]));
    expect(members.filter(({ leader }) => leader.isLeader(JOB))).toHaveLength(1);
  });

  it('lets a candidate whose answer was lost recognise its own term', async () => {
    const [member] = await joined(1);
    registry.memory.loseNextReply(member!.sessionId);

    await expect(member!.leader.elect(member!.tree)).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      fate: 'unknown',
    });
    await member!.tree.sync();
    expect(member!.leader.isLeader(JOB)).toBe(false);
    const term = await member!.leader.elect(member!.tree);

    expect(term).toMatchObject({ instanceId: member!.id, term: 1 });
    expect(await commits(member!, term!)).toBe(true);
    expect(await member!.leader.elect(member!.tree)).toBe(term);
  });

  it('does not elect an instance whose server is disabled', async () => {
    const [member] = await joined(1);
    await member!.center.set(member!.tree.paths.server(member!.self.serverIp), 'DISABLED');

    expect(await member!.leader.elect(member!.tree)).toBeUndefined();
    expect(member!.leader.leader(JOB)).toBeUndefined();
  });

  it('does not elect an instance that is not registered', async () => {
    const [member, other] = await joined(2);
    await member!.instances.leave(member!.tree);

    expect(await member!.leader.elect(member!.tree)).toBeUndefined();
    expect(await other!.leader.elect(other!.tree)).toBeDefined();
  });

  it('accepts a leader whose election node was written once, as by Java', async () => {
    const [member] = await joined(1);
    await member!.center.create(member!.tree.paths.leader, '10.0.0.9@-@1', 'EPHEMERAL');
    await member!.tree.sync();

    expect(await member!.leader.elect(member!.tree)).toBeUndefined();
    expect(member!.leader.leader(JOB)).toBe('10.0.0.9@-@1');
  });
});

describe('a term', () => {
  it('has a greater number after the leader has died, and the old guard is refused', async () => {
    const [first, second] = await joined(2);
    const before = (await first!.leader.elect(first!.tree))!;
    first!.die();
    await second!.tree.sync();

    const after = (await second!.leader.elect(second!.tree))!;

    expect(after.term).toBe(before.term + 1);
    expect(await commits(second!, before)).toBe(false);
    expect(await commits(second!, after)).toBe(true);
  });

  it.each([
    ['the leader and the term', true],
    ['the term alone', false],
  ])('has a greater number after somebody has deleted %s, and the old guard is refused', async (_, isLeaderDeleted) => {
    const [first, second] = await joined(2);
    const { paths } = first!.tree;
    let before = (await first!.leader.elect(first!.tree))!;
    for (let election = 0; election < 3; election++) {
      await first!.center.delete(paths.leader);
      await first!.tree.sync();
      before = (await first!.leader.elect(first!.tree))!;
    }
    await second!.tree.sync();
    await second!.leader.elect(second!.tree);
    if (isLeaderDeleted) await first!.center.delete(paths.leader);
    await first!.center.delete(paths.term);
    await Promise.all([first!.tree.sync(), second!.tree.sync()]);
    expect(await second!.leader.elect(second!.tree)).toBeUndefined();
    await first!.center.create(paths.term, '', 'PERSISTENT');
    await Promise.all([first!.tree.sync(), second!.tree.sync()]);

    const next = isLeaderDeleted ? second! : first!;
    const after = (await next.leader.elect(next.tree))!;

    expect(after.term).toBeGreaterThan(before.term);
    expect(await commits(first!, before)).toBe(false);
    expect(await commits(next, after)).toBe(true);
  });

  it('has a greater number after an operator has deleted the leader, and the old guard is refused', async () => {
    const [member] = await joined(1);
    const before = (await member!.leader.elect(member!.tree))!;
    await (await registry.operator()).delete(member!.tree.paths.leader);
    await member!.tree.sync();

    const after = (await member!.leader.elect(member!.tree))!;

    expect(after.term).toBe(before.term + 1);
    expect(before.signal.aborted).toBe(true);
    expect(await commits(member!, before)).toBe(false);
    expect(await commits(member!, after)).toBe(true);
  });

  it('is over once a leader that was deposed while it was cut off looks again', async () => {
    const [first, second] = await joined(2);
    const term = (await first!.leader.elect(first!.tree))!;
    registry.memory.suspend(first!.sessionId);
    await (await registry.operator()).delete(first!.tree.paths.leader);
    await second!.tree.sync();
    await second!.leader.elect(second!.tree);
    registry.memory.resume(first!.sessionId);
    await registry.clock.advance(0);

    await first!.leader.elect(first!.tree);

    expect(first!.leader.isLeader(JOB)).toBe(false);
    expect(term.signal.aborted).toBe(true);
  });

  it('is the new one once a leader that was deposed and elected again unnoticed looks again', async () => {
    const [member] = await joined(1);
    const before = (await member!.leader.elect(member!.tree))!;
    const { paths, self } = member!.tree;
    await member!.center.transaction([
      { kind: 'lead', path: paths.leader, data: self.jobInstanceId, version: 1 },
      { kind: 'set', path: paths.term, data: self.jobInstanceId },
    ]);
    await member!.tree.sync();

    const after = (await member!.leader.elect(member!.tree))!;

    expect(after.term).toBe(before.term + 1);
    expect(await commits(member!, after)).toBe(true);
  });

  it('is emitted once for each time this instance leads', async () => {
    const [member] = await joined(1);
    const end = new AbortController();
    const terms: number[] = [];
    const watching = (async () => {
      for await (const { term } of member!.leader.terms(JOB, end.signal)) terms.push(term);
    })();

    for (let round = 0; round < 3; round++) {
      await member!.leader.elect(member!.tree);
      await member!.leader.elect(member!.tree);
      await (await registry.operator()).delete(member!.tree.paths.leader);
      await member!.tree.sync();
      member!.leader.endTerm(JOB, new Error('gone'));
    }
    end.abort();
    await watching;

    expect(terms).toEqual([1, 2, 3]);
  });
});

describe('resigning', () => {
  it('ends the term, and lets another instance lead', async () => {
    const [first, second] = await joined(2);
    const term = (await first!.leader.elect(first!.tree))!;

    await first!.leader.resign(JOB);
    await second!.tree.sync();

    expect(term.signal.aborted).toBe(true);
    expect(await second!.leader.elect(second!.tree)).toMatchObject({ instanceId: second!.id });
  });

  it('lets an only instance lead again after a second', async () => {
    const [member] = await joined(1);
    await member!.leader.elect(member!.tree);
    await member!.leader.resign(JOB);

    const standing = member!.leader.elect(member!.tree);
    await registry.clock.advance(999);
    expect(member!.leader.isLeader(JOB)).toBe(false);
    await registry.clock.advance(1);

    expect(await standing).toMatchObject({ term: 2 });
  });

  it('ends a leadership that was won without an answer', async () => {
    const [first, second] = await joined(2);
    registry.memory.loseNextReply(first!.sessionId);
    await expect(first!.leader.elect(first!.tree)).rejects.toMatchObject({ fate: 'unknown' });
    await first!.tree.sync();

    await first!.leader.resign(JOB);

    expect(first!.leader.isLeader(JOB)).toBe(false);
    await second!.tree.sync();
    expect(await second!.leader.elect(second!.tree)).toMatchObject({ instanceId: second!.id });
  });

  it('changes nothing for a follower', async () => {
    const [first, second] = await joined(2);
    await first!.leader.elect(first!.tree);
    await second!.tree.sync();

    await second!.leader.resign(JOB);

    await second!.tree.sync();
    expect(second!.leader.leader(JOB)).toBe(first!.id);
  });
});

async function joined(count: number): Promise<Member[]> {
  const members: Member[] = [];
  while (members.length < count) members.push(await registry.joined());
  await Promise.all(members.map(({ tree }) => tree.sync()));
  return members;
}

/** True if the registry accepts a write under the guard of a term. */
async function commits(member: Member, { guard }: LeadershipTerm): Promise<boolean> {
  const { kind } = await member.center.transaction([
    ...guard,
    { kind: 'set', path: member.tree.paths.queue, data: '' },
  ]);
  return kind === 'committed';
}
