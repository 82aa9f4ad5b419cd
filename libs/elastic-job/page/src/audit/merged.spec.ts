import { describe, expect, it } from 'vitest';
import type { AuditEntry, AuditOutcome } from '../../../src/console/contract/answers.js';
import { mergedEntries } from './merged.js';

describe('entries that come while a list is shown', () => {
  it('stand above those that are known, also above older pages', () => {
    expect(idsOf(mergedEntries([entry('3'), entry('2'), entry('1')], [entry('5'), entry('4'), entry('3')]))).toEqual([
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
  });

  it('replace themselves once they have ended', () => {
    const merged = mergedEntries([entry('2', 'intended'), entry('1')], [entry('2', 'failed'), entry('1')]);

    expect(merged?.map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
  });

  it('change nothing if they are the same', () => {
    const known = [entry('2'), entry('1')];

    expect(mergedEntries(known, [entry('2')])).toBe(known);
  });

  it('are no part of the list if more have come than a page has', () => {
    expect(mergedEntries([entry('1')], [entry('9'), entry('8')])).toBeUndefined();
    expect(idsOf(mergedEntries([], [entry('1')]))).toEqual(['1']);
  });
});

function idsOf(entries: readonly AuditEntry[] | undefined) {
  return entries?.map(({ id }) => id);
}

function entry(id: string, outcome: AuditOutcome = 'done'): AuditEntry {
  return {
    id,
    at: '2026-11-30T02:00:00.000Z',
    who: 'ada',
    role: 'admin',
    by: 'page',
    address: null,
    requestId: null,
    action: 'job.trigger',
    target: { job: 'a' },
    reason: null,
    before: null,
    after: null,
    outcome,
    code: null,
  };
}
