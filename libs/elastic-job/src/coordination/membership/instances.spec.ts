import { beforeEach, describe, expect, it } from 'vitest';
import { ABILITIES, PROTOCOL } from '../../domain/index.js';
import { JOB, type Member, Registry, SESSION_TIMEOUT_MS } from '@test/support/unit/member.js';
import { InstanceIdTakenError } from './instances.js';

const NAMED = { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@worker-0' };

let registry: Registry;
beforeEach(() => {
  registry = new Registry();
});

describe('joining', () => {
  it('creates the nodes of instance, session and server', async () => {
    const member = await registry.joined();

    const { paths } = member.tree;
    expect(await member.instances.instances(JOB)).toEqual([
      { ...member.self, isOurs: true, protocol: PROTOCOL, can: ABILITIES },
    ]);
    expect(member.tree.stat(paths.instance(member.id))!.ephemeralOwner).toBe(member.sessionId);
    expect(member.tree.stat(paths.session(member.id))!.ephemeralOwner).toBe(member.sessionId);
    expect(member.tree.serverStatus(member.self.serverIp)).toBe('ENABLED');
  });

  it('disables a new server if the job starts disabled, and keeps the status of a known one', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    await member.instances.join(member.tree, { isDisabled: () => true });
    expect(member.tree.serverStatus(member.self.serverIp)).toBe('DISABLED');

    const { serverIp } = member.self;
    const second = await registry.joined({}, { serverIp, jobInstanceId: `${serverIp}@-@second` });
    expect(second.tree.serverStatus(serverIp)).toBe('DISABLED');
  });

  it('registers a new server by settings that were edited while it joined', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    const operator = await registry.operator();
    const config = await operator.read(member.tree.paths.config);
    const edits: Promise<unknown>[] = [];
    const isDisabled = () => {
      const text = config!.data.replace('disabled: false', 'disabled: true');
      if (edits.length === 0) edits.push(operator.set(config!.path, text));
      return member.configurations.current(JOB).disabled;
    };

    await member.instances.join(member.tree, { isDisabled });

    await Promise.all(edits);
    expect(member.tree.serverStatus(member.self.serverIp)).toBe('DISABLED');
  });

  it('registers two instances of one new server that join at the same time', async () => {
    const first = await registry.member({}, { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@1' });
    const second = await registry.member({}, { serverIp: '10.0.0.7', jobInstanceId: '10.0.0.7@-@2' });
    await first.configurations.install(first.tree);
    await second.tree.sync();

    await Promise.all([first, second].map(({ instances, tree }) => instances.join(tree, { isDisabled: () => false })));

    expect(await first.instances.instances(JOB)).toHaveLength(2);
  });

  it('succeeds if it is repeated after its answer was lost', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    registry.memory.loseNextReply(member.sessionId);

    await expect(member.instances.join(member.tree, { isDisabled: () => false })).rejects.toMatchObject({
      fate: 'unknown',
    });
    await member.instances.join(member.tree, { isDisabled: () => false });

    expect(await member.instances.instances(JOB)).toHaveLength(1);
  });

  it('does not register an instance again that an operator removed before the answer', async () => {
    const member = await registry.member();
    await member.configurations.install(member.tree);
    registry.memory.loseNextReply(member.sessionId);
    await expect(member.instances.join(member.tree, { isDisabled: () => false })).rejects.toMatchObject({
      fate: 'unknown',
    });
    await (await registry.operator()).transaction([{ kind: 'delete', path: member.tree.paths.instance(member.id) }]);
    await member.tree.sync();

    await member.instances.join(member.tree, { isDisabled: () => false });

    expect(await member.instances.instances(JOB)).toEqual([]);
  });
});

