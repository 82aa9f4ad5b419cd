import { beforeEach, expect, it } from 'vitest';
import { FairTurns, type JobKind } from './fair-turns.js';

/** The calls in order; `|` is a turn of the event loop, `<` and `>` begin and end urgent work. */
let log: string[];
let now: number;
let turns: FairTurns;
beforeEach(() => {
  log = [];
  now = 0;
  const clock = {
    monotonicNow: () => now,
    nextTurn: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('|');
    },
  };
  turns = new FairTurns(clock, () => {
    log.push('<');
    return () => log.push('>');
  });
});

/** Runs a lease whose handlers each block for the given time. Resolves when all of them have been called. */
function lease(name: string, handlers: number, blockMs: number, kind: JobKind = 'code'): Promise<void> {
  return new Promise((resolve) => {
    let left = handlers;
    const goOn = (): void => {
      for (; left > 0; left -= 1) {
        if (!turns.isOpen(kind)) return turns.later(goOn, kind);
        turns.spend(() => {
          log.push(name);
          now += blockMs;
        });
      }
      resolve();
    };
    goOn();
  });
}

it('calls handlers that take no time all at once', async () => {
  await lease('a', 100, 0);
  expect(log.join('')).toBe('a'.repeat(100));
});

it('lets the event loop turn when handlers have kept it for 50 ms', async () => {
  await lease('a', 7, 25);
  expect(log.join('')).toBe('aa<|aa|aa|a>');
});

it('lets leases go on by turns, so that a long one holds up no short one', async () => {
  await Promise.all([lease('a', 6, 25), lease('b', 1, 1), lease('c', 3, 25)]);
  expect(log.join('')).toBe('aa<|aa|bcc|aa|c>');
});

it('starts anew once all have gone on', async () => {
  await lease('a', 3, 50);
  await lease('b', 2, 1);
  expect(log.join('')).toBe('a<|a|a><|bb>');
});

it("lets the code's jobs go on before created ones, however long these have waited", async () => {
  await Promise.all([lease('x', 5, 25, 'created'), lease('y', 1, 25, 'created'), lease('c', 3, 25)]);
  expect(log.join('')).toBe('xx<|ccx|cy|xx>');
});

it('lets the other leases go on if one of them throws, and its error reaches the process', async () => {
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const thrown = new Promise((resolve) => process.once('unhandledRejection', resolve));

  try {
    turns.later(() => {
      throw new Error('broken');
    }, 'code');
    turns.later(() => log.push('b'), 'code');
    turns.later(() => log.push('x'), 'created');

    expect(await thrown).toEqual(new Error('broken'));
    await lease('c', 4, 25);
  } finally {
    for (const other of others) process.on('unhandledRejection', other);
  }
  expect(log.join('')).toBe('<|><|bccx|cc>');
});
