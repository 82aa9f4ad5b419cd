import { describe, expect, it } from 'vitest';
import { messageOf } from '../domain/index.js';
import { VirtualClock } from '../testing/index.js';
import { Reconciler, Reconcilers } from './reconciler.js';

const PAUSES = { firstMs: 1_000, longestMs: 30_000 };

describe('work that events wake', () => {
  it('runs once more if it is woken many times during a run', async () => {
    const { reaction, runs, finish } = gated();

    reaction.wake();
    for (let event = 0; event < 1_000; event++) reaction.wake();
    finish();
    await settled();
    expect(runs()).toBe(2);
    finish();
    await settled();

    expect(runs()).toBe(2);
  });

  it('runs again after it has failed, and reports the error', async () => {
    const errors: unknown[] = [];
    let runs = 0;
    const reaction = new Reconciler(
      new VirtualClock(),
      async () => {
        runs += 1;
        throw new Error(`run ${runs}`);
      },
      (error) => errors.push(error),
    );

    await reaction.wakeAndWait();
    await reaction.wakeAndWait();

    expect(errors).toMatchObject([{ message: 'run 1' }, { message: 'run 2' }]);
  });

  it('runs as a whole once more for a caller that waits during a run', async () => {
    const { reaction, runs, finish } = gated();
    reaction.wake();
    let isOver = false;
    const waiting = reaction.wakeAndWait().then(() => (isOver = true));

    finish();
    await settled();
    expect(isOver).toBe(false);
    finish();
    await waiting;

    expect(runs()).toBe(2);
  });

  it('runs once more, and not beside itself, if its own run wakes it', async () => {
    let [atOnce, most, runs] = [0, 0, 0];
    const work = async () => {
      most = Math.max(most, (atOnce += 1));
      if ((runs += 1) === 1) reaction.wake();
      await settled();
      atOnce -= 1;
    };
    const reaction = new Reconciler(new VirtualClock(), work, () => {});

    await reaction.wakeAndWait();

    expect([runs, most]).toEqual([2, 1]);
  });

  it('starts nothing after it is stopped, and lets a run end', async () => {
    const { reaction, runs, finish } = gated();
    reaction.wake();
    reaction.wake();

    reaction.stop();
    reaction.wake();
    finish();
    await settled();
    await reaction.wakeAndWait();

    expect(runs()).toBe(1);
  });
});

describe('work that fails although no event wakes it again', () => {
  it('is repeated after pauses that grow to 30 s, and reported once as long as it fails in the same way', async () => {
    const { clock, errors, reaction, runs } = failing(() => true);

    await clock.advanceUntil(reaction.wakeAndWait());
    const soon = runs();
    await clock.advance(60_000);
    const later = runs();
    await clock.advance(600_000);

    expect([soon, later > 5, runs() - later > 20, runs() - later < 45]).toEqual([1, true, true, true]);
    expect(errors).toHaveLength(1);
    reaction.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('is at rest after its first success, and pauses briefly after a later failure', async () => {
    const { clock, errors, reaction, runs } = failing((run) => run !== 5);

    await clock.advanceUntil(reaction.wakeAndWait());
    await clock.advance(600_000);
    const untilSuccess = runs();
    reaction.wake();
    await clock.advance(500);

    expect([untilSuccess, runs()]).toEqual([5, 7]);
    expect(errors).toHaveLength(2);
    reaction.stop();
  });

  it('is repeated at once if an event wakes it in a pause, and not again after the pause', async () => {
    const { clock, reaction, runs } = failing((run) => run < 2);

    await clock.advanceUntil(reaction.wakeAndWait());
    await clock.advanceUntil(reaction.wakeAndWait());
    await clock.advance(60_000);

    expect(runs()).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });
});

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
  it('is tried again at once if it has changed during the run that has failed, and then after a pause', async () => {
    const { clock, ends, reconcilers, runs } = setUp({ atOnce: 5 });

    reconcilers.wake('a');
    reconcilers.forget('a');
    reconcilers.wake('a');
    await ends('a', new Error('broken'));
    expect(runs).toEqual(['a', 'a']);
    reconcilers.wake('a');
    await ends('a', new Error('broken'));
    expect(runs).toEqual(['a', 'a']);
    await clock.advance(PAUSES.longestMs);

    expect(runs).toEqual(['a', 'a', 'a']);
  });

  it('is tried again after pauses that double up to 30 s, and told once while it fails in the same way', async () => {
    const { clock, reconcilers, told, tries } = failingKeys(() => 'broken');

    reconcilers.wake('a');
    await clock.advance(0);
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
    const { clock, reconcilers, told } = failingKeys((run) => ['broken', 'refused', undefined, 'refused'][run - 1]);

    reconcilers.wake('a');
    await clock.advance(10_000);
    reconcilers.wake('a');
    await clock.advance(0);

    expect(told).toEqual(['a: broken', 'a: refused', 'a: refused']);
  });

  it('is tried at once, and told again, if it was forgotten', async () => {
    const { clock, reconcilers, told, tries } = failingKeys(() => 'broken');

    reconcilers.wake('a');
    await clock.advance(0);
    reconcilers.forget('a');
    reconcilers.wake('a');
    await clock.advance(0);

    expect([tries.length, told]).toEqual([2, ['a: broken', 'a: broken']]);
  });

  it.each(['clear', 'stop'] as const)('is not tried again after a %s', async (end) => {
    const { clock, reconcilers, tries } = failingKeys(() => 'broken');

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

/** @param isFailing says of the number of a run if it fails */
function failing(isFailing: (run: number) => boolean) {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (isFailing(runs)) throw new Error('broken');
  };
  return { clock, errors, runs: () => runs, reaction: new Reconciler(clock, work, (error) => errors.push(error)) };
}

/** A reaction whose runs end when the spec says so. */
function gated() {
  let runs = 0;
  let finish: (() => void) | undefined;
  const work = () => {
    runs += 1;
    return new Promise<void>((resolve) => (finish = resolve));
  };
  const reaction = new Reconciler(new VirtualClock(), work, (error) => {
    throw error;
  });
  return { reaction, runs: () => runs, finish: () => finish?.() };
}

/** Resolves when all promise callbacks have had their turn. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** @param failureOf text of the failure of a run by its number; undefined if it succeeds */
function failingKeys(failureOf: (run: number) => string | undefined) {
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
