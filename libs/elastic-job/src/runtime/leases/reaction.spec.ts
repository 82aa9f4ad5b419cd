import { describe, expect, it } from 'vitest';
import { Reaction } from './reaction.js';

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
    const reaction = new Reaction(
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

/** A reaction whose runs end when the spec says so. */
function gated() {
  let runs = 0;
  let finish: (() => void) | undefined;
  const work = () => {
    runs += 1;
    return new Promise<void>((resolve) => (finish = resolve));
  };
  const reaction = new Reaction(work, (error) => {
    throw error;
  });
  return { reaction, runs: () => runs, finish: () => finish?.() };
}

/** Resolves when all promise callbacks have had their turn. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
