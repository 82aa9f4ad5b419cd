import { beforeEach, describe, expect, it } from 'vitest';
import { CancelledError, LeaseLostError, MAX_CHECKPOINT_BYTES } from '../../domain/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';
import {
  afterNextTransaction,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';

let registry: Registry;
let member: Member;
let other: Member;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(2, { failover: true });
  [member, other] = [members[0], members[1]!];
});

describe('a checkpoint', () => {
  it('is undefined and has no node before the first save', async () => {
    const { lease } = await member.begin([0]);

    expect(await lease!.checkpoint(0).load()).toBeUndefined();
    expect(await member.center.exists(pathOf(member, 0))).toBeUndefined();
  });

  it('is loaded by the next run of the item on another instance', async () => {
    const { lease } = await member.begin([0, 2]);
    await lease!.checkpoint(0).save({ after: 'order-17', done: 42 });
    lease!.settle(0, SUCCEEDED);
    lease!.settle(2, SUCCEEDED);
    await lease!.settled();

    const { lease: next } = await other.begin([0, 2], { fireTime: 2_000 });

    expect(await next!.checkpoint(0).load()).toEqual({ after: 'order-17', done: 42 });
    expect(await next!.checkpoint(2).load()).toBeUndefined();
  });

  it('holds the value that the last save was called with if saves are not awaited', async () => {
    const { lease } = await member.begin([0]);
    const checkpoint = lease!.checkpoint(0);
    const position = { row: 0 };

    const saves = Array.from({ length: 5 }, () => {
      position.row += 1;
      return checkpoint.save(position);
    });
    position.row = 99;
    await Promise.all(saves);

    expect(await checkpoint.load()).toEqual({ row: 5 });
  });

  it.each([[null], [0], [false], [''], [[1, [2]]], ['Zürich \u{1F600}']])('loads %j as it was saved', async (value) => {
    const { lease } = await member.begin([0]);

    await lease!.checkpoint(0).save(value);

    expect(await lease!.checkpoint(0).load()).toEqual(value);
  });

  it('is undefined once cleared, and can be cleared and saved again', async () => {
    const { lease } = await member.begin([0]);
    const checkpoint = lease!.checkpoint(0);
    await checkpoint.save(1);

    await checkpoint.clear();
    expect(await checkpoint.load()).toBeUndefined();
    await checkpoint.clear();
    await checkpoint.save(2);

    expect(await checkpoint.load()).toBe(2);
  });

  it('can be saved by a handler whose signal has aborted', async () => {
    const { lease } = await member.begin([0]);
    lease!.abortItem(0, new CancelledError(JOB, 0));

    await lease!.checkpoint(0).save('row 7');

    expect(await lease!.checkpoint(0).load()).toBe('row 7');
  });
});

describe('a save that the registry refuses', () => {
  it('is repeated if somebody else has written the node meanwhile', async () => {
    const { lease } = await member.begin([0]);
    beforeNextTransaction(member, () => other.center.create(pathOf(member, 0), 'by hand', 'PERSISTENT'));

    await lease!.checkpoint(0).save('row 7');

    expect(await lease!.checkpoint(0).load()).toBe('row 7');
  });

  it('is repeated if its run was told to stop meanwhile, and its record says so', async () => {
    const { lease } = await member.begin([0]);
    beforeNextTransaction(member, async () => {
      lease!.abortItem(0, new CancelledError(JOB, 0));
      await registry.clock.advance(0);
    });

    await lease!.checkpoint(0).save('row 7');

    expect(await lease!.checkpoint(0).load()).toBe('row 7');
  });
});

describe('a run that is not the last one any more', () => {
  it('may neither save nor clear once another instance has begun its item', async () => {
    const { lease: stale } = await member.begin([0]);
    await stale!.checkpoint(0).save('old');
    const rescue = await takeOver();
    await rescue.checkpoint(0).save('new');

    await expect(stale!.checkpoint(0).save('older')).rejects.toThrow(LeaseLostError);
    await expect(stale!.checkpoint(0).clear()).rejects.toThrow(LeaseLostError);

    expect(await rescue.checkpoint(0).load()).toBe('new');
  });

  it('may not save once it has settled, and sends no request', async () => {
    const { lease } = await member.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await lease!.settled();
    const before = member.center.traffic.foreground;

    await expect(lease!.checkpoint(0).save(1)).rejects.toThrow(LeaseLostError);

    expect(member.center.traffic.foreground).toBe(before);
  });

  it('may neither save nor load once its session is over', async () => {
    const { lease } = await member.begin([0]);
    const reason = new Error('the session is over');
    member.tree.close(reason);

    await expect(lease!.checkpoint(0).save(1)).rejects.toThrow(LeaseLostError);
    await expect(lease!.checkpoint(0).load()).rejects.toThrow(LeaseLostError);
  });
});

