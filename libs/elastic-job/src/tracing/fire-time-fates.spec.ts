import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FireTimeEvidence, type FireTimeRun, judgeFireTimes, type MissedStretch } from './fire-time-fates.js';
import type { FireTimeCell, JobHistoryEvent, RunOutcome } from './job-history.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2030, 0, 1, 12);
const INSTANCE = '10.0.0.1@-@17';
const OTHER = '10.0.0.2@-@18';

/** One item, which is due at noon. */
function evidence(more: Partial<FireTimeEvidence> = {}): FireTimeEvidence {
  return {
    from: NOON - HOUR,
    to: NOON + HOUR,
    expected: [NOON],
    expectedFrom: NOON - HOUR,
    shardingTotalCount: 1,
    runs: [],
    missed: [],
    events: [],
    keptFrom: 0,
    now: NOON + HOUR,
    limit: 10,
    ...more,
  };
}

let runs = 0;
function run(outcome: RunOutcome, more: Partial<FireTimeRun> = {}): FireTimeRun {
  const id = `${outcome}-${(runs += 1)}`;
  return { id, fireTime: NOON, shardingItem: 0, outcome, cause: undefined, begunAt: NOON, isRerun: false, ...more };
}

function missed(more: Partial<MissedStretch> = {}): MissedStretch {
  return { since: NOON, fireTime: NOON, items: [0], reason: 'superseded', isOfMany: false, ...more };
}

function event(kind: string, at: number, more: Partial<JobHistoryEvent> = {}): JobHistoryEvent {
  const none = { jobName: 'settle', items: undefined, fireTime: undefined, instance: INSTANCE, detail: {} };
  return { id: `${kind}-${at}`, kind, at, ...none, ...more };
}

/** The cell of the only item at noon. */
function cellAt(more: Partial<FireTimeEvidence>): FireTimeCell | undefined {
  return judgeFireTimes(evidence(more)).columns.find(({ fireTime }) => fireTime === NOON)?.items[0];
}

