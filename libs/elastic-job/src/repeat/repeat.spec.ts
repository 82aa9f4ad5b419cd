import { describe, expect, it } from 'vitest';
import { messageOf } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { BackOff, keepRounds, type RacePolicy, repeat, type RepeatPolicy } from './repeat.js';

describe('work that is repeated', () => {
  it('is tried until it succeeds, after pauses that grow', async () => {
    const { clock, failures, policy } = setUp();
    const attempts: number[] = [];

    const done = repeat(policy, async (attempt) => {
      attempts.push(clock.monotonicNow());
      if (attempt < 4) throw new Error(`attempt ${attempt}`);
      return 'done';
    });

    expect(await clock.advanceUntil(done)).toBe('done');
    const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
    expect(pauses.map((ms, index) => ms >= 50 * 2 ** index && ms <= 100 * 2 ** index)).toEqual([true, true, true]);
    expect(failures).toEqual(['1: attempt 1', '2: attempt 2', '3: attempt 3']);
  });

  it('is tried no more after an error that the policy does not repeat', async () => {
    const { failures, policy } = setUp({ isRepeated: (error) => !(error instanceof TypeError) });

    await expect(repeat(policy, () => Promise.reject(new TypeError('wrong')))).rejects.toThrow('wrong');

    expect(failures).toEqual([]);
  });

  it('gives its last failure to the caller after the most attempts', async () => {
    const { clock, failures, policy } = setUp({ mostAttempts: 3 });

    const done = repeat(policy, (attempt) => Promise.reject(new Error(`attempt ${attempt}`)));

    await expect(clock.advanceUntil(done)).rejects.toThrow('attempt 3');
    expect(failures).toHaveLength(2);
  });

  it('ends with its signal, in a pause and before an attempt', async () => {
    const { clock, ending, policy } = setUp();
    let attempts = 0;
    const fail = async () => {
      attempts += 1;
      throw new Error('no answer');
    };

    const pausing = repeat(policy, fail);
    await clock.advance(10);
    ending.abort(new Error('the process stops'));
    await expect(pausing).rejects.toThrow('the process stops');
    await expect(repeat(policy, fail)).rejects.toThrow('the process stops');

    expect([attempts, clock.pendingTimers]).toEqual([2, 0]);
  });

  it('waits as its policy says, and ends if another attempt never makes sense', async () => {
    const { policy } = setUp({ wait: async () => false });

    await expect(repeat(policy, () => Promise.reject(new Error('closed')))).rejects.toThrow('closed');
  });

  it('prepares each further attempt as a part of it', async () => {
    const prepared: string[] = [];
    const prepare = async () => {
      prepared.push('read');
      if (prepared.length === 1) throw new Error('no answer');
    };
    const { clock, failures, policy } = setUp({ prepare });

    const done = repeat(policy, async (attempt) => {
      if (attempt === 1) throw new Error('refused');
      return attempt;
    });

    expect(await clock.advanceUntil(done)).toBe(3);
    expect(failures).toEqual(['1: refused', '2: no answer']);
  });

  it('tells once that it is over, however it ends', async () => {
    const over: string[] = [];
    const { policy } = setUp({ onEnd: () => over.push('over'), isRepeated: () => false });

    await repeat(policy, async () => 'done');
    await repeat(policy, () => Promise.reject(new Error('broken'))).catch(() => {});

    expect(over).toEqual(['over', 'over']);
  });
});

describe('work that races with others', () => {
  it('is tried again after lost races, and its failure says that there are too many', async () => {
    const { clock, policy } = setUp({ mostAttempts: 3 });
    const races: RacePolicy = { ...policy, lostRace: () => new Error('others are faster') };

    const won = repeat(races, async (attempt) => (attempt === 3 ? 'won' : undefined));
    expect(await clock.advanceUntil(won)).toBe('won');
    const lost = repeat(races, async () => undefined);
    await expect(clock.advanceUntil(lost)).rejects.toThrow('others are faster');
  });
});

function setUp(changes: Partial<RepeatPolicy> = {}) {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const failures: string[] = [];
  const policy: RepeatPolicy = {
    signal: ending.signal,
    backOff: new BackOff(clock, { firstMs: 100, longestMs: 10_000 }),
    onFailure: (error, attempt) => failures.push(`${attempt}: ${messageOf(error)}`),
    ...changes,
  };
  return { clock, ending, failures, policy };
}

it('doubles its pauses up to the longest, and leaves half of each to chance', () => {
  const backOff = new BackOff(new VirtualClock(), { firstMs: 100, longestMs: 1_000 });

  for (const bound of [100, 200, 400, 800, 1_000, 1_000]) {
    backOff.failed();
    const pauses = Array.from({ length: 50 }, () => backOff.nextMs());
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(bound / 2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(bound);
    expect(new Set(pauses).size).toBeGreaterThan(10);
  }
});

it('makes no pause after a success, and cuts one short when the signal aborts', async () => {
  const clock = new VirtualClock();
  const backOff = new BackOff(clock, { firstMs: 100, longestMs: 1_000 });
  const ending = new AbortController();

  backOff.failed();
  const pause = backOff.pause(ending.signal);
  ending.abort();
  await pause;
  backOff.succeeded();

  expect(backOff.nextMs()).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

it('does its work in rounds, also after one that fails, until its signal aborts', async () => {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const rounds: number[] = [];
  const errors: unknown[] = [];
  const work = async () => {
    rounds.push(clock.monotonicNow());
    if (rounds.length === 2) throw new Error('broken');
  };
  const options = {
    clock,
    signal: ending.signal,
    longestMs: 1_000,
    spread: 0.5,
    onError: (e: unknown) => errors.push(e),
  };

  const over = keepRounds(work, options);
  await clock.advance(4_000);
  ending.abort();
  await over;
  const pauses = rounds.map((at, index) => at - (rounds[index - 1] ?? 0));

  expect(pauses.every((ms) => ms >= 500 && ms <= 1_000)).toBe(true);
  expect([rounds.length >= 4, errors, clock.pendingTimers]).toEqual([true, [new Error('broken')], 0]);
});
