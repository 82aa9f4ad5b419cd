import { beforeEach, describe, expect, it } from 'vitest';
import { CancelledError, DrainDeadlineError, type RunRecord } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { JOB, type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { RecordedStop } from './ended-run.js';
import type { ExecutionLease } from './execution-lease.js';

const JAVA = '10.0.0.9@-@4711';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
beforeEach(async () => void ({ registry, member, operator } = await Registry.ofOne()));

describe('the end of a run', () => {
  it('removes the mark beside Java peers, and leaves the record as it was begun', async () => {
    await joinJava();
    const lease = await begin();

    expect(await settle(lease)).toEqual(SUCCEEDED);

    await member.tree.sync();
    expect(member.tree.isRunning(0)).toBe(false);
    expect(await stored()).not.toHaveProperty('settled');
  });

  it('is recorded and queued beside Java peers if the run was aborted', async () => {
    await joinJava();
    const lease = await begin();
    const outcome = { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) } as const;

    lease.settle(0, outcome);
    await registry.clock.advance(0);

    expect(await stored()).toMatchObject({ settled: { outcome: 'aborted' } });
    expect(await operator.exists(member.tree.paths.queued(0))).toBeDefined();
  });

  it('is recorded beside Java peers if the run was told to stop', async () => {
    await joinJava();
    const lease = await begin();
    lease.abortItem(0, new CancelledError(JOB, 0));
    await registry.clock.advance(0);
    expect(await stored()).toHaveProperty('stopped');

    expect(await settle(lease)).toEqual(SUCCEEDED);
    expect(await stored()).toMatchObject({ settled: { outcome: 'succeeded' } });
  });

  it('is recorded beside Java peers if it was a failover', async () => {
    await registry.orphan(member, [0]);
    await joinJava();
    await member.tree.sync();
    const claim = await member.queue.claim(JOB);
    if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);

    expect(await settle(claim.lease)).toEqual(SUCCEEDED);
    expect(await stored()).toMatchObject({ settled: { outcome: 'succeeded' } });
  });

  it.each([true, false])('is recorded although the mark was deleted (Java peers: %s)', async (hasJava) => {
    if (hasJava) await joinJava();
    const lease = await begin();
    await operator.delete(member.tree.paths.mark(0, 'running'));

    expect(await settle(lease)).toEqual(SUCCEEDED);
    expect(await stored()).toMatchObject({ settled: { outcome: 'succeeded' } });
  });

  it.each(['failover', 'failovering'] as const)(
    'succeeds in a failover, and leaves no mark, although its %s mark was deleted',
    async (mark) => {
      const victim = await registry.joined();
      await victim.begin([0]);
      victim.die();
      await member.orphans.sweep(member.tree, member.leader.term(JOB)!);
      await member.tree.sync();
      const claim = await member.queue.claim(JOB);
      if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);

      await operator.delete(member.tree.paths.mark(0, mark));

      expect(await settle(claim.lease)).toEqual(SUCCEEDED);
      expect(await operator.children(member.tree.paths.item(0))).toEqual(['instance', 'record']);
    },
  );

  it('leaves a mark that a Java peer has put in the place of its own', async () => {
    await joinJava();
    const lease = await begin();
    const running = member.tree.paths.mark(0, 'running');
    await operator.delete(running);
    await operator.create(running, JAVA, 'PERSISTENT');

    expect(await settle(lease)).toEqual(SUCCEEDED);
    expect((await operator.read(running))?.data).toBe(JAVA);
    expect(await stored()).toMatchObject({ settled: { outcome: 'succeeded' } });
  });

  it('succeeds although a Java leader has deleted the item', async () => {
    await joinJava();
    const lease = await begin();
    for (const path of member.tree.descendants(member.tree.paths.item(0))) await operator.delete(path);
    await operator.delete(member.tree.paths.item(0));

    expect(await settle(lease)).toEqual(SUCCEEDED);
  });

  it('is fenced if a sweep has ended the run in its own way', async () => {
    const lease = await begin();
    const settled = { at: 1, outcome: 'aborted', cause: 'overflow' };
    await operator.set(member.tree.paths.record(0), JSON.stringify(Object.assign({}, await stored(), { settled })));

    expect(await settle(lease)).toEqual({ kind: 'fenced', unrecorded: 'succeeded' });
    expect(await stored()).toMatchObject({ settled });
  });

  it('is fenced if its record cannot be read any more, or has been written since', async () => {
    const first = await begin();
    const { data } = (await operator.read(member.tree.paths.record(0)))!;
    await operator.set(member.tree.paths.record(0), 'junk');
    expect(await settle(first)).toEqual({ kind: 'fenced', unrecorded: 'succeeded' });

    await operator.set(member.tree.paths.record(0), '');
    await operator.delete(member.tree.paths.mark(0, 'running'));
    const { lease: second } = await member.begin([0], { fireTime: 9_000 });
    const again = (await operator.read(member.tree.paths.record(0)))!.data;
    expect(again).not.toBe(data);
    await operator.set(member.tree.paths.record(0), again);
    expect(await settle(second!)).toEqual({ kind: 'fenced', unrecorded: 'succeeded' });
  });

  it('is recorded once, although its reply was lost', async () => {
    const lease = await begin();
    registry.memory.loseNextReply(member.sessionId);

    lease.settle(0, SUCCEEDED);
    await registry.clock.advance(10_000);

    expect((await lease.settled()).get(0)).toEqual(SUCCEEDED);
    expect(await stored()).toMatchObject({ settled: { outcome: 'succeeded' } });
    expect((await operator.read(member.tree.paths.record(0)))!.stat.version).toBe(2);
  });

  it('removes a request to cancel it, even if its mark is gone', async () => {
    const lease = await begin();
    await operator.create(member.tree.paths.cancels, '', 'PERSISTENT');
    await operator.create(member.tree.paths.cancel(0), lease.run!, 'PERSISTENT');
    await operator.delete(member.tree.paths.mark(0, 'running'));
    await member.tree.sync();

    expect(await settle(lease)).toEqual(SUCCEEDED);
    expect(await operator.exists(member.tree.paths.cancel(0))).toBeUndefined();
  });

  it('is queued for its failover even if somebody has deleted its mark, or has queued it already', async () => {
    const lease = await begin();
    await operator.delete(member.tree.paths.mark(0, 'running'));
    await operator.create(member.tree.paths.queued(0), '', 'PERSISTENT');

    lease.settle(0, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await registry.clock.advance(0);

    expect((await lease.settled()).get(0)).toMatchObject({ kind: 'aborted' });
    expect(await stored()).toMatchObject({ settled: { outcome: 'aborted' } });
    expect(await operator.exists(member.tree.paths.queued(0))).toBeDefined();
  });

  it('is fenced if another run has taken the item over', async () => {
    const lease = await begin();
    const { data } = (await operator.read(member.tree.paths.record(0)))!;
    await operator.set(member.tree.paths.record(0), data.replace(/"run":"[^"]*"/, '"run":"another"'));

    expect(await settle(lease)).toEqual({ kind: 'fenced', unrecorded: 'succeeded' });
  });
});

