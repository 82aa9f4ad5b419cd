import { describe, expect, it } from 'vitest';
import { messageOf } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { Reconcilers } from './reconciler.js';

const PAUSES = { firstMs: 1_000, longestMs: 30_000 };

describe('work on many things, each by its key', () => {
  it('runs a key once at a time, and once more if it is woken during its run', async () => {
    const { ends, reconcilers, runs } = setUp({ atOnce: 5 });

    for (let event = 0; event < 100; event += 1) reconcilers.wake('a');
    expect(runs).toEqual(['a']);
    await ends('a');
    expect(runs).toEqual(['a', 'a']);
    await ends('a');

    expect(runs).toEqual(['a', 'a']);
  });

  it('works on no more keys at once than it may, and on the others in the order of their wakes', async () => {
    const { ends, reconcilers, runs } = setUp({ atOnce: 2 });

    for (const key of ['a', 'b', 'c', 'd']) reconcilers.wake(key);
    expect(runs).toEqual(['a', 'b']);
    await ends('b');
    expect(runs).toEqual(['a', 'b', 'c']);
    await ends('a');

    expect(runs).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives the place of a key that pauses to others', async () => {
    const { clock, ends, reconcilers, runs } = setUp({ atOnce: 1 });

    for (const key of ['a', 'b']) reconcilers.wake(key);
    await ends('a', new Error('broken'));
    expect(runs).toEqual(['a', 'b']);
    await clock.advance(PAUSES.longestMs);
    expect(runs).toEqual(['a', 'b']);
    await ends('b');

    expect(runs).toEqual(['a', 'b', 'a']);
  });

  it('runs a key again after the time that its run asks for, and at once if a wake came during the run', async () => {
    const { clock, ends, reconcilers, runs } = setUp({ atOnce: 1 });

    reconcilers.wake('a');
    await ends('a', 500);
    reconcilers.wake('a');
    await clock.advance(499);
    expect(runs).toEqual(['a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'a']);
    reconcilers.wake('a');
    await ends('a', 500);

    expect(runs).toEqual(['a', 'a', 'a']);
  });
});

describe('a key whose runs fail', () => {
  it('is tried again after pauses that double up to 30 s, and told once while it fails in the same way', async () => {
    const { clock, reconcilers, told, tries } = failing(() => 'broken');

    reconcilers.wake('a');
    for (let seconds = 0; seconds < 300; seconds += 1) {
      reconcilers.wake('a');
      await clock.advance(1_000);
    }

    const pauses = tries.slice(1).map((at, index) => at - tries[index]!);
    const bounds = pauses.map((_, index) => Math.min(30_000, 1_000 * 2 ** index));
    expect(pauses.every((ms, index) => ms >= bounds[index]! / 2 && ms <= bounds[index]!)).toBe(true);
    expect(pauses.length).toBeGreaterThan(9);
    expect(told).toEqual(['a: broken']);
  });

  it('is told again if it fails in another way, or after a success', async () => {
    const { clock, reconcilers, told } = failing((run) => ['broken', 'refused', undefined, 'refused'][run - 1]);

    reconcilers.wake('a');
    await clock.advance(10_000);
    reconcilers.wake('a');
    await clock.advance(0);

    expect(told).toEqual(['a: broken', 'a: refused', 'a: refused']);
  });

  it('is tried at once, and told again, if it was forgotten', async () => {
    const { clock, reconcilers, told, tries } = failing(() => 'broken');

    reconcilers.wake('a');
    await clock.advance(0);
    reconcilers.forget('a');
    reconcilers.wake('a');
    await clock.advance(0);

    expect([tries.length, told]).toEqual([2, ['a: broken', 'a: broken']]);
  });

  it.each(['clear', 'stop'] as const)('is not tried again after a %s', async (end) => {
    const { clock, reconcilers, tries } = failing(() => 'broken');

    for (const key of ['a', 'b', 'c']) reconcilers.wake(key);
    await clock.advance(0);
    reconcilers[end]();
    await clock.advance(600_000);
    if (end === 'stop') reconcilers.wake('a');

    expect([tries.length, clock.pendingTimers]).toEqual([3, 0]);
  });
});

it('lets a run end that is under way at a stop, and neither tells nor repeats its failure', async () => {
  const { clock, ends, reconcilers, runs, told } = setUp({ atOnce: 1 });

  for (const key of ['a', 'b']) reconcilers.wake(key);
  reconcilers.stop();
  await ends('a', new Error('broken'));
  await clock.advance(600_000);

  expect([runs, told, clock.pendingTimers]).toEqual([['a'], [], 0]);
});

/** @param failureOf text of the failure of a run by its number; undefined if it succeeds */
function failing(failureOf: (run: number) => string | undefined) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const tries: number[] = [];
  const work = async () => {
    tries.push(clock.monotonicNow());
    const failure = failureOf(tries.length);
    if (failure !== undefined) throw new Error(failure);
    return undefined;
  };
  return { clock, told, tries, reconcilers: reconcilersOf(clock, work, told) };
}

/** Runs that end when the test says so. */
function setUp({ atOnce }: { readonly atOnce: number }) {
  const clock = new VirtualClock();
  const runs: string[] = [];
  const told: string[] = [];
  const endings = new Map<string, (result: number | undefined | Error) => void>();
  const work = (key: string) => {
    runs.push(key);
    return new Promise<number | undefined>((resolve, reject) => {
      endings.set(key, (result) => (result instanceof Error ? reject(result) : resolve(result)));
    });
  };
  const ends = async (key: string, result?: number | Error) => {
    endings.get(key)!(result);
    await clock.advance(0);
  };
  return { clock, runs, told, ends, reconcilers: reconcilersOf(clock, work, told, atOnce) };
}

function reconcilersOf(
  clock: VirtualClock,
  work: (key: string) => Promise<number | undefined>,
  told: string[],
  atOnce = 5,
): Reconcilers<string> {
  const onFailure = (key: string, error: unknown) => told.push(`${key}: ${messageOf(error)}`);
  return new Reconcilers({ clock, atOnce, pauses: PAUSES, work, onFailure });
}