describe('leaving', () => {
  it('removes the nodes of the instance, keeps its server, and can be repeated', async () => {
    const member = await registry.joined();

    await member.instances.leave(member.tree);
    await member.instances.leave(member.tree);

    const { paths } = member.tree;
    expect(member.tree.hasInstance(member.id)).toBe(false);
    expect(member.tree.has(paths.session(member.id))).toBe(false);
    expect(member.tree.servers()).toEqual([member.self.serverIp]);
  });

  it('is tried again if its write is refused', async () => {
    const member = await registry.joined();
    const { paths } = member.tree;
    let refusals = 2;
    registry.memory.fail(({ kind }) => (kind === 'delete' && (refusals -= 1) >= 0 ? 'NOT_EMPTY' : undefined));

    await member.instances.leave(member.tree);

    expect([paths.instance(member.id), paths.session(member.id)].filter((path) => member.tree.has(path))).toEqual([]);
  });

  it('keeps an instance registered but without items once it is announced', async () => {
    const [stays, leaves] = await registry.sharded(2);

    await leaves!.instances.announceDrain(leaves!.tree);

    await stays.tree.sync();
    expect(stays.tree.hasInstance(leaves!.id)).toBe(true);
    expect(stays.tree.availableInstances().map(({ jobInstanceId }) => jobInstanceId)).toEqual([stays.id]);
  });

  it('can be announced without an error after it is complete', async () => {
    const member = await registry.joined();
    await member.instances.leave(member.tree);

    await member.instances.announceDrain(member.tree);

    expect(member.tree.has(member.tree.paths.session(member.id))).toBe(false);
  });

  it('does not remove the node of an id that another session has taken over', async () => {
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
  it('passes to a successor once the session of its predecessor has ended', async () => {
    const first = await registry.joined({}, NAMED);
    const second = await successor(first);

    const joining = second.instances.join(second.tree, { isDisabled: () => false });
    await registry.clock.advance(SESSION_TIMEOUT_MS / 2);
    registry.memory.expire(first.sessionId);
    await registry.clock.advance(0);

    await joining;
    expect(second.tree.stat(second.tree.paths.instance(NAMED.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
  });

  it('passes to a successor at once, however many others have left the job meanwhile', async () => {
    const first = await registry.joined({}, NAMED);
    const others = await Promise.all(Array.from({ length: 12 }, () => registry.joined()));
    const second = await successor(first);

    const joining = second.instances.join(second.tree, { isDisabled: () => false });
    for (const other of others) {
      await registry.clock.advance(10);
      await other.instances.leave(other.tree);
    }
    registry.memory.expire(first.sessionId);
    await registry.clock.advance(0);

    expect(second.tree.stat(second.tree.paths.instance(NAMED.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
    await joining;
  });

  it('stays with a predecessor that was shut down until its session ends', async () => {
    const first = await registry.joined({}, NAMED);
    await (await registry.operator()).delete(first.tree.paths.instance(first.id));
    const second = await successor(first);

    const joining = second.instances.join(second.tree, { isDisabled: () => false });
    await registry.clock.advance(SESSION_TIMEOUT_MS / 2);
    expect(second.tree.hasInstance(NAMED.jobInstanceId)).toBe(false);
    registry.memory.expire(first.sessionId);
    await registry.clock.advance(0);

    await joining;
    expect(second.tree.hasInstance(NAMED.jobInstanceId)).toBe(true);
  });

  it('is refused after 1.5 session timeouts if a living instance has it', async () => {
    const first = await registry.joined({}, NAMED);
    const second = await successor(first);
    const refused = second.instances.join(second.tree, { isDisabled: () => false }).catch((error: unknown) => error);
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

  it('frees the remaining nodes of a lost session of the same process at once', async () => {
    for (const self of [NAMED, { ...NAMED, jobInstanceId: '10.0.0.7@-@later' }]) {
      registry = new Registry();
      const other = await registry.joined();
      const first = await registry.joined({}, NAMED);
      const former = new Map([[first.id, first.sessionId]]);
      const second = await registry.member({}, self);
      await second.configurations.install(second.tree);

      await second.instances.join(second.tree, { isDisabled: () => false, former });

      await other.tree.sync();
      const { paths } = other.tree;
      expect(other.tree.instances().map(({ jobInstanceId }) => jobInstanceId)).toEqual(
        [other.id, self.jobInstanceId].toSorted().toReversed(),
      );
      expect(other.tree.stat(paths.instance(self.jobInstanceId))!.ephemeralOwner).toBe(second.sessionId);
      expect(other.tree.hasSession(first.id)).toBe(self === NAMED);
    }
  });

  it('stays with another process that has it now if its former owner comes back', async () => {
    const holder = await registry.joined({}, NAMED);
    const back = await successor(holder);
    const joining = back.instances.join(back.tree, { isDisabled: () => false, former: new Map([[holder.id, '1234']]) });

    await expect(registry.clock.advanceUntil(joining)).rejects.toThrow(InstanceIdTakenError);
    expect(await holder.instances.instances(JOB)).toHaveLength(1);
  });

  it('is no longer waited for once a stop aborts the signal', async () => {
    const second = await successor(await registry.joined({}, NAMED));
    const end = new AbortController();
    const joining = second.instances.join(second.tree, { isDisabled: () => false, signal: end.signal });

    await registry.clock.advance(1_000);
    end.abort(new Error('stopping'));

    await expect(joining).rejects.toThrow('stopping');
    expect(registry.clock.pendingTimers).toBe(0);
  });

  it('makes marks of its former session orphans once the instance is back under it', async () => {
    const [, other] = await registry.sharded(2);
    const first = await registry.joined({}, NAMED);
    await first.begin([0, 1]);
    await other!.begin([2]);
    first.die();
    const second = await successor(first);

    await second.instances.join(second.tree, {
      isDisabled: () => false,
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