describe('a save whose reply was lost', () => {
  it('succeeds if it was applied', async () => {
    const { lease } = await member.begin([0]);
    afterNextTransaction(member, () => Promise.reject(new RegistryUnavailableError('save', 'unknown', 'lost')));

    await lease!.checkpoint(0).save('row 7');

    expect(await lease!.checkpoint(0).load()).toBe('row 7');
  });

  it('is refused if another run has begun meanwhile', async () => {
    const { lease } = await member.begin([0]);
    afterNextTransaction(member, async () => {
      await takeOver();
      throw new RegistryUnavailableError('save', 'unknown', 'lost');
    });

    await expect(lease!.checkpoint(0).save('row 7')).rejects.toThrow(LeaseLostError);
  });
});

describe('a value that cannot be a checkpoint', () => {
  it.each([
    ['undefined', undefined, 'which JSON cannot hold'],
    ['a function', () => 1, 'which JSON cannot hold'],
    ['a bigint', 1n, 'cannot be written as JSON'],
    ['too much text', 'x'.repeat(MAX_CHECKPOINT_BYTES), `may have ${MAX_CHECKPOINT_BYTES}`],
  ])('is refused with job, item and reason in the error, and is not written: %s', async (...row) => {
    const [, value, why] = row;
    const { lease } = await member.begin([0]);

    const error: unknown = await lease!
      .checkpoint(0)
      .save(value)
      .catch((refusal: unknown) => refusal);

    expect(error).toMatchObject({
      code: 'CHECKPOINT_VALUE',
      jobName: JOB,
      item: 0,
      message: expect.stringContaining(why),
    });
    expect(await member.center.exists(pathOf(member, 0))).toBeUndefined();
  });
});

describe('a node that somebody else has written', () => {
  it('is reported as not JSON by a load, and can be cleared', async () => {
    const { lease } = await member.begin([0]);
    const checkpoint = lease!.checkpoint(0);
    await checkpoint.save(1);
    await member.center.set(pathOf(member, 0), 'by hand');

    await expect(checkpoint.load()).rejects.toThrow(/Item 0 of job "settle-orders": .* is not JSON; clear it/);
    await member.center.set(pathOf(member, 0), '['.repeat(1_000) + ']'.repeat(1_000));
    await expect(checkpoint.load()).rejects.toThrow(/is not read: it has more than \d+ levels; clear it/);
    await checkpoint.clear();

    expect(await checkpoint.load()).toBeUndefined();
  });
});

describe('a job without monitorExecution', () => {
  it('refuses the use of a checkpoint with an error that names the setting', async () => {
    const unmonitored = await new Registry().sharded(1, { monitorExecution: false, failover: false });
    const { lease } = await unmonitored[0].begin([0]);
    const checkpoint = lease!.checkpoint(0);

    for (const use of [checkpoint.save(1), checkpoint.load(), checkpoint.clear()]) {
      await expect(use).rejects.toThrow(/set "monitorExecution" of the job to true/);
    }
  });
});

describe('the checkpoint of an item that goes', () => {
  it('is removed once the leader reshards to a smaller total, while others stay', async () => {
    const { lease } = await member.begin([0, 3]);
    for (const item of [0, 3]) {
      await lease!.checkpoint(item).save(item);
      lease!.settle(item, SUCCEEDED);
    }
    await lease!.settled();
    await member.configurations.write(member.tree, { ...member.configurations.current(JOB), shardingTotalCount: 2 });

    await member.center.create(member.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await member.lead();

    expect(await member.center.exists(pathOf(member, 0))).toBeDefined();
    expect(await member.center.exists(pathOf(member, 3))).toBeUndefined();
  });
});

/** Does as a sweep and a claim that wrongly judge the holder dead: another run of item 0 begins. */
async function takeOver() {
  await other.tree.sync();
  await other.center.delete(other.tree.paths.mark(0, 'running'));
  const { lease } = await other.begin([0], { fireTime: 2_000 });
  return lease!;
}

function pathOf({ tree }: Member, item: number): string {
  return tree.paths.mark(item, 'checkpoint');
}
