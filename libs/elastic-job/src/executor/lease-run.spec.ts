import { describe, expect, it } from 'vitest';
import { JobTimeoutError, resolveJobOptions, type ShardingContext, type ShardOutcome } from '../domain/index.js';
import { FairTurns } from '../turns/index.js';
import { JobExecutor } from './job-executor.js';
import {
  aborted,
  all,
  fail,
  HUNG_GRACE_MS,
  inOrderOfItems,
  setUp,
  SUCCEEDED,
} from '@test/support/unit/hand-made-lease.js';

describe('LeaseRun', () => {
  it.each<[string, (context: ShardingContext) => void]>([
    ['returns', () => {}],
    ['throws', ({ signal }) => signal.throwIfAborted()],
  ])('aborts an item whose running handler %s after the lease was aborted', async (_how, end) => {
    const { clock, lease, run, openEnds } = setUp({ items: [0, 1] });
    const reason = new Error('session lost');

    const outcomes = all(
      run(async (context) => {
        await (context.shardingItem === 0 ? clock.sleep(10) : aborted(context.signal));
        end(context);
      }),
    );
    await clock.advance(20);
    lease.abort(reason);

    expect(await outcomes).toEqual([
      { item: 0, outcome: SUCCEEDED },
      { item: 1, outcome: { kind: 'aborted', reason } },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('yields waiting items unstarted when the lease aborts, while a slot is held for ever', async () => {
    const { lease, run } = setUp({ items: [0, 1, 2], options: { concurrency: 1 } });
    const reason = new Error('session lost');
    const started: number[] = [];

    const outcomes = run(({ shardingItem }) => {
      started.push(shardingItem);
      return new Promise(() => {});
    });
    const first = outcomes.next();
    lease.abort(reason);

    expect((await first).value).toEqual({ item: 1, outcome: { kind: 'aborted', reason } });
    expect((await outcomes.next()).value).toEqual({ item: 2, outcome: { kind: 'aborted', reason } });
    expect(started).toEqual([0]);
  });

  it('does not try an item again while the registry does not answer', async () => {
    const { clock, lease, run } = setUp({ items: [0], options: { maxAttempts: 2 } });
    let attempts = 0;
    const outcomes = all(run(() => ((attempts += 1) === 1 ? Promise.reject(new Error('once')) : undefined)));

    await clock.advance(0);
    lease.answer(false);
    await clock.advance(60_000);
    expect(attempts).toBe(1);
    lease.answer(true);

    expect(await outcomes).toEqual([{ item: 0, outcome: SUCCEEDED }]);
  });

  it('starts no sibling that is due when a handler aborts the lease at once', async () => {
    const { lease, run } = setUp({ items: [0, 1] });
    const reason = new Error('stop');
    const started: number[] = [];

    const outcomes = await all(
      run(({ shardingItem }) => {
        started.push(shardingItem);
        lease.abort(reason);
      }),
    );

    expect(started).toEqual([0]);
    expect(outcomes).toEqual([
      { item: 1, outcome: { kind: 'aborted', reason } },
      { item: 0, outcome: { kind: 'aborted', reason } },
    ]);
  });

  it('starts nothing and aborts every item if the lease is over already', async () => {
    const { lease, run, openEnds } = setUp({ items: [0, 1] });
    const reason = new Error('session lost');
    lease.abort(reason);

    const outcomes = await all(run(() => fail(new Error('must not start'))));

    expect(outcomes).toEqual([
      { item: 0, outcome: { kind: 'aborted', reason } },
      { item: 1, outcome: { kind: 'aborted', reason } },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it.each<[string, (context: ShardingContext) => void]>([
    ['returns', () => {}],
    ['throws', () => fail(new Error('interrupted'))],
  ])('fails an item with a time-out if its handler %s after the time limit', async (_how, end) => {
    const { clock, run, openEnds } = setUp({ items: [0, 1], options: { timeoutMs: 100 } });

    const outcomes = all(
      run(async (context) => {
        await (context.shardingItem === 0 ? clock.sleep(99) : aborted(context.signal));
        if (context.shardingItem === 1) end(context);
      }),
    );
    await clock.advance(100);

    expect(await outcomes).toEqual([
      { item: 0, outcome: SUCCEEDED },
      { item: 1, outcome: { kind: 'failed', error: new JobTimeoutError('settle-orders', 1, 100) } },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('counts the time limit of an item from its own start, not from its wait for a slot', async () => {
    const { clock, run } = setUp({ items: [0, 1, 2], options: { timeoutMs: 100, concurrency: 1 } });

    const outcomes = all(run(() => clock.sleep(90)));
    await clock.advance(270);

    expect((await outcomes).map(({ outcome }) => outcome)).toEqual([SUCCEEDED, SUCCEEDED, SUCCEEDED]);
  });

  it('keeps the time-out as the outcome if the lease aborts afterwards', async () => {
    const { clock, lease, run } = setUp({ items: [0], options: { timeoutMs: 100 } });

    const outcomes = all(run(() => clock.sleep(200)));
    await clock.advance(150);
    lease.abort(new Error('session lost'));
    await clock.advance(50);

    expect((await outcomes)[0]?.outcome).toEqual({
      kind: 'failed',
      error: new JobTimeoutError('settle-orders', 0, 100),
    });
  });

  it('ends an item that is aborted alone, running or waiting, while its siblings go on', async () => {
    const { clock, lease, run, openEnds } = setUp({ items: [0, 1, 2, 3], options: { concurrency: 2 } });
    const [first, second] = [new Error('cancelled'), new Error('cancelled while it waited')];

    const started: number[] = [];

    const outcomes = all(
      run(({ signal, shardingItem }) => {
        started.push(shardingItem);
        return shardingItem === 0 ? aborted(signal) : clock.sleep(10);
      }),
    );
    lease.abortItem(0, first);
    lease.abortItem(3, second);
    await clock.advance(20);

    expect(started).toEqual([0, 1, 2]);
    expect(inOrderOfItems(await outcomes)).toEqual([
      { item: 0, outcome: { kind: 'aborted', reason: first } },
      { item: 1, outcome: SUCCEEDED },
      { item: 2, outcome: SUCCEEDED },
      { item: 3, outcome: { kind: 'aborted', reason: second } },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('ends an item that has waited, and is aborted while it runs, once: when its handler returns', async () => {
    const { clock, lease, run } = setUp({ items: [0, 1], options: { concurrency: 1 } });
    const reason = new Error('cancelled');

    const outcomes = all(run(() => clock.sleep(10)));
    await clock.advance(15);
    lease.abortItem(1, reason);
    await clock.advance(4);
    let isOver = false;
    void outcomes.then(() => (isOver = true));
    await clock.advance(0);
    expect(isOver).toBe(false);
    await clock.advance(1);

    expect(await outcomes).toEqual([
      { item: 0, outcome: SUCCEEDED },
      { item: 1, outcome: { kind: 'aborted', reason } },
    ]);
  });

  it('aborts every item if the lease is over already, although the registry does not answer', async () => {
    const { lease, run, openEnds } = setUp({ items: [0, 1] });
    const reason = new Error('session lost');
    lease.answer(false);
    lease.abort(reason);

    expect(await all(run(() => {}))).toEqual([
      { item: 0, outcome: { kind: 'aborted', reason } },
      { item: 1, outcome: { kind: 'aborted', reason } },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('lets the event loop turn between handlers that take its time', async () => {
    const { clock, lease } = setUp({ items: [0, 1, 2, 3] });
    let spentMs = 0;
    const turns = new FairTurns({ monotonicNow: () => spentMs, nextTurn: () => clock.nextTurn() });
    const executor = new JobExecutor(clock, { tokenEpoch: 3, hungGraceMs: HUNG_GRACE_MS }, turns);
    const configuration = resolveJobOptions({ name: lease.jobName, shardingTotalCount: 4 }, { place: 'spec' });
    const started: number[] = [];
    const handler = ({ shardingItem }: ShardingContext): void => {
      started.push(shardingItem);
      spentMs += 30;
    };

    const run = executor.run(lease, { configuration, handler }, () => {});

    expect(started).toEqual([0, 1]);
    await clock.advanceUntil(run);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('tries again, and gives up a hung handler, for a caller that wants no notice of either', async () => {
    const { clock, executor, lease } = setUp({ items: [0] });
    const configuration = resolveJobOptions(
      { name: lease.jobName, shardingTotalCount: 1, concurrency: 1, maxAttempts: 2, onHung: 'release' },
      { place: 'spec' },
    );
    const handler = ({ attempt }: ShardingContext) =>
      attempt === 1 ? fail(new Error('once')) : clock.sleep(1_000_000);
    const outcomes: ShardOutcome[] = [];

    const run = executor.run(lease, { configuration, handler }, (_item, outcome) => void outcomes.push(outcome));
    await clock.advance(60_000);
    lease.abort(new Error('drain'));
    await clock.advanceUntil(run);

    expect(outcomes).toMatchObject([{ kind: 'aborted', reason: { code: 'HANDLER_HUNG' } }]);
  });

  it('reports a hung handler once, and waits for its outcome', async () => {
    const { clock, lease, run, hung, returned } = setUp({ items: [0] });
    const reason = new Error('drain');
    const startedAt = clock.wallNow();

    const outcomes = all(run(() => clock.sleep(100_000)));
    await clock.advance(10);
    lease.abort(reason);
    await clock.advance(HUNG_GRACE_MS - 1);
    expect(hung).toEqual([]);
    await clock.advance(1);
    expect(hung).toEqual([{ item: 0, since: startedAt + 10, reason, isReleased: false }]);
    expect(returned).toEqual([]);
    await clock.advance(100_000);

    expect(await outcomes).toEqual([{ item: 0, outcome: { kind: 'aborted', reason } }]);
    expect([hung.length, returned]).toEqual([1, [0]]);
  });

  it("yields the hung item with onHung: 'release', keeps its slot, and ignores its later result", async () => {
    const options = { timeoutMs: 100, concurrency: 1, onHung: 'release' } as const;
    const { clock, run, returned } = setUp({ items: [0, 1], options });

    const outcomes = run(({ shardingItem }) => (shardingItem === 0 ? clock.sleep(100_000) : undefined));
    const first = outcomes.next();
    await clock.advance(100 + HUNG_GRACE_MS);

    expect((await first).value).toMatchObject({
      item: 0,
      outcome: { kind: 'aborted', reason: { code: 'HANDLER_HUNG', cause: { code: 'JOB_TIMEOUT' } } },
    });
    const second = outcomes.next();
    await clock.advance(1_000);
    expect(returned).toEqual([]);
    await clock.advance(100_000);
    expect((await second).value).toEqual({ item: 1, outcome: SUCCEEDED });
    expect(returned).toEqual([0, 1]);
    expect((await outcomes.next()).done).toBe(true);
  });

  it('reports nothing and leaves no timer for a hung handler that is to be forgotten', async () => {
    const { clock, lease, run, executor, hung, openEnds } = setUp({ items: [0] });

    void run(() => new Promise(() => {})).next();
    lease.abort(new Error('drain'));
    executor.forgetHung();
    await clock.advance(2 * HUNG_GRACE_MS);

    expect(hung).toEqual([]);
    expect(openEnds().timers).toBe(0);
  });

  it('rejects once all items have ended if the callback for one of them throws', async () => {
    const { executor, lease } = setUp({ items: [0, 1] });
    const configuration = resolveJobOptions({ name: lease.jobName, shardingTotalCount: 2 }, { place: 'spec' });
    const told: number[] = [];
    const onEnded = (item: number) => {
      told.push(item);
      if (item === 0) fail(new Error('not told'));
    };
    await expect(executor.run(lease, { configuration, handler: () => {} }, onEnded)).rejects.toEqual(
      new Error('not told'),
    );
    expect(told).toEqual([0, 1]);
  });
});
