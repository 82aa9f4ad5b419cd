import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../run/index.js';
import { findCutShort, type LastRun } from './cut-short.decision.js';

const FAILOVER_OFF = { isFailoverOn: false, shardingTotalCount: 4 };

function run(item: number, fireTime: number, record: Partial<RunRecord> = {}, isHeld = false): LastRun {
  const target = { fireTime, origin: 'schedule' } as const;
  const own = { run: 'r', by: 'dead', target, attempt: 1, begunAt: 0, ...record };
  return { item, stored: { kind: 'record', record: own }, isHeld };
}

function find(runs: readonly LastRun[], room = FAILOVER_OFF) {
  return findCutShort(runs, (id) => id === 'dead', room);
}

describe('runs that a crash has cut short and nobody repeats', () => {
  it('are told by fire time, each once', () => {
    expect(find([run(0, 1), run(1, 2), run(2, 1)])).toEqual({
      found: [
        { items: [0, 2], fireTime: 1, reason: 'failover-off' },
        { items: [1], fireTime: 2, reason: 'failover-off' },
      ],
      isAwaited: false,
    });
  });

  it.each([true, false])('are told of an item beyond the total, with failover: %s', (isFailoverOn) => {
    const { found } = find([run(4, 1)], { ...FAILOVER_OFF, isFailoverOn });
    expect(found).toEqual([{ items: [4], fireTime: 1, reason: 'beyond-total' }]);
  });

  it.each(['cancelled', 'timed-out'] as const)('are told with the reason for which they had to stop: %s', (cause) => {
    const { found } = find([run(0, 1, { stopped: { run: 'r', cause } }), run(1, 1), run(4, 1)]);
    expect(found.map(({ reason }) => reason)).toEqual([cause, 'failover-off', 'beyond-total']);
  });

  it('are told of a re-run that an operator has cancelled', () => {
    const target = { fireTime: 1, origin: 'rerun:a' } as const;
    const { found } = find([run(0, 1, { target, stopped: { run: 'r', cause: 'cancelled' } })]);
    expect(found.map(({ reason }) => reason)).toEqual(['cancelled']);
  });

  it('are told of later if the holder is gone and its mark is not', () => {
    expect(find([run(0, 1, {}, true)])).toEqual({ found: [], isAwaited: true });
  });

  it.each<[string, LastRun, boolean]>([
    ['that failover repeats', run(0, 1), true],
    ['that had ended', run(0, 1, { settled: { at: 2, outcome: 'failed' } }), false],
    ['whose task another instance adopts', run(0, 1, { isAdoptable: true }), false],
    ['of an instance that lives', run(0, 1, { by: 'alive' }), false],
    ['that a re-run begins again', run(0, 1, { target: { fireTime: 1, origin: 'rerun:a' } }), false],
    ['without a record', { item: 0, stored: { kind: 'none' }, isHeld: true }, false],
  ])('do not include one %s', (_, given, isFailoverOn) => {
    expect(find([given], { ...FAILOVER_OFF, isFailoverOn })).toEqual({ found: [], isAwaited: false });
  });
});
