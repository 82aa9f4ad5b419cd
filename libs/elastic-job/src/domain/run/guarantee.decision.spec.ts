import { describe, expect, it } from 'vitest';
import { type AwaitedItem, type GuaranteePhase, isAwaited, isSameRound } from './guarantee.decision.js';
import type { StoredRecord } from './run-record.js';
import type { TriggerOrigin } from './trigger.js';

const ROUND = { fireTime: 10_000, origin: 'schedule' } as const;
const JOB = { monitorExecution: true, misfire: true };

const FREE: AwaitedItem = {
  owner: 'ours',
  isDisabled: false,
  isHeld: false,
  stored: { kind: 'none' },
  isRecorderAlive: true,
};
const BEGUN: AwaitedItem = { ...FREE, isHeld: true, stored: begun(10_000) };
const ENDED: AwaitedItem = { ...FREE, stored: begun(10_000, true) };

describe('an item that others wait for', () => {
  it.each<[string, AwaitedItem, { readonly started: boolean; readonly completed: boolean }]>([
    ['is about to begin', FREE, { started: true, completed: false }],
    ['runs', BEGUN, { started: true, completed: true }],
    ['runs though its owner has gone', { ...BEGUN, owner: 'nobody' }, { started: true, completed: true }],
    ['runs though it was disabled', { ...BEGUN, isDisabled: true }, { started: true, completed: true }],
    ['has ended and is about to say so', ENDED, { started: false, completed: true }],
    ['had ended when its instance died', { ...ENDED, isRecorderAlive: false }, { started: false, completed: false }],
    ['was aborted and is to be taken over', { ...ENDED, isHeld: true }, { started: true, completed: true }],
    ['died and is taken over by nobody', { ...BEGUN, isHeld: false }, { started: false, completed: false }],
    ['is disabled', { ...FREE, isDisabled: true }, { started: false, completed: false }],
    ['has no instance', { ...FREE, owner: 'nobody' }, { started: false, completed: false }],
    ['still runs for the round before', { ...BEGUN, stored: begun(5_000) }, { started: true, completed: false }],
    ['is past this round', { ...BEGUN, stored: begun(15_000) }, { started: false, completed: false }],
    [
      'has run for an operator at the same instant',
      { ...FREE, stored: begun(10_000, true, 'manual:a') },
      { started: true, completed: false },
    ],
    ["is a Java peer's", { ...FREE, owner: 'java' }, { started: true, completed: true }],
    [
      "is a Java peer's and disabled",
      { ...FREE, owner: 'java', isDisabled: true },
      { started: false, completed: false },
    ],
  ])('can still come to these phases if it %s: $2', (_, item, expected) => {
    const answer = (phase: GuaranteePhase) => isAwaited(phase, ROUND, JOB, item);
    expect({ started: answer('started'), completed: answer('completed') }).toEqual(expected);
  });

  it('will not come in a job without misfire while it still runs for the round before', () => {
    const item = { ...BEGUN, stored: begun(5_000) };
    expect(isAwaited('started', ROUND, { ...JOB, misfire: false }, item)).toBe(false);
  });

  it.each<GuaranteePhase>(['started', 'completed'])(
    'can come to the phase %s of an unmonitored job if it is enabled and has an instance',
    (phase) => {
      const job = { ...JOB, monitorExecution: false };
      expect(isAwaited(phase, ROUND, job, FREE)).toBe(true);
      expect(isAwaited(phase, ROUND, job, { ...FREE, owner: 'nobody' })).toBe(false);
      expect(isAwaited(phase, ROUND, job, { ...FREE, isDisabled: true })).toBe(false);
    },
  );
});

describe('one run of a whole job', () => {
  it.each<[number, TriggerOrigin, number, TriggerOrigin, boolean]>([
    [1_000, 'schedule', 1_000, 'schedule', true],
    [1_000, 'schedule', 2_000, 'schedule', false],
    [1_000, 'schedule', 1_000, 'manual:a', false],
    [1_000, 'manual:a', 1_000, 'manual:a', true],
    // Java's console asks the instances one by one.
    [1_000, 'manual:71', 1_003, 'manual:72', true],
    [1_000, 'manual:71', 2_000, 'manual:72', false],
  ])('covers the targets %i %s and %i %s: %s', (...row) => {
    const [time, origin, otherTime, otherOrigin, expected] = row;
    const other = { fireTime: otherTime, origin: otherOrigin };
    expect(isSameRound({ fireTime: time, origin }, other)).toBe(expected);
    expect(isSameRound(other, { fireTime: time, origin })).toBe(expected);
  });
});

function begun(fireTime: number, isSettled = false, origin: TriggerOrigin = 'schedule'): StoredRecord {
  const record = { run: 'r', by: '10.0.0.1@-@1', target: { fireTime, origin }, attempt: 1, begunAt: fireTime };
  return {
    kind: 'record',
    record: isSettled ? { ...record, settled: { at: fireTime, outcome: 'succeeded' } } : record,
  };
}
