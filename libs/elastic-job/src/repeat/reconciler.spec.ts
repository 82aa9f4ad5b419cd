import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import { Reconciler } from './reconciler.js';

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
