import { expect, it } from 'vitest';
import type { RunRecord, StoredRecord } from '../domain/index.js';
import { isLeftover } from './leftover.decision.js';

const TASK = { fireTime: 1_000, origin: 'schedule', launch: 2 } as const;
const BEGUN: RunRecord = {
  run: 'run-1',
  by: 'instance-1',
  target: { fireTime: 1_000, origin: 'schedule' },
  attempt: 1,
  begunAt: 1_000,
  launch: 2,
  isAdoptable: true,
};
const record = (given: Partial<RunRecord> = {}): StoredRecord => ({ kind: 'record', record: { ...BEGUN, ...given } });

it.each<[string, StoredRecord | undefined, boolean]>([
  ['no record', undefined, true],
  ['none', { kind: 'none' }, true],
  ['a text that nobody can read', { kind: 'none', unreadableSince: 5 }, false],
  ['its run, which goes on', record(), false],
  ['its run, begun by another scheduler that is about to adopt it', record({ run: 'run-2', by: 'instance-2' }), false],
  ['its run, handed over', record({ settled: { at: 2_000, outcome: 'aborted', cause: 'handed-over' } }), false],
  ['its run, which has succeeded', record({ settled: { at: 2_000, outcome: 'succeeded' } }), true],
  ['its run, whose death is to be repeated', record({ settled: { at: 2_000, outcome: 'failed', isOwed: true } }), true],
  ['a later launch of the target', record({ launch: 3 }), true],
  ['a run of another fire time', record({ target: { fireTime: 2_000, origin: 'schedule' } }), true],
  ['a run that an operator asked for', record({ target: { fireTime: 1_000, origin: 'manual:7' } }), true],
  ['a run in this process, not in a task', record({ launch: undefined }), true],
])('a task is a leftover or not where the record shows %s', (_, stored, expected) => {
  expect(isLeftover(TASK, stored)).toBe(expected);
});
