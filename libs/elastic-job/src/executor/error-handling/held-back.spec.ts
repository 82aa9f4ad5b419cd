import { describe, expect, it } from 'vitest';
import type { FailureReport, JobFailure } from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { HeldBack } from './held-back.js';

const WINDOW_MS = 60_000;

function setUp() {
  const clock = new VirtualClock();
  const told: FailureReport[] = [];
  const heldBack = new HeldBack<string>(clock, WINDOW_MS, (report) => void told.push(report));
  const fail = (error: unknown = 'down', jobName = 'j') => heldBack.add(failureOf(error, jobName), 'settings');
  return { clock, told, heldBack, fail, counts: () => told.map(({ count }) => count) };
}

function failureOf(error: unknown, jobName: string): JobFailure {
  return { jobName, item: 0, taskId: 't', fireTime: 0, source: 'NORMAL_TRIGGER', error };
}

describe('HeldBack', () => {
  it('given a thousand failures of one kind, when they come at once, then one is told, and the others with their number when the window ends', async () => {
    const { clock, fail, counts, told } = setUp();
    for (let failure = 0; failure < 1_000; failure += 1) fail(`order ${failure} is locked`);
    expect(counts()).toEqual([1]);
    await clock.advance(WINDOW_MS);
    expect(counts()).toEqual([1, 999]);
    expect(told.at(-1)).toMatchObject({ error: 'order 999 is locked' });
  });

  it('given a failure each second, when it goes on for an hour, then each minute one report tells of sixty', async () => {
    const { clock, fail, counts, told } = setUp();
    for (let second = 0; second < 3_600; second += 1) {
      fail();
      await clock.advance(1_000);
    }
    expect(counts()).toEqual([1, ...Array.from({ length: 60 }, (_, minute) => (minute === 0 ? 59 : 60))]);
    expect(told.at(-1)!.until - told.at(-1)!.since).toBe(59_000);
  });

  it('given a kind that stays away for a window, when it comes back, then it is told at once', async () => {
    const { clock, fail, counts, heldBack } = setUp();
    fail();
    await clock.advance(WINDOW_MS);
    expect(heldBack.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    fail();
    expect(counts()).toEqual([1, 1]);
  });

  it('given kinds that began at different times, when their windows end, then each is told in its own time', async () => {
    const { clock, fail, told } = setUp();
    const log = () => told.map(({ error, count }) => `${String(error)} x${count}`);
    fail('a');
    await clock.advance(10_000);
    fail('b');
    fail('b');
    fail('a');
    await clock.advance(49_999);
    expect(log()).toEqual(['a x1', 'b x1']);
    await clock.advance(1);
    expect(log()).toEqual(['a x1', 'b x1', 'a x1']);
    await clock.advance(10_000);
    expect(log()).toEqual(['a x1', 'b x1', 'a x1', 'b x1']);
  });

  it('given the same error of two jobs, when it is told, then each job is told of', () => {
    const { fail, told } = setUp();
    fail('down', 'a');
    fail('down', 'b');
    expect(told.map(({ jobName }) => jobName)).toEqual(['a', 'b']);
  });

  it('given more kinds than are remembered, when they come, then memory is bounded and nothing that is held is lost', () => {
    const { fail, heldBack, told } = setUp();
    const nameOf = (kind: number) => `kind ${String.fromCodePoint(0x4e00 + kind)}`;
    for (let kind = 0; kind < 5_000; kind += 1) {
      fail(nameOf(kind));
      fail(nameOf(kind));
    }
    expect(heldBack.size).toBe(1_000);
    heldBack.end();
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  });

  it('given failures that are held, when it ends, then they are told, no timer is left, and nothing is held any more', () => {
    const { clock, fail, counts, heldBack } = setUp();
    fail();
    fail();
    fail();
    heldBack.end();
    expect(counts()).toEqual([1, 2]);
    fail();
    fail();
    expect(counts()).toEqual([1, 2, 1, 1]);
    expect(clock.pendingTimers).toBe(0);
  });
});
