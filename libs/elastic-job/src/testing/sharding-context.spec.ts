import { describe, expect, it } from 'vitest';
import { LeaseLostError, MissingTokenError, type ShardingContext } from '../domain/index.js';
import { createShardingContext } from './sharding-context.js';
import { createTestCluster } from './test-cluster.js';

describe('the context that a test makes', () => {
  it('has the fields of the context of a run, frozen as that is', async () => {
    const contexts: ShardingContext[] = [];
    const cluster = await createTestCluster({
      instances: 1,
      jobs: [{ name: 'j', cron: '* * * * * ?', shardingTotalCount: 1, handler: (context) => contexts.push(context) }],
    });
    await cluster.advance(1_000);
    await cluster.stop();

    const made = createShardingContext();

    expect(Object.keys(made).toSorted()).toEqual(Object.keys(contexts[0]!).toSorted());
    expect([made, made.props].map(Object.isFrozen)).toEqual([true, true]);
  });

  it('is by default that of the first attempt of a scheduled run, whose item is held', () => {
    const context = createShardingContext();

    expect(context).toMatchObject({
      jobName: 'test-job',
      taskId: 'test-job@-@0@-@READY@-@10.0.0.1@-@1',
      jobParameter: '',
      shardingTotalCount: 1,
      shardingItem: 0,
      shardingParameter: undefined,
      fireTime: new Date('2030-01-01T00:00:00Z'),
      source: 'NORMAL_TRIGGER',
      trigger: 'schedule',
      attempt: 1,
      token: 1n,
      tokenEpoch: 0,
      props: {},
    });
    expect(context.signal.aborted).toBe(false);
    expect(context.isMoving()).toBe(false);
    expect(() => context.assertHeld()).not.toThrow();
  });

  it('has the given fields, and defaults that fit them', () => {
    const fireTime = new Date('2030-05-01T02:00:00Z');
    const trigger = { id: 'a', parameters: 'x' };

    const context = createShardingContext({ jobName: 'city-report', shardingItem: 1, fireTime, trigger, attempt: 2 });
    fireTime.setTime(0);

    expect(context).toMatchObject({
      taskId: 'city-report@-@1@-@READY@-@10.0.0.1@-@1',
      shardingTotalCount: 2,
      fireTime: new Date('2030-05-01T02:00:00Z'),
      trigger,
      attempt: 2,
    });
  });

  it('does not hold its item once its signal has aborted', () => {
    const controller = new AbortController();
    const context = createShardingContext({ shardingItem: 2, signal: controller.signal });

    controller.abort(new Error('cancelled'));

    expect(() => context.assertHeld()).toThrow(LeaseLostError);
  });

  it('keeps a checkpoint as JSON, unless it has no token', async () => {
    const { checkpoint } = createShardingContext();
    const without = createShardingContext({ token: undefined });

    expect(await checkpoint.load()).toBeUndefined();
    await checkpoint.save({ at: new Date(0) });
    expect(await checkpoint.load()).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    await checkpoint.clear();
    expect(await checkpoint.load()).toBeUndefined();
    expect(without.token).toBeUndefined();
    for (const ask of [
      () => without.checkpoint.load(),
      () => without.checkpoint.save(1),
      () => without.checkpoint.clear(),
    ])
      await expect(ask()).rejects.toThrow(MissingTokenError);
  });

  it('is refused with an item that its total does not have', () => {
    expect(() => createShardingContext({ shardingItem: 3, shardingTotalCount: 3 })).toThrow(
      'shardingItem must be below shardingTotalCount, 3, but is 3',
    );
  });

  it.each<[object, string]>([
    [{ fireTime: '2030-01-01' }, 'fireTime must be a valid Date, but is "2030-01-01"'],
    [{ signal: {} }, 'signal must be an AbortSignal'],
    [{ token: 1 }, 'token must be a bigint, but is 1'],
    [{ trigger: 'manual' }, 'trigger must be "schedule" or an object with an id, but is "manual"'],
    [{ props: { a: 1 } }, 'props must be texts by name'],
    [{ checkpoint: {} }, 'checkpoint must be a Checkpoint'],
    [{ isMoving: true }, 'isMoving must be a function, but is true'],
    [{ sharding: 1 }, 'sharding is not an option of createShardingContext'],
  ])('is refused with the wrong field %j', (fields, fault) => {
    expect(() => createShardingContext(fields)).toThrow(fault);
  });
});
