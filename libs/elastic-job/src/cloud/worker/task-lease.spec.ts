import { describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../domain/index.js';
import type { TaskEnvelope } from '../task-envelope.js';
import { TaskCheckpoint, TaskLease } from './task-lease.js';
import { ENVELOPE } from '@test/support/unit/envelope.js';

/** A failover of an operator's trigger, with a token beyond the range of numbers. */
const RESCUE: TaskEnvelope = {
  ...ENVELOPE,
  source: 'FAILOVER',
  trigger: { id: 'x', parameters: 'p' },
  token: '9007199254740993',
  checkpoint: { row: 7 },
};

function setUp(save?: (value: unknown) => Promise<void>) {
  const state = { isHeld: true };
  const checkpoint = new TaskCheckpoint(RESCUE, save, () => state.isHeld);
  return { state, checkpoint, lease: new TaskLease(RESCUE, 'task-1', checkpoint, () => state.isHeld) };
}

describe('the lease of a task', () => {
  it('has the job, run, item, trigger and token of the envelope', () => {
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

  it('is lost, and lets nothing start, once it is no longer held', () => {
    const { lease, state } = setUp();
    lease.assertHeld();

    state.isHeld = false;
    expect(() => lease.assertHeld()).toThrow(LeaseLostError);
    expect(lease.mayStart).toBe(false);
  });

  it('names the reason of an abort as the cause of its loss', () => {
    const { lease } = setUp();
    const reason = new Error('told to end');

    lease.abortItem(1, reason);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ cause: reason }));
  });

  it('reports the first outcome that settles it, and ignores a later outcome or abort', async () => {
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
});

describe('the checkpoint of a task', () => {
  it('makes saves one after the other, and loads the saved value', async () => {
    const saved: unknown[] = [];
    const { checkpoint } = setUp(async (value) => void saved.push(value));
    expect(await checkpoint.load()).toEqual({ row: 7 });

    const position = { row: 8 };
    const first = checkpoint.save(position);
    position.row = 9;
    await Promise.all([first, checkpoint.clear()]);
    expect([saved, await checkpoint.load()]).toEqual([[{ row: 8 }, null], undefined]);
  });

  it('loads the last saved value, not one whose save was refused', async () => {
    const answers = [() => Promise.reject(new Error('no')), () => Promise.resolve()];
    const { checkpoint } = setUp(() => answers.shift()!());

    await expect(checkpoint.save(1)).rejects.toThrow('no');
    expect(await checkpoint.load()).toEqual({ row: 7 });
    await checkpoint.save(2);
    expect(await checkpoint.load()).toBe(2);
  });

  it('refuses to save or load with a LeaseLostError once the run may no longer act', async () => {
    const { checkpoint, state } = setUp(() => Promise.resolve());

    state.isHeld = false;
    await expect(checkpoint.save(1)).rejects.toThrow(LeaseLostError);
    await expect(checkpoint.load()).rejects.toThrow(LeaseLostError);
  });

  it.each([
    ['nothing that JSON has', undefined],
    ['too much', 'x'.repeat(70_000)],
  ])('refuses to save %s, and sends nothing', async (_, value) => {
    const { checkpoint } = setUp(() => Promise.reject(new Error('not asked')));

    await expect(checkpoint.save(value)).rejects.toMatchObject({ code: 'CHECKPOINT_VALUE' });
  });
});
