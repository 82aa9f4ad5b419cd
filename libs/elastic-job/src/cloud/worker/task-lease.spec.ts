import { describe, expect, it } from 'vitest';
import { LeaseLostError, resolveJobOptions, type ShardingContext } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { TaskEnvelope } from '../task-envelope.js';
import { runItem } from './run-item.js';
import { TaskCheckpoint } from './task-checkpoint.js';
import { TaskLease } from './task-lease.js';
import { ENVELOPE } from '@test/support/unit/envelope.js';

/** A failover of an operator's trigger, with a token beyond the range of numbers. */
const RESCUE: TaskEnvelope = {
  ...ENVELOPE,
  source: 'FAILOVER',
  trigger: { id: 'x', parameters: 'p' },
  token: '9007199254740993',
  checkpoint: { row: 7 },
};

function setUp(envelope: Partial<TaskEnvelope> = {}, save?: (value: unknown) => Promise<void>) {
  const state = { isHeld: true };
  const told = { ...RESCUE, ...envelope };
  const checkpoint = new TaskCheckpoint(told, save, () => state.isHeld);
  return { envelope: told, state, checkpoint, lease: new TaskLease(told, 'task-1', checkpoint, () => state.isHeld) };
}

describe('the lease of a task', () => {
  it('given an envelope, when the lease is made, then it says what the scheduler holds', () => {
    const { lease } = setUp();

    expect(lease).toMatchObject({ jobName: 'settle', run: 'run-1', taskId: RESCUE.taskId, items: [1] });
    expect(lease.trigger).toEqual({
      jobName: 'settle',
      fireTime: RESCUE.fireTime,
      source: 'FAILOVER',
      origin: 'manual:x',
      parameters: 'p',
    });
    expect([lease.token(), lease.isMoving(), lease.requeueOf(), lease.mayStart]).toEqual([
      9_007_199_254_740_993n,
      false,
      'none',
      true,
    ]);
  });

  it('given a lease that is not held any more, when it is asked, then it is lost', () => {
    const { lease, state } = setUp();
    lease.assertHeld();

    state.isHeld = false;
    expect(() => lease.assertHeld()).toThrow(LeaseLostError);
    expect(lease.mayStart).toBe(false);
  });

  it('given an abort, when the lease is asked, then the reason is the cause', () => {
    const { lease } = setUp();
    const reason = new Error('told to end');

    lease.abortItem(1, reason);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ cause: reason }));
  });

  it('given an end, when it is settled, then whoever waits hears of it, and nothing aborts any more', async () => {
    const { lease } = setUp();
    const settled = lease.settled();

    lease.settle(1, { kind: 'succeeded' });
    lease.settle(1, { kind: 'aborted', reason: 'late' });
    lease.abort('late');
    expect(await settled).toEqual(new Map([[1, { kind: 'succeeded' }]]));
    expect(await lease.settled()).toEqual(await settled);
    expect(lease.signal.aborted).toBe(false);
    expect(() => lease.assertHeld()).toThrow(LeaseLostError);
  });

  it('given a run, when it is run here, then the handler has the settings of the envelope', async () => {
    const clock = new VirtualClock();
    const { envelope, lease } = setUp({ attempt: 2 });
    const contexts: ShardingContext[] = [];
    const outcome = await runItem(
      clock,
      envelope,
      lease,
      {
        configuration: resolveJobOptions({ name: 'settle', shardingTotalCount: 9 }, { place: 'spec' }),
        listeners: [],
        handler: (context) => contexts.push(context),
        onListenerError: () => {},
      },
      1_000,
    );

    expect(outcome).toEqual({ kind: 'succeeded' });
    expect(contexts).toMatchObject([
      { attempt: 2, shardingTotalCount: 3, shardingItem: 1, shardingParameter: 'Shanghai', taskId: envelope.taskId },
    ]);
  });
});

describe('the checkpoint of a task', () => {
  it('makes saves one after the other, and loads the saved value', async () => {
    const saved: unknown[] = [];
    const { checkpoint } = setUp({}, async (value) => void saved.push(value));
    expect(await checkpoint.load()).toEqual({ row: 7 });

    const position = { row: 8 };
    const first = checkpoint.save(position);
    position.row = 9;
    await Promise.all([first, checkpoint.clear()]);
    expect([saved, await checkpoint.load()]).toEqual([[{ row: 8 }, null], undefined]);
  });

  it('given a save that is refused, when the next one is answered, then the refused one is not loaded', async () => {
    const answers = [() => Promise.reject(new Error('no')), () => Promise.resolve()];
    const { checkpoint } = setUp({}, () => answers.shift()!());

    await expect(checkpoint.save(1)).rejects.toThrow('no');
    expect(await checkpoint.load()).toEqual({ row: 7 });
    await checkpoint.save(2);
    expect(await checkpoint.load()).toBe(2);
  });

  it('given a run that may not act any more, when it saves or loads, then the lease is lost', async () => {
    const { checkpoint, state } = setUp({}, () => Promise.resolve());

    state.isHeld = false;
    await expect(checkpoint.save(1)).rejects.toThrow(LeaseLostError);
    await expect(checkpoint.load()).rejects.toThrow(LeaseLostError);
  });

  it.each([
    ['nothing that JSON has', undefined],
    ['too much', 'x'.repeat(70_000)],
  ])('given %s, when it is saved, then it is refused here', async (_, value) => {
    const { checkpoint } = setUp({}, () => Promise.reject(new Error('not asked')));

    await expect(checkpoint.save(value)).rejects.toMatchObject({ code: 'CHECKPOINT_VALUE' });
  });
});