describe('the fate of an item at a fire time is', () => {
  it('done by the run that has succeeded, whatever other runs did before or after it', () => {
    const good = run('succeeded', { begunAt: NOON + 1 });

    for (const other of ['failed', 'lost', 'running', 'aborted'] as const) {
      for (const begunAt of [NOON, NOON + 2]) {
        expect(cellAt({ runs: [run(other, { begunAt }), good] })).toEqual({ fate: 'done', run: good.id });
      }
    }
  });

  it('done again, if only a re-run has succeeded', () => {
    const rerun = run('succeeded', { isRerun: true, begunAt: NOON + 5 });

    expect(cellAt({ runs: [run('failed'), rerun] })).toEqual({ fate: 'done', run: rerun.id, isRerun: true });
    const first = run('succeeded');
    expect(cellAt({ runs: [rerun, first] })).toEqual({ fate: 'done', run: first.id });
  });

  it('that of the latest run, if none has succeeded', () => {
    const latest = run('failed', { begunAt: NOON + 9, cause: 'exhausted' });

    expect(cellAt({ runs: [latest, run('lost')] })).toEqual({ fate: 'failed', run: latest.id, reason: 'exhausted' });
    const running = run('running', { begunAt: NOON + 10, isRerun: true });
    expect(cellAt({ runs: [running, latest] })).toEqual({ fate: 'running', run: running.id });
  });

  it('failed after a run that was stopped, and unknown after one that goes on elsewhere or has no end', () => {
    expect(cellAt({ runs: [run('aborted', { cause: 'timed-out' })] })).toMatchObject({ fate: 'failed' });
    expect(cellAt({ runs: [run('aborted', { cause: 'moved' })] })).toMatchObject({ fate: 'unknown' });
    expect(cellAt({ runs: [run('fenced')] })).toMatchObject({ fate: 'unknown', reason: 'fenced' });
    expect(cellAt({ runs: [run('lost')] })).toMatchObject({ fate: 'unknown', reason: 'lost' });
  });

  it('missed, if an event stands for it', () => {
    expect(cellAt({ missed: [missed()] })).toEqual({ fate: 'missed', reason: 'superseded' });
    expect(cellAt({ missed: [missed({ items: [1] })] })).toMatchObject({ fate: 'unknown' });
    expect(cellAt({ missed: [missed({ items: [], isOfMany: true })] })).toMatchObject({ fate: 'missed' });
    const handedOver = run('aborted', { cause: 'moved' });
    expect(cellAt({ missed: [missed()], runs: [handedOver] })).toMatchObject({ fate: 'missed', run: handedOver.id });
    expect(cellAt({ missed: [missed()], runs: [run('failed')] })).toMatchObject({ fate: 'failed' });
  });

  it('unknown, if nothing tells of it', () => {
    expect(cellAt({})).toEqual({ fate: 'unknown', reason: 'not-written' });
    expect(cellAt({ now: NOON + 1_000 })).toEqual({ fate: 'unknown', reason: 'recent' });
    expect(cellAt({ keptFrom: undefined })).toEqual({ fate: 'unknown', reason: 'not-kept' });
    expect(cellAt({ keptFrom: NOON + 1 })).toEqual({ fate: 'unknown', reason: 'not-kept' });
    const before = run('running', { fireTime: NOON - HOUR });
    expect(cellAt({ runs: [before] })).toEqual({ fate: 'unknown', reason: 'busy' });
  });

  it('disabled, if an operator had disabled the servers of all instances', () => {
    const off = event('server-switched', NOON - 1, { detail: { status: 'DISABLED' } });
    const on = event('server-switched', NOON - 1, { detail: { status: 'ENABLED' } });
    const joined = event('joined', NOON - 9);
    const skipped = event('skipped', NOON + 5, { fireTime: NOON, detail: { reason: 'server 10.0.0.1 is disabled' } });

    expect(cellAt({ events: [off, joined] })).toEqual({ fate: 'disabled' });
    expect(cellAt({ events: [skipped] })).toEqual({ fate: 'disabled' });
    expect(cellAt({ events: [joined, { ...off, detail: {} }] })).toEqual({ fate: 'disabled' });
    expect(cellAt({ events: [joined, on] })).toMatchObject({ fate: 'unknown' });
    expect(cellAt({ events: [off, event('joined', NOON - 9, { instance: OTHER })] })).toMatchObject({
      fate: 'unknown',
    });
    expect(cellAt({ events: [off, { ...on, at: NOON + 1 }] })).toEqual({ fate: 'disabled' });
    expect(cellAt({ events: [joined, { ...off, at: NOON + 1 }] })).toMatchObject({ fate: 'unknown' });
    expect(cellAt({ events: [off], runs: [run('failed')] })).toMatchObject({ fate: 'failed' });
    expect(cellAt({ events: [off], runs: [run('failed', { shardingItem: 1 })], shardingTotalCount: 2 })).toEqual({
      fate: 'unknown',
      reason: 'not-written',
    });
  });

  it('unknown while no instance was there', () => {
    const [joined, left] = [event('joined', NOON - 9), event('left', NOON - 5)];

    expect(cellAt({ events: [left, joined] })).toEqual({ fate: 'unknown', reason: 'no-instance' });
    expect(cellAt({ events: [left, event('joined', NOON - 5, { instance: OTHER })] })).toEqual({
      fate: 'unknown',
      reason: 'not-written',
    });
  });

  it('unknown rather than disabled, if rows were dropped or Java peers were there', () => {
    const off = event('server-switched', NOON - 9, { detail: { status: 'DISABLED' } });
    const dropped = event('history-dropped', NOON + 60_000, { jobName: undefined });
    const mixed = event('mixed', NOON - 5);

    expect(cellAt({ events: [off, dropped] })).toEqual({ fate: 'unknown', reason: 'rows-dropped' });
    expect(cellAt({ events: [off, mixed] })).toEqual({ fate: 'unknown', reason: 'java-peers' });
    expect(cellAt({ events: [off, { ...mixed, at: NOON + 1 }] })).toEqual({ fate: 'disabled' });
    const gone = [off, event('mixed', NOON - HOUR), event('joined', NOON - HOUR / 2)];
    expect(cellAt({ events: gone })).toEqual({ fate: 'disabled' });
  });
});

describe('the columns', () => {
  it('have an item that has a row beyond the total, and before the schedule only items that rows name', () => {
    const before = NOON - 2 * HOUR;
    const { columns } = judgeFireTimes(
      evidence({
        from: before,
        shardingTotalCount: 4,
        runs: [run('succeeded', { shardingItem: 5 }), run('failed', { fireTime: before, shardingItem: 1 })],
      }),
    );

    expect(columns.map(({ fireTime, isExpected, items }) => [fireTime, isExpected, items.length])).toEqual([
      [before, false, 2],
      [NOON, true, 6],
    ]);
    expect(columns[0]!.items.map(({ fate }) => fate)).toEqual(['unknown', 'failed']);
  });

  it('have both ends of a stretch of missed fire times, and those between that something else names', () => {
    const stretch = missed({ since: NOON - HOUR, fireTime: NOON });
    const between = run('failed', { fireTime: NOON - 5, shardingItem: 1 });

    const { columns } = judgeFireTimes(
      evidence({ expected: [], expectedFrom: NOON + HOUR, missed: [stretch], runs: [between] }),
    );

    expect(columns.map(({ fireTime, items }) => [fireTime, items.map(({ fate }) => fate)])).toEqual([
      [NOON - HOUR, ['missed']],
      [NOON - 5, ['missed', 'failed']],
      [NOON, ['missed']],
    ]);
  });
});

