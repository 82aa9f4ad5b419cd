import { beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../domain/index.js';
import { JOB, type Member, Registry, SESSION_TIMEOUT_MS } from '@test/support/unit/member.js';
import { InstanceIdTakenError } from './membership.errors.js';

const NAMED = { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@worker-0' };

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('joining', () => {
  it('given a new server, when its instance joins, then instance, session and server are there', async () => {
    const member = await registry.joined();

    const { paths } = member.tree;
    expect(await member.instances.instances(JOB)).toEqual([{ ...member.self, isOurs: true, protocol: PROTOCOL }]);
    expect(member.tree.stat(paths.instance(member.id))!.ephemeralOwner).toBe(member.sessionId);
    expect(member.tree.stat(paths.session(member.id))!.ephemeralOwner).toBe(member.sessionId);
    expect(member.tree.serverStatus(member.self.serverIp)).toBe('ENABLED');
  });

  it('given a job that starts disabled, when a server joins, then only a new one is disabled', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    await member.instances.join(member.tree, { isDisabled: true });
    expect(member.tree.serverStatus(member.self.serverIp)).toBe('DISABLED');

    const { serverIp } = member.self;
    const second = await registry.joined({}, { serverIp, jobInstanceId: `${serverIp}@-@second` });
    expect(second.tree.serverStatus(serverIp)).toBe('DISABLED');
  });

  it('given two instances of one new server, when they join at the same time, then both are there', async () => {
    const first = await registry.member({}, { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@1' });
    const second = await registry.member({}, { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@2' });
    await first.configurations.install(first.tree);
    await second.tree.sync();

    await Promise.all([first, second].map(({ instances, tree }) => instances.join(tree, { isDisabled: false })));

    expect(await first.instances.instances(JOB)).toHaveLength(2);
  });

  it('given a join whose answer is lost, when it is tried again, then it is found done', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    registry.memory.loseNextReply(member.sessionId);

    await expect(member.instances.join(member.tree, { isDisabled: false })).rejects.toMatchObject({ fate: 'unknown' });
    await member.instances.join(member.tree, { isDisabled: false });

    expect(await member.instances.instances(JOB)).toHaveLength(1);
  });

  it('given an operator who removes it before its join is answered, when it has joined, then it is gone', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    registry.memory.loseNextReply(member.sessionId);
    await expect(member.instances.join(member.tree, { isDisabled: false })).rejects.toMatchObject({ fate: 'unknown' });
    await (await registry.operator()).transaction([{ kind: 'delete', path: member.tree.paths.instance(member.id) }]);
    await member.tree.sync();

    await member.instances.join(member.tree, { isDisabled: false });

    expect(await member.instances.instances(JOB)).toEqual([]);
  });
});

describe('leaving', () => {
  it('given an instance, when it leaves twice, then its nodes are gone and its server is still known', async () => {
    const member = await registry.joined();

    await member.instances.leave(member.tree);
    await member.instances.leave(member.tree);

    const { paths } = member.tree;
    expect(member.tree.hasInstance(member.id)).toBe(false);
    expect(member.tree.has(paths.session(member.id))).toBe(false);
    expect(member.tree.servers()).toEqual([member.self.serverIp]);
  });

  it('given an instance whose write is refused, when it leaves, then it looks and writes again', async () => {
    const member = await registry.joined();
    const { paths } = member.tree;
    let refusals = 2;
    registry.memory.fail(({ kind }) => (kind === 'delete' && (refusals -= 1) >= 0 ? 'NOT_EMPTY' : undefined));

    await member.instances.leave(member.tree);

    expect([paths.instance(member.id), paths.session(member.id)].filter((path) => member.tree.has(path))).toEqual([]);
  });

  it('given an instance, when it announces its departure, then it stays registered but gets no items', async () => {
    const [stays, leaves] = await registry.sharded(2);

    await leaves!.instances.announceDrain(leaves!.tree);

    await stays.tree.sync();
    expect(stays.tree.hasInstance(leaves!.id)).toBe(true);
    expect(stays.tree.availableInstances().map(({ jobInstanceId }) => jobInstanceId)).toEqual([stays.id]);
  });

  it('given an instance shut down and done, when it announces its departure, then it is no error', async () => {
    const member = await registry.joined();
    await member.instances.leave(member.tree);

    await member.instances.announceDrain(member.tree);

    expect(member.tree.has(member.tree.paths.session(member.id))).toBe(false);
  });

  it('given an id that another session has taken over, when the first one leaves, then the node stays', async () => {
    const first = await registry.joined({}, NAMED);
    first.die();
    const second = await registry.joined({}, NAMED);
    registry.memory.heal(first.sessionId);
    await registry.clock.advance(0);

    await second.tree.sync();
    expect(second.tree.stat(second.tree.paths.instance(NAMED.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
    await expect(first.instances.leave(first.tree)).rejects.toMatchObject({ code: 'SESSION_LOST' });
  });
});

describe('an instance id that is configured', () => {
  it('given a predecessor whose session is about to end, when its successor joins, then it gets the id', async () => {
    const first = await registry.joined({}, NAMED);
    const second = await successor(first);

    const joining = second.instances.join(second.tree, { isDisabled: false });
    await registry.clock.advance(SESSION_TIMEOUT_MS / 2);
    registry.memory.expire(first.sessionId);
    await registry.clock.advance(0);

    await joining;
    expect(second.tree.stat(second.tree.paths.instance(NAMED.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
  });

  it('given a predecessor that was shut down, when its successor joins, then it waits for its end', async () => {
    const first = await registry.joined({}, NAMED);
    await (await registry.operator()).delete(first.tree.paths.instance(first.id));
    const second = await successor(first);

    const joining = second.instances.join(second.tree, { isDisabled: false });
    await registry.clock.advance(SESSION_TIMEOUT_MS / 2);
    expect(second.tree.hasInstance(NAMED.jobInstanceId)).toBe(false);
    registry.memory.expire(first.sessionId);
    await registry.clock.advance(0);

    await joining;
    expect(second.tree.hasInstance(NAMED.jobInstanceId)).toBe(true);
  });

  it('given a living instance with the id, when another joins, it is refused after 1.5 session timeouts', async () => {
    const first = await registry.joined({}, NAMED);
    const second = await successor(first);
    const refused = second.instances.join(second.tree, { isDisabled: false }).catch((error: unknown) => error);
    let isOver = false;
    void refused.then(() => (isOver = true));

    await registry.clock.advance(1.5 * SESSION_TIMEOUT_MS - 1);
    expect(isOver).toBe(false);
    await registry.clock.advance(1);

    expect(await refused).toBeInstanceOf(InstanceIdTakenError);
    expect(await refused).toMatchObject({
      jobName: JOB,
      instanceId: NAMED.jobInstanceId,
      ownerSession: first.sessionId,
    });
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('given a session that this process has lost, when it is back, then its remaining nodes go at once', async () => {
    for (const self of [NAMED, { ...NAMED, jobInstanceId: '10.0.0.7@-@later' }]) {
      registry = new Registry();
      const other = await registry.joined();
      const first = await registry.joined({}, NAMED);
      const former = new Map([[first.id, first.sessionId]]);
      const second = await registry.member({}, self);
      await second.configurations.install(second.tree);

      await second.instances.join(second.tree, { isDisabled: false, former });

      await other.tree.sync();
      const { paths } = other.tree;
      expect(other.tree.instances().map(({ jobInstanceId }) => jobInstanceId)).toEqual(
        [other.id, self.jobInstanceId].toSorted().toReversed(),
      );
      expect(other.tree.stat(paths.instance(self.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
      expect(other.tree.hasSession(first.id)).toBe(self === NAMED);
    }
  });

  it('given an id that another process has now, when the former one is back, then it removes nothing', async () => {
    const holder = await registry.joined({}, NAMED);
    const back = await successor(holder);
    const joining = back.instances.join(back.tree, { isDisabled: false, former: new Map([[holder.id, '1234']]) });

    await expect(registry.clock.advanceUntil(joining)).rejects.toThrow(InstanceIdTakenError);
    expect(await holder.instances.instances(JOB)).toHaveLength(1);
  });

  it('given a stop while a predecessor is waited for, when the signal aborts, then the wait is over', async () => {
    const second = await successor(await registry.joined({}, NAMED));
    const end = new AbortController();
    const joining = second.instances.join(second.tree, { isDisabled: false, signal: end.signal });

    await registry.clock.advance(1_000);
    end.abort(new Error('stopping'));

    await expect(joining).rejects.toThrow('stopping');
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('given marks of the former session, when the instance is back under its id, they are orphans', async () => {
    const [, other] = await registry.sharded(2);
    const first = await registry.joined({}, NAMED);
    await first.begin([0, 1]);
    await other!.begin([2]);
    first.die();
    const second = await successor(first);

    await second.instances.join(second.tree, {
      isDisabled: false,
      alongside: async () => (await second.orphans.sweepOfOwn(second.tree))?.operations,
    });

    await other!.tree.sync();
    expect(other!.tree.queue()).toEqual([0, 1]);
    expect(await Promise.all([0, 1, 2].map((item) => other!.holder(item)))).toEqual([undefined, undefined, other!.id]);
    expect(await second.queue.claim(JOB)).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
  });
});

async function successor(predecessor: Member): Promise<Member> {
  const member = await registry.member({}, predecessor.self);
  await member.configurations.install(member.tree);
  return member;
}