describe('a stop that was written into a record', () => {
  let record: RunRecord;
  let stop: RecordedStop;
  beforeEach(async () => {
    await begin();
    record = JSON.parse(await read());
    const { version } = (await operator.exists(member.tree.paths.record(0)))!;
    stop = new RecordedStop(member.tree, 0, version, { ...record, stopped: { run: record.run, cause: 'cancelled' } });
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['open', 'the record is as the begin has left it', () => Promise.resolve()],
    ['recorded', 'the record has it', () => write({ ...record, stopped: { run: record.run, cause: 'cancelled' } })],
    ['fenced', 'another client has written the record', () => write(record)],
    ['fenced', 'another run has the item', () => write({ ...record, run: 'another' })],
    ['fenced', 'the record cannot be read', () => operator.set(member.tree.paths.record(0), 'junk')],
    ['fenced', 'the record is gone', () => operator.delete(member.tree.paths.record(0))],
  ])('is %s if %s', async (standing, _, happen) => {
    await happen();
    await member.tree.sync();
    await member.tree.load(stop.paths);

    expect(stop.judgeStanding()).toBe(standing);
  });

  function write(text: RunRecord): Promise<unknown> {
    return operator.set(member.tree.paths.record(0), JSON.stringify(text));
  }

  async function read(): Promise<string> {
    return (await operator.read(member.tree.paths.record(0)))!.data;
  }
});

async function joinJava(): Promise<void> {
  await operator.create(member.tree.paths.instance(JAVA), '', 'EPHEMERAL');
}

async function begin(): Promise<ExecutionLease> {
  const { lease } = await member.begin([0]);
  return lease!;
}

async function settle(lease: ExecutionLease) {
  lease.settle(0, SUCCEEDED);
  await registry.clock.advance(0);
  return (await lease.settled()).get(0);
}

async function stored(): Promise<unknown> {
  return JSON.parse((await operator.read(member.tree.paths.record(0)))!.data);
}
