import { describe, expect, it } from 'vitest';
import { LeaseLostError, type JobHandler, type ShardingContext } from '../domain/index.js';
import { aborted, all, fail, FIRE_TIME, inOrderOfItems, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';

describe('JobExecutor', () => {
  it('gives each item of a lease a context of its own', async () => {
    const { lease, run } = setUp({
      items: [1, 2],
      options: { shardingTotalCount: 4, shardingItemParameters: '1=Shanghai', jobParameter: 'all' },
    });
    const contexts: ShardingContext[] = [];

    const outcomes = await all(run((context) => contexts.push(context)));

    expect(outcomes).toEqual([
      { item: 1, outcome: SUCCEEDED },
      { item: 2, outcome: SUCCEEDED },
    ]);
    expect(
      contexts.map(({ shardingItem, shardingParameter, token }) => [shardingItem, shardingParameter, token]),
    ).toEqual([
      [1, 'Shanghai', 101n],
      [2, undefined, 102n],
    ]);
    expect(contexts[0]).toMatchObject({
      jobName: lease.jobName,
      taskId: 'settle-orders@-@1,2@-@READY@-@10.0.0.1@-@1-s1',
      jobParameter: 'all',
      shardingTotalCount: 4,
      fireTime: new Date(FIRE_TIME),
      source: 'NORMAL_TRIGGER',
      trigger: 'schedule',
      attempt: 1,
      tokenEpoch: 3,
    });
  });

  it('protects an item, and its siblings, from a handler that changes its context', async () => {
    const { run } = setUp({ items: [0, 1] });
    const fireTimes: number[] = [];

    const outcomes = await all(
      run((context) => {
        context.fireTime.setTime(0);
        fireTimes.push(context.fireTime.getTime());
        Object.assign(context, { shardingItem: 7 });
      }),
    );

    expect(fireTimes).toEqual([FIRE_TIME, FIRE_TIME]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      { kind: 'failed', error: expect.any(TypeError) },
      { kind: 'failed', error: expect.any(TypeError) },
    ]);
  });

  it('answers a handler that asserts a lost item as the lease does', async () => {
    const { lease, run } = setUp({ items: [0, 1] });
    lease.lost.add(1);

    const outcomes = await all(run((context) => context.assertHeld()));

    expect(inOrderOfItems(outcomes)).toEqual([
      { item: 0, outcome: SUCCEEDED },
      { item: 1, outcome: { kind: 'failed', error: new LeaseLostError(lease.jobName, 1) } },
    ]);
  });

  it('starts items of different length in order, and yields them as they end', async () => {
    const { clock, run } = setUp({ items: [0, 1, 2] });
    const started: number[] = [];

    const outcomes = all(
      run(async ({ shardingItem }) => {
        started.push(shardingItem);
        await clock.sleep(300 - 100 * shardingItem);
      }),
    );
    await clock.advance(300);

    expect(started).toEqual([0, 1, 2]);
    expect((await outcomes).map(({ item }) => item)).toEqual([2, 1, 0]);
  });

  it('starts the next items as others end, never more than two at a time with a concurrency of 2', async () => {
    const { clock, run } = setUp({ items: [0, 1, 2, 3, 4], options: { concurrency: 2 } });
    const log: string[] = [];

    const outcomes = all(
      run(async ({ shardingItem }) => {
        log.push(`${clock.monotonicNow()}: ${shardingItem}`);
        await clock.sleep(shardingItem === 0 ? 250 : 100);
      }),
    );
    await clock.advance(1_000);

    expect(log).toEqual(['0: 0', '0: 1', '100: 2', '200: 3', '250: 4']);
    expect((await outcomes).map(({ item }) => item)).toEqual([1, 2, 0, 3, 4]);
  });

  it('shares the concurrency of a job between two leases that run at the same time', async () => {
    const { clock, run } = setUp({ items: [0, 1, 2], options: { concurrency: 2 } });
    let atATime = 0;
    let most = 0;
    const handler: JobHandler = async () => {
      most = Math.max(most, ++atATime);
      await clock.sleep(100);
      atATime -= 1;
    };

    const outcomes = Promise.all([all(run(handler)), all(run(handler))]);
    await clock.advance(1_000);

    expect(most).toBe(2);
    expect((await outcomes).map((ended) => ended.length)).toEqual([3, 3]);
  });

  it.each<[string, unknown, JobHandler]>([
    ['throws', new Error('broken'), () => fail(new Error('broken'))],
    ['throws undefined', undefined, () => fail(undefined)],
    ['rejects', new Error('broken'), () => Promise.reject(new Error('broken'))],
    ['rejects with undefined', undefined, () => Promise.reject()],
    ['returns a thenable that throws', new Error('broken'), () => thenable(() => fail(new Error('broken')))],
    ['returns a thenable that rejects', 'no', () => thenable((_resolve, reject) => reject('no'))],
    ['returns what throws when looked at', new Error('broken'), () => brokenThenable()],
  ])('fails only the item whose handler %s, not its siblings', async (...row) => {
    const [, error, handler] = row;
    const { run, openEnds } = setUp({ items: [0, 1, 2] });

    const outcomes = await all(run((context) => (context.shardingItem === 1 ? handler(context) : undefined)));

    expect(inOrderOfItems(outcomes)).toEqual([
      { item: 0, outcome: SUCCEEDED },
      { item: 1, outcome: { kind: 'failed', error } },
      { item: 2, outcome: SUCCEEDED },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('yields the siblings of an item that never settles, and the item once it returns', async () => {
    const { clock, run } = setUp({ items: [0, 1, 2] });
    const stuck = new AbortController();
    const yielded: number[] = [];
    const consume = async (): Promise<void> => {
      const outcomes = run(({ shardingItem }) => (shardingItem === 0 ? aborted(stuck.signal) : undefined));
      for await (const { item } of outcomes) yielded.push(item);
    };

    const consumed = consume();
    await clock.advance(3_600_000);
    const yieldedWhileStuck = [...yielded];
    stuck.abort();
    await consumed;

    expect(yieldedWhileStuck).toEqual([1, 2]);
    expect(yielded).toEqual([1, 2, 0]);
  });
});

type Then = (resolve: () => void, reject: (error: unknown) => void) => void;

function thenable(then: Then) {
  // oxlint-disable-next-line unicorn/no-thenable -- a handler may return one
  return { then };
}

function brokenThenable() {
  // oxlint-disable-next-line unicorn/no-thenable -- a handler may return one
  return Object.defineProperty({}, 'then', { get: () => fail(new Error('broken')) });
}
