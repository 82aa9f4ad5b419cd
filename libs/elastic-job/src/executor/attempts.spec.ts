import { all, fail, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';
import { describe, expect, it } from 'vitest';
import { type JobOptions, JobTimeoutError, LeaseLostError } from '../domain/index.js';

const RETRIES: Partial<JobOptions> = { maxAttempts: 3, retryDelayMs: 100, retryJitter: 0 };

describe('Retries', () => {
  it('retries a handler that fails twice, after growing pauses, until it succeeds', async () => {
    const { clock, run, retried, openEnds } = setUp({ items: [0], options: RETRIES });
    const attempts: unknown[] = [];

    const outcomes = all(
      run(({ attempt }) => {
        attempts.push([attempt, clock.monotonicNow()]);
        if (attempt < 3) throw new Error(`attempt ${attempt}`);
      }),
    );
    await clock.advance(300);

    expect(attempts).toEqual([
      [1, 0],
      [2, 100],
      [3, 300],
    ]);
    expect(await outcomes).toEqual([{ item: 0, outcome: SUCCEEDED }]);
    expect(retried).toEqual([
      { item: 0, attempt: 2, error: new Error('attempt 1'), delayMs: 100 },
      { item: 0, attempt: 3, error: new Error('attempt 2'), delayMs: 200 },
    ]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('shortens the pauses between attempts at random if a jitter is set', async () => {
    const { clock, run, retried } = setUp({
      items: [0, 1, 2],
      options: { ...RETRIES, retryJitter: 1, maxAttempts: 2 },
    });

    const outcomes = all(run(() => fail(new Error('down'))));
    await clock.advance(100);

    const delays = retried.map(({ delayMs }) => delayMs);
    expect(new Set(delays).size).toBe(3);
    expect(delays.every((delayMs) => delayMs >= 0 && delayMs <= 100)).toBe(true);
    expect(await outcomes).toHaveLength(3);
  });

  it('gives the place of an item to another one while it waits for its next attempt', async () => {
    const { clock, run } = setUp({ items: [0, 1], options: { ...RETRIES, concurrency: 1 } });
    const log: string[] = [];

    const outcomes = all(
      run(async ({ shardingItem, attempt }) => {
        log.push(`${clock.monotonicNow()}: item ${shardingItem}, attempt ${attempt}`);
        if (shardingItem === 1) await clock.sleep(250);
        else if (attempt === 1) throw new Error('down');
      }),
    );
    await clock.advance(250);

    expect(log).toEqual(['0: item 0, attempt 1', '0: item 1, attempt 1', '250: item 0, attempt 2']);
    expect((await outcomes).map(({ item }) => item)).toEqual([1, 0]);
  });

  it('ends with the last failure at once if the time limit comes before the next attempt', async () => {
    const { clock, run } = setUp({ items: [0], options: { ...RETRIES, timeoutMs: 150, retryFactor: 1 } });

    const outcomes = run(({ attempt }) => fail(new Error(`attempt ${attempt}`))).next();
    await clock.advance(100);

    expect((await outcomes).value).toEqual({ item: 0, outcome: { kind: 'failed', error: new Error('attempt 2') } });
  });

  it('fails an item with a time-out if its time limit ends within a later attempt', async () => {
    const { clock, run } = setUp({ items: [0], options: { ...RETRIES, timeoutMs: 150 } });

    const outcomes = run(({ attempt }) => (attempt === 1 ? fail(new Error('down')) : clock.sleep(60))).next();
    await clock.advance(160);

    expect((await outcomes).value).toEqual({
      item: 0,
      outcome: { kind: 'failed', error: new JobTimeoutError('settle-orders', 0, 150) },
    });
  });

  it('ends with the last failure if the time limit comes while the item queues for a place', async () => {
    const options = { ...RETRIES, timeoutMs: 150, concurrency: 1 };
    const { clock, run, openEnds } = setUp({ items: [0, 1], options });

    const outcomes = all(run(({ shardingItem }) => (shardingItem === 0 ? fail(new Error('down')) : clock.sleep(400))));
    await clock.advance(400);

    expect((await outcomes)[0]).toEqual({ item: 0, outcome: { kind: 'failed', error: new Error('down') } });
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('aborts an item that waits for its next attempt, and does not try it again', async () => {
    const { clock, lease, run, openEnds } = setUp({ items: [0], options: RETRIES });
    const reason = new Error('session lost');
    let attempts = 0;

    const outcomes = all(run(() => fail(new Error(`attempt ${++attempts}`))));
    await clock.advance(50);
    lease.abort(reason);

    expect(await outcomes).toEqual([{ item: 0, outcome: { kind: 'aborted', reason } }]);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
    await clock.advance(1_000);
    expect(attempts).toBe(1);
  });

  it('aborts an item that waits for its next attempt alone: another that queues for a place runs', async () => {
    const { clock, lease, run } = setUp({ items: [0, 1, 2], options: { ...RETRIES, concurrency: 1 } });
    const reason = new Error('cancelled');

    const outcomes = all(run(({ shardingItem }) => (shardingItem === 0 ? fail(new Error('down')) : clock.sleep(10))));
    await clock.advance(5);
    lease.abortItem(0, reason);
    await clock.advance(100);

    expect(await outcomes).toEqual([
      { item: 0, outcome: { kind: 'aborted', reason } },
      { item: 1, outcome: SUCCEEDED },
      { item: 2, outcome: SUCCEEDED },
    ]);
  });

  it('does not retry under a lease that no longer holds, though its signal is late', async () => {
    const { clock, lease, run, retried } = setUp({ items: [0], options: RETRIES });

    const outcomes = all(
      run(() => {
        lease.lost.add(0);
        throw new Error('down');
      }),
    );
    await clock.advance(1_000);

    expect((await outcomes)[0]?.outcome).toEqual({ kind: 'failed', error: new Error('down') });
    expect(retried).toEqual([]);
    expect(() => lease.assertHeld(0)).toThrow(LeaseLostError);
  });
});

describe('attempts that others have made', () => {
  it('count towards the allowed number of attempts', async () => {
    const { clock, run } = setUp({ items: [0], options: RETRIES }, { formerAttempts: 2 });
    const attempts: number[] = [];

    const outcomes = all(run(({ attempt }) => fail(new Error(`attempt ${attempts.push(attempt)}`))));
    await clock.advance(1_000);
    expect([attempts, (await outcomes).length]).toEqual([[3], 1]);
  });
});