it('never says more than the rows do, and leaves out no fire time', () => {
  const time = fc.integer({ min: 0, max: 20 });
  const item = fc.integer({ min: 0, max: 3 });
  const outcome = fc.constantFrom<RunOutcome[]>('succeeded', 'failed', 'aborted', 'fenced', 'running', 'lost');
  const anyRun = fc
    .record({ fireTime: time, shardingItem: item, outcome, begunAt: time, isRerun: fc.boolean() })
    .map(({ outcome: end, ...more }) => run(end, more));
  const anyMissed = fc
    .record({ a: time, b: time, items: fc.array(item), isOfMany: fc.boolean() })
    .map(({ a, b, ...more }) => missed({ since: Math.min(a, b), fireTime: Math.max(a, b), ...more }));
  const anyEvent = fc
    .record({
      kind: fc.constantFrom('joined', 'left', 'mixed', 'server-switched', 'skipped', 'history-dropped'),
      at: time,
      instance: fc.constantFrom(INSTANCE, OTHER),
      detail: fc.constantFrom({ status: 'DISABLED' }, { status: 'ENABLED' }, { reason: 'server x is disabled' }, {}),
    })
    .map(({ at, kind, ...more }) => event(kind, at, more));
  const any = fc.record({
    expected: fc.uniqueArray(time).map((times) => times.toSorted((a, b) => a - b)),
    expectedFrom: time,
    shardingTotalCount: fc.integer({ min: 1, max: 4 }),
    runs: fc.array(anyRun),
    missed: fc.array(anyMissed),
    events: fc.array(anyEvent),
    keptFrom: fc.option(time, { nil: undefined }),
    limit: fc.integer({ min: 1, max: 25 }),
  });
  fc.assert(
    fc.property(any, (given) => {
      const { columns, isCut } = judgeFireTimes(evidence({ ...given, from: 0, to: 21, now: 1e9 }));
      const times = columns.map(({ fireTime }) => fireTime);
      const known = [...given.expected, ...given.runs.map(({ fireTime }) => fireTime)];
      const faults = columns.flatMap(({ fireTime, items }) => {
        const isShort = fireTime >= given.expectedFrom && items.length < given.shardingTotalCount;
        return [
          ...(isShort ? ['too few items'] : []),
          ...items.flatMap((cell, index) => faultsOf(given, fireTime, index, cell)),
        ];
      });

      expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
      expect(known.filter((one) => !isCut && !times.includes(one))).toEqual([]);
      expect(faults).toEqual([]);
    }),
    { seed: 55, numRuns: 500 },
  );
});

/** Faults of a cell: it says more than the rows do, or less. */
function faultsOf(
  { missed: stretches, runs: all }: Pick<FireTimeEvidence, 'missed' | 'runs'>,
  fireTime: number,
  item: number,
  { fate, isRerun = false, run: id }: FireTimeCell,
): string[] {
  const own = all.filter((one) => one.fireTime === fireTime && one.shardingItem === item);
  const good = own.filter(({ outcome }) => outcome === 'succeeded');
  const faults: Readonly<Record<string, boolean>> = {
    'done without a success, or not done with one': (fate === 'done') !== good.length > 0,
    'a success of a re-run, or none of one': isRerun !== (good.length > 0 && good.every((one) => one.isRerun)),
    'another run than one of its own': own.length > 0 && own.every((one) => one.id !== id),
    'missed without an event': fate === 'missed' && !isCovered(stretches, fireTime, item),
    'begun without a run': (fate === 'failed' || fate === 'running') && own.length === 0,
    'disabled with a run': fate === 'disabled' && own.length > 0,
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}

function isCovered(stretches: readonly MissedStretch[], fireTime: number, item: number): boolean {
  return stretches.some(
    ({ isOfMany, items, ...ends }) =>
      ends.since <= fireTime && fireTime <= ends.fireTime && (isOfMany || items.includes(item)),
  );
}
