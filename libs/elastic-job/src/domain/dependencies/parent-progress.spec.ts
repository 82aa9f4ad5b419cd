import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import {
  formatParentProgress,
  itemSetOf,
  KEPT_RUNS,
  noteRuns,
  type ParentProgress,
  parseParentProgress,
  type RunNote,
} from './parent-progress.js';

const NEW: ParentProgress = { closedUpTo: 0, runs: new Map() };

describe('parseParentProgress', () => {
  it.each([null, 1, 'x', [1], [1, null], [1, [2, 3]], ['1', 'failed'], [9e15, 'failed']])(
    'reads nothing from a text with the damaged run %j',
    (run) => {
      expect(parseParentProgress(JSON.stringify({ v: 1, closedUpTo: 0, runs: [run] }))).toBeUndefined();
    },
  );
});

describe('counting the items of a run', () => {
  it('completes a run once its last item succeeds, and not before', () => {
    const first = noteRuns(NEW, [note(10, 0), note(10, 1)]);
    const last = noteRuns(first.progress, [note(10, 2)]);

    expect(first).toMatchObject({ succeeded: [], unmet: [] });
    expect(last).toEqual({ progress: { closedUpTo: 10, runs: new Map() }, succeeded: [10], unmet: [] });
  });

  it('completes no run with a failed item, and reports the failure once', () => {
    const failed = noteRuns(NEW, [note(10, 1, { isSucceeded: false })]);
    const others = noteRuns(failed.progress, [note(10, 0), note(10, 2)]);

    expect(failed.unmet).toEqual([{ fireTime: 10, reason: 'failed' }]);
    expect(others).toMatchObject({ succeeded: [], unmet: [] });
  });

  it('completes no run while an item that another one expects has not ended', () => {
    const { succeeded } = noteRuns(NEW, [note(10, 0, { expected: [0] }), note(10, 1, { expected: [0, 1, 2] })]);

    expect(succeeded).toEqual([]);
  });

  it('supersedes an open run once a later one is complete, and ignores its later ends', () => {
    const open = noteRuns(NEW, [note(10, 0)]);
    const later = noteRuns(open.progress, [note(20, 0), note(20, 1), note(20, 2)]);
    const late = noteRuns(later.progress, [note(10, 1), note(10, 2)]);

    expect(later).toMatchObject({ succeeded: [20], unmet: [{ fireTime: 10, reason: 'superseded' }] });
    expect(late).toEqual({ progress: later.progress, succeeded: [], unmet: [] });
  });

  it('tells once of each run that is complete, and once of one that has failed', () => {
    const all = [note(20, 0), note(20, 1), note(20, 2)];
    const failed = noteRuns(NEW, [note(10, 1, { isSucceeded: false })]);
    const complete = noteRuns(failed.progress, all);

    expect(complete).toMatchObject({ succeeded: [20], unmet: [] });
    expect(noteRuns(complete.progress, all)).toEqual({ progress: complete.progress, succeeded: [], unmet: [] });
  });

  it('gives up the oldest open run if more runs stay open than are kept', () => {
    const notes = Array.from({ length: KEPT_RUNS + 1 }, (_, index) => note(10 + index, 0));
    const { progress, unmet } = noteRuns(NEW, notes);

    expect(progress.runs.size).toBe(KEPT_RUNS);
    expect(unmet).toEqual([{ fireTime: 10, reason: 'superseded' }]);
  });

  it('completes exactly those runs whose items all succeed before a later run is complete', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed);
      const notes = randomNotes(random);
      let progress = NEW;
      const succeeded: number[] = [];
      for (let rest = notes; rest.length > 0;) {
        const count = 1 + Math.floor(random() * 4);
        const noted = noteRuns(parseParentProgress(formatParentProgress(progress))!, rest.slice(0, count));
        progress = noted.progress;
        succeeded.push(...noted.succeeded);
        rest = rest.slice(count);
      }

      expect(succeeded, `seed ${seed}`).toEqual(succeeded.toSorted((a, b) => a - b));
      const whole = [1, 2, 3, 4].filter((run) => notes.every((one) => one.fireTime !== run || one.isSucceeded));
      const isClosed = (run: number) => succeeded.some((other) => other > run);
      expect(succeeded.every((run) => whole.includes(run))).toBe(true);
      expect(whole.filter((run) => !succeeded.includes(run)).every(isClosed)).toBe(true);
    }
  });
});

describe('the text of the progress', () => {
  it('keeps open and failed runs the same once written and read', () => {
    const { progress } = noteRuns(NEW, [note(10, 0), note(20, 1, { isSucceeded: false }), note(30, 2)]);

    expect(parseParentProgress(formatParentProgress(progress))).toEqual(progress);
  });

  it('keeps fields of a later version after a run is counted', () => {
    const later = parseParentProgress('{"v":7,"closedUpTo":5,"runs":[],"mood":[1]}')!;
    const { progress } = noteRuns(later, [note(10, 0)]);

    expect(JSON.parse(formatParentProgress(progress))).toEqual({
      v: 1,
      closedUpTo: 5,
      runs: [[10, ['7', '1']]],
      mood: [1],
    });
  });

  it.each(
    [
      ...['xff', 'ffx', ''].map((set) => `{"v":1,"closedUpTo":0,"runs":[[1,["7","${set}"]]]}`),
      ['', '{}', '{"v":1,"closedUpTo":0}', '{"v":1,"closedUpTo":0,"runs":[[1,["x","0"]]]}', 'no JSON'],
      [
        '{"v":1,"closedUpTo":1e999,"runs":[]}',
        '{"v":1,"closedUpTo":9e15,"runs":[]}',
        '{"v":1,"closedUpTo":0,"runs":[[1e999,"failed"]]}',
      ],
    ].flat(),
  )('is refused if it is no progress: %j', (text) => {
    expect(parseParentProgress(text)).toBeUndefined();
  });
});

function note(fireTime: number, item: number, { expected = [0, 1, 2], isSucceeded = true } = {}): RunNote {
  return { fireTime, item, expected: itemSetOf(expected), isSucceeded };
}

function randomOf(seed: number): () => number {
  const clock = new VirtualClock({ seed });
  return () => clock.random();
}

/** All items of four runs, in random order; a few of them fail. */
function randomNotes(random: () => number): RunNote[] {
  const notes = [1, 2, 3, 4].flatMap((run) =>
    [0, 1, 2].map((item) => note(run, item, { isSucceeded: random() > 0.1 })),
  );
  return notes
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}
