import { beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../domain/index.js';
import { type RegistryCenter, RegistryUnavailableError } from '../../registry/index.js';
import {
  afterNextLoad,
  afterNextTransaction,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
  triggerAt,
} from '@test/support/unit/member.js';
import { RemovedFromJobError } from './begin.js';

let registry: Registry;
let member: Member;
let other: Member;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(2);
  [member, other] = [members[0], members[1]!];
});

describe('a begin', () => {
  it('marks free items as running, records their run, and returns the tokens of their records', async () => {
    const { lease, refused } = await member.begin([0, 2]);

    expect(refused.size).toBe(0);
    expect(lease).toMatchObject({ items: [0, 2], holder: member.id });
    await other.tree.sync();
    await other.tree.loadRecords([0, 2]);
    for (const item of [0, 2]) {
      expect(await other.holder(item)).toBe(member.id);
      expect(other.tree.record(item)!.stored).toMatchObject({ record: { by: member.id, target: { fireTime: 1_000 } } });
      expect(lease!.token(item)).toBe(other.tree.stat(other.tree.paths.record(item))!.mzxid);
    }
    expect(await other.executions.running(JOB)).toMatchObject([
      { item: 0, instanceId: member.id },
      { item: 2, instanceId: member.id },
    ]);
  });

  it('begins nothing if one of its items may not be written, and all of them once it may be', async () => {
    const end = registry.protect(2);
    await expect(member.begin([0, 2])).rejects.toMatchObject({ code: 'NO_AUTH', path: expect.stringContaining('/2/') });
    expect([await member.holder(0), member.executions.isOwnRun(member.tree, 0)]).toEqual([undefined, false]);
    end();

    expect((await member.begin([0, 2])).lease!.items).toEqual([0, 2]);
  });

  it('succeeds for only one of two instances with the same view', async () => {
    await Promise.all([member.tree.sync(), other.tree.sync()]);
    const trigger = triggerAt(1_000);

    const [one, two] = await Promise.all([
      member.executions.begin({ trigger, items: [0] }),
      other.executions.begin({ trigger, items: [0] }),
    ]);

    expect([one, two].filter(({ lease }) => lease)).toHaveLength(1);
    expect([one, two].map(({ refused }) => refused.get(0))).toContain('alreadyBegun');
  });

  it('is refused if another instance has run the item for that fire time meanwhile', async () => {
    const runByOther = async (fireTime: number) => {
      const { lease } = await other.begin([0], { fireTime });
      lease!.settle(0, SUCCEEDED);
      await lease!.settled();
    };
    await runByOther(500);
    beforeNextTransaction(member, () => runByOther(1_000));

    const { lease, refused } = await member.begin([0], { fireTime: 1_000 });

    expect(lease).toBeUndefined();
    expect(refused).toEqual(new Map([[0, 'alreadyBegun']]));
  });

  it('leaves out an item that runs elsewhere, and begins the others', async () => {
    await other.begin([1], { fireTime: 500 });
    const trigger = triggerAt(1_000);

    // No sync, so the view is outdated.
    const { lease, refused } = await member.executions.begin({ trigger, items: [0, 1, 2] });

    expect(lease!.items).toEqual([0, 2]);
    expect(refused).toEqual(new Map([[1, 'busy']]));
  });

  it('is refused as already begun for the fire time of the last run, and for earlier ones', async () => {
    const { lease } = await member.begin([0]);
    await member.end(lease!, 0);

    expect((await other.begin([0])).refused).toEqual(new Map([[0, 'alreadyBegun']]));
    expect((await other.begin([0], { fireTime: 500 })).refused).toEqual(new Map([[0, 'alreadyBegun']]));
    expect((await other.begin([0], { fireTime: 2_000 })).refused.size).toBe(0);
  });

  it('keeps unknown fields in a record that a later version wrote', async () => {
    const operator = await registry.operator();
    const { paths } = member.tree;
    await operator.create(paths.instance('10.0.0.9@-@1'), 'labels: nestjs-elastic-job/2\n', 'EPHEMERAL');
    const target = { fireTime: 500, origin: 'schedule' };
    const later = { v: 2, run: 'x', by: 'y', target, settled: { at: 1, outcome: 'succeeded' }, more: [5] };
    await operator.create(paths.record(0), JSON.stringify(later), 'PERSISTENT');

    const { lease } = await member.begin([0]);
    expect(await read()).toMatchObject({ v: PROTOCOL, by: member.id, target: { fireTime: 1_000 }, more: [5] });
    expect(await read()).not.toHaveProperty('settled');
    await member.end(lease!, 0);
    expect(await read()).toMatchObject({ v: PROTOCOL, settled: { outcome: 'succeeded' }, more: [5] });

    async function read(): Promise<unknown> {
      return JSON.parse((await operator.read(paths.record(0)))!.data);
    }
  });

  it('refuses as busy an item that the tree does not have', async () => {
    expect((await member.begin([99])).refused).toEqual(new Map([[99, 'busy']]));
  });

  it('refuses as busy an item that waits for failover, unless failover is off', async () => {
    const operator = await registry.operator();
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');
    expect((await member.begin([0])).refused).toEqual(new Map([[0, 'busy']]));

    const { data } = (await operator.read(member.tree.paths.config))!;
    await operator.set(member.tree.paths.config, data.replace('failover: true', 'failover: false'));

    expect((await member.begin([0])).lease).toBeDefined();
  });

  it('refuses as busy an item that still has the mark of a dead rescuer', async () => {
    const operator = await registry.operator();
    await operator.create(member.tree.paths.mark(0, 'failovering'), 'gone', 'PERSISTENT');
    await member.tree.sync();

    expect((await member.begin([0])).refused).toEqual(new Map([[0, 'busy']]));
  });

  it('is refused for an instance that was removed and does not know it', async () => {
    registry.memory.suspend(other.sessionId);
    await (await registry.operator()).delete(member.tree.paths.instance(other.id));
    registry.memory.resume(other.sessionId);
    await registry.clock.advance(0);

    await expect(other.executions.begin({ trigger: triggerAt(1_000), items: [0] })).rejects.toThrow(
      RemovedFromJobError,
    );
  });

  it('succeeds once it is repeated if it was refused for an instance that is registered', async () => {
    const own = `/test${member.tree.paths.instance(member.id)}`;
    const stopRefusing = registry.memory.fail(({ path }) => (path === own ? 'NO_NODE' : undefined));
    const beginning = member.executions.begin({ trigger: triggerAt(1_000), items: [0] });
    await registry.clock.advance(50);

    stopRefusing();
    await registry.clock.advance(1_000);

    expect((await beginning).lease?.items).toEqual([0]);
  });

  it('refuses as busy an item whose handler still runs here, also in a further attempt', async () => {
    const own = `/test${member.tree.paths.instance(member.id)}`;
    const stopRefusing = registry.memory.fail(({ path }) => (path === own ? 'NO_NODE' : undefined));
    const running = new Set<number>();
    const here = { has: (item: number) => running.has(item), add: () => {} };
    const beginning = member.executions.begin({ trigger: triggerAt(1_000), items: [0, 1] }, here);
    await registry.clock.advance(50);

    // Another lease began it meanwhile and was given up: its handler has not returned, but there is no mark.
    running.add(0);
    stopRefusing();
    await registry.clock.advance(1_000);

    const { lease, refused } = await beginning;
    expect(lease?.items).toEqual([1]);
    expect(refused).toEqual(new Map([[0, 'busy']]));
  });

  it('gets its lease although its answer was lost', async () => {
    await member.tree.sync();
    registry.memory.loseNextReply(member.sessionId);

    const beginning = member.executions.begin({ trigger: triggerAt(1_000), items: [0, 1] });
    await registry.clock.advance(100);
    const { lease } = await beginning;

    expect(lease!.items).toEqual([0, 1]);
    expect(lease!.token(0)).toBe(member.tree.stat(member.tree.paths.record(0))!.mzxid);
    expect(await member.end(lease!, 0, 1)).toEqual(
      new Map([
        [0, SUCCEEDED],
        [1, SUCCEEDED],
      ]),
    );
  });

  it('gets no lease after a lost answer if its item was swept since', async () => {
    afterNextTransaction(other, async () => {
      await other.instances.leave(other.tree);
      await member.orphans.sweep(member.tree, member.leader.term(JOB)!);
      throw new RegistryUnavailableError('transaction', 'unknown', 'the connection broke');
    });

    const { lease, refused } = await other.begin([0]);

    expect(lease).toBeUndefined();
    expect(refused).toEqual(new Map([[0, 'alreadyBegun']]));
  });

  it.each<[string, (operator: RegistryCenter, record: string) => Promise<unknown>]>([
    ['of another begin of this instance', () => Promise.resolve()],
    ['that cannot be read', (operator, record) => operator.set(record, 'junk')],
    ['that is gone', (operator, record) => operator.delete(record)],
  ])('gets no lease after a lost answer for an item with a record %s', async (_, happen) => {
    const operator = await registry.operator();
    beforeNextTransaction(member, async () => {
      await member.begin([0], { fireTime: 2_000 });
      await happen(operator, member.tree.paths.record(0));
      throw new RegistryUnavailableError('transaction', 'unknown', 'the connection broke');
    });

    const { lease, refused } = await member.begin([0]);

    expect(lease).toBeUndefined();
    expect([...refused.keys()]).toEqual([0]);
  });

  it('gets its lease although the server has failed after it had applied the begin', async () => {
    await member.tree.sync();
    let requests = 0;
    registry.memory.fail(() => ((requests += 1) === 1 ? { code: -7, isApplied: true } : undefined));

    const beginning = member.executions.begin({ trigger: triggerAt(1_000), items: [0] });
    await registry.clock.advance(1_000);

    expect((await beginning).lease?.items).toEqual([0]);
  });

  it('is decided anew if a record changes as it is read', async () => {
    const { lease } = await other.begin([0], { fireTime: 500 });
    await other.end(lease!, 0);
    const record = member.tree.paths.record(0);
    const { data } = (await other.center.read(record))!;
    afterNextLoad(member, () => other.center.set(record, data));

    expect((await member.begin([0])).lease?.items).toEqual([0]);
  });

  it('takes as many claimed items as fit one request, and none if one does not', async () => {
    Object.defineProperty(member.center, 'maxRequestBytes', { value: 1_000, configurable: true });
    const trigger = triggerAt(1_000, { source: 'FAILOVER' });
    for (const item of [0, 1, 2, 3]) await other.center.create(member.tree.paths.queued(item), '', 'PERSISTENT');
    await member.tree.sync();

    expect((await member.executions.beginClaimed(member.tree, trigger, [0, 1, 2, 3]))?.items).toEqual([0]);
    Object.defineProperty(member.center, 'maxRequestBytes', { value: 100 });
    await expect(member.executions.beginClaimed(member.tree, trigger, [1, 2])).rejects.toMatchObject({
      code: 'REQUEST_TOO_LARGE',
    });
  });

  it('fails as not applied, and begins nothing, if its request never left', async () => {
    await member.tree.sync();
    registry.memory.suspend(member.sessionId);

    await expect(member.executions.begin({ trigger: triggerAt(1_000), items: [0] })).rejects.toMatchObject({
      fate: 'not-applied',
    });
    await other.tree.sync();
    expect(other.tree.isRunning(0)).toBe(false);
  });

  it('sends no request and gives no token without execution monitoring', async () => {
    registry = new Registry();
    const [plain] = await registry.sharded(1, { monitorExecution: false, failover: false });
    const before = plain.center.traffic.foreground;

    const { lease } = await plain.executions.begin({ trigger: triggerAt(1_000), items: [0, 1] });
    expect(await member.end(lease!, 0, 1)).toEqual(
      new Map([
        [0, SUCCEEDED],
        [1, SUCCEEDED],
      ]),
    );

    expect(lease!.token(0)).toBeUndefined();
    expect(plain.center.traffic.foreground).toBe(before);
  });
});
