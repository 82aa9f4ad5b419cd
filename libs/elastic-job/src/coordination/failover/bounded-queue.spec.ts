import { beforeEach, describe, expect, it } from 'vitest';
import { DrainDeadlineError, ExecutorDeathError, type JobOptions, type ShardOutcome } from '../../domain/index.js';
import type { LeadershipTerm } from '../leadership/index.js';
import { beforeNextTransaction, JOB, Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { disabledJob, purgeQueue } from './purged-queue.js';

const KILLED: ShardOutcome = { kind: 'failed', error: new ExecutorDeathError('KILLED', 'signal SIGKILL') };

let registry: Registry;
let leader: Member;
let worker: Member;
let term: LeadershipTerm;

async function start(options: Partial<JobOptions>): Promise<void> {
  registry = new Registry();
  const members = await registry.sharded(2, options);
  [leader, worker] = [members[0], members[1]!];
  term = leader.leader.term(JOB)!;
}

describe('a queue with a limit', () => {
  beforeEach(() => start({ failoverQueueLimit: 2 }));

  it('takes orphans up to its limit, and has the rest recorded as aborted and reported', async () => {
    await worker.begin([0, 1, 2, 3]);
    worker.die();
    const overflowed: (readonly number[])[] = [];

    expect(await leader.orphans.sweep(leader.tree, term, { onOverflow: (items) => overflowed.push(items) })).toEqual([
      0, 1,
    ]);

    expect(overflowed).toEqual([[2, 3]]);
    const run = { fireTime: 1_000, lastHolder: worker.id };
    expect(await leader.queue.overflowed(JOB)).toEqual([
      { item: 2, ...run },
      { item: 3, ...run },
    ]);
    expect(leader.tree.queue()).toEqual([0, 1]);
    expect([2, 3].map((item) => leader.tree.isRunning(item))).toEqual([false, false]);
    expect(leader.tree.record(2)!.stored).toMatchObject({
      record: { settled: { outcome: 'aborted', cause: 'overflow' } },
    });
  });

  it('no longer counts an overflowed item once its next fire time is begun', async () => {
    await worker.begin([0, 1, 2]);
    worker.die();
    await leader.orphans.sweep(leader.tree, term);

    const { lease } = await leader.begin([2], { fireTime: 2_000 });

    expect(lease?.items).toEqual([2]);
    expect(await leader.queue.overflowed(JOB)).toEqual([]);
  });

  it('does not take an aborted run if it is full, and counts it as overflowed', async () => {
    await queue(0, 1);

    const requeue = await settle(2, { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });

    expect(requeue).toBe('overflow');
    expect(leader.tree.queue()).toEqual([0, 1]);
    expect(await leader.queue.overflowed(JOB)).toMatchObject([{ item: 2 }]);
  });

  it('fences a run that has overflowed while its handler went on', async () => {
    const { lease } = await worker.begin([0, 1, 2]);
    await worker.instances.leave(worker.tree);
    await leader.orphans.sweep(leader.tree, term);

    lease!.settle(2, SUCCEEDED);
    await registry.clock.advance(0);

    lease!.settle(0, SUCCEEDED);
    lease!.settle(1, SUCCEEDED);
    await registry.clock.advance(0);
    expect((await lease!.settled()).get(2)).toEqual({ kind: 'fenced', unrecorded: 'succeeded' });
  });
});

describe('a run whose executor has died', () => {
  beforeEach(() => start({ maxExecutorFailovers: 2 }));

  it('is queued with its cause if the death is certain', async () => {
    expect(await settle(1, KILLED)).toBe('queue');

    expect(leader.tree.isRunning(1)).toBe(false);
    expect(await leader.queue.pending(JOB)).toEqual([
      { item: 1, cause: 'executor-died', executor: 'KILLED', lastHolder: worker.id, ageMs: 0 },
    ]);
  });

  it('is given up after two failovers, while another target is counted anew', async () => {
    expect(await settle(1, KILLED)).toBe('queue');
    for (const expected of ['queue', 'exhausted']) {
      await leader.tree.sync();
      const claim = await leader.queue.claim(JOB);
      if (claim.kind !== 'claimed') throw new Error(`The claim was ${claim.kind}.`);
      expect(claim.lease.trigger).toMatchObject({ fireTime: 1_000, source: 'FAILOVER' });
      claim.lease.settle(1, KILLED);
      expect(claim.lease.requeueOf(1)).toBe(expected);
      await registry.clock.advance(0);
    }
    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([]);
    expect(leader.tree.record(1)!.stored).toMatchObject({
      record: { executorDeaths: 3, settled: { outcome: 'failed', cause: 'KILLED' } },
    });

    const { lease } = await worker.begin([1], { fireTime: 2_000 });
    lease!.settle(1, KILLED);
    expect(lease!.requeueOf(1)).toBe('queue'); // Another target is counted anew.
  });

  it('keeps its mark until the session ends if the executor is unreachable', async () => {
    const { lease } = await worker.begin([1]);
    lease!.settle(1, { kind: 'failed', error: new ExecutorDeathError('UNREACHABLE', 'no heartbeat') });
    await registry.clock.advance(60_000);
    expect(await leader.holder(1)).toBe(worker.id);

    worker.tree.close(new Error('the session is over'));

    expect(await lease!.settled()).toEqual(new Map([[1, { kind: 'fenced' }]]));
    expect(await leader.holder(1)).toBe(worker.id);
  });
});

describe('the purge', () => {
  beforeEach(() => start({}));

  it('removes only the chosen entries, and records those without an outcome as aborted', async () => {
    await queue(0, 1);
    await settle(2, KILLED);

    expect(await purgeQueue(leader.tree, term, 5_000, (item) => item > 0)).toEqual([1, 2]);

    await leader.tree.sync();
    expect(leader.tree.queue()).toEqual([0]);
    await leader.tree.loadRecords([1, 2]);
    expect(leader.tree.record(1)!.stored).toMatchObject({
      record: { settled: { at: 5_000, outcome: 'aborted', cause: 'purged' } },
    });
    expect(leader.tree.record(2)!.stored).toMatchObject({
      record: { settled: { outcome: 'failed', cause: 'KILLED' } },
    });
    expect(leader.tree.record(2)!.stored).not.toHaveProperty('record.settled.isOwed');
  });

  it('keeps an entry that a greater total, written while it purges, has made due', async () => {
    await queue(2, 3);
    const operator = await registry.operator();
    const { config } = leader.tree.paths;
    const writeTotal = async (total: number) => {
      const { data } = (await operator.read(config))!;
      await operator.set(config, data.replace(/^shardingTotalCount: .*$/m, `shardingTotalCount: ${total}`));
      await leader.tree.sync();
    };
    await writeTotal(2);
    beforeNextTransaction(leader, () => writeTotal(3));
    const isBeyond = (item: number) => item >= leader.configurations.current(JOB).shardingTotalCount;

    expect(await purgeQueue(leader.tree, term, 5_000, isBeyond)).toEqual([3]);
  });

  it('costs no request if there is nothing to purge', async () => {
    await queue(0);
    const before = leader.center.traffic.foreground;

    expect(await purgeQueue(leader.tree, term, 5_000, (item) => item > 0)).toEqual([]);

    expect(leader.center.traffic.foreground).toBe(before);
  });

  it('removes nothing for a deposed leader', async () => {
    await queue(0);
    await (await registry.operator()).delete(leader.tree.paths.leader);
    leader.leader.endTerm(JOB, new Error('deposed'));

    await expect(purgeQueue(leader.tree, term, 5_000, () => true)).rejects.toThrow('deposed');
    await worker.tree.sync();
    expect(worker.tree.queue()).toEqual([0]);
  });

  it('removes nothing if a server is enabled while the records of a disabled job are read', async () => {
    await queue(0, 1);
    const { tree } = worker;
    const server = tree.paths.server(tree.self.serverIp);
    const operator = await registry.operator();
    await operator.set(server, 'DISABLED');
    await tree.sync();
    let enabling: Promise<unknown> | undefined;
    const isDisabled = () => {
      const wasDisabled = tree.serverStatus(tree.self.serverIp) === 'DISABLED';
      enabling ??= operator.set(server, 'ENABLED');
      return wasDisabled;
    };

    expect(await purgeQueue(tree, disabledJob(tree), 5_000, isDisabled)).toEqual([]);

    await enabling;
    await tree.sync();
    expect(tree.queue()).toEqual([0, 1]);
  });

  it('a claim leaves an entry beyond the total to the leader', async () => {
    await queue(3);
    const { data } = (await leader.center.read(leader.tree.paths.config))!;
    await leader.center.set(leader.tree.paths.config, data.replace('Count: 4', 'Count: 3'));
    await worker.tree.sync();

    expect(await worker.queue.claim(JOB)).toEqual({ kind: 'empty' });
  });
});

/** Ends a run of the item by the worker with an outcome. @returns its final outcome */
async function settle(item: number, outcome: ShardOutcome) {
  const { lease } = await worker.begin([item]);
  lease!.settle(item, outcome);
  await registry.clock.advance(0);
  await leader.tree.sync();
  return lease!.requeueOf(item);
}

/** Orphans that wait, since their holder has died. */
async function queue(...items: number[]): Promise<void> {
  await registry.orphan(leader, items);
  await worker.tree.sync();
}
