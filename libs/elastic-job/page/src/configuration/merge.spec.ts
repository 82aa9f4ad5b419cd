import { describe, expect, it } from 'vitest';
import { meetingsOf, rebased } from './merge.js';

const BASE = { cron: '0 0 2 * * ?', maxAttempts: 1, description: '', failover: false };
const THEIRS = { cron: '0 0 3 * * ?', maxAttempts: 3, description: 'nightly', failover: false };

describe('an edit of settings that somebody else has changed', () => {
  it('has to choose where both have changed a field', () => {
    expect(meetingsOf(BASE, THEIRS, { cron: '0 0 4 * * ?', failover: true })).toEqual([
      {
        field: 'cron',
        base: '0 0 2 * * ?',
        theirs: '0 0 3 * * ?',
        mine: { value: '0 0 4 * * ?' },
        isContested: true,
      },
      { field: 'maxAttempts', base: 1, theirs: 3, mine: undefined, isContested: false },
      { field: 'description', base: '', theirs: 'nightly', mine: undefined, isContested: false },
    ]);
  });

  it('has nothing to choose where both have changed a field alike', () => {
    const [cron] = meetingsOf(BASE, THEIRS, { cron: '0 0 3 * * ?' });
    expect(cron).toMatchObject({ field: 'cron', mine: { value: '0 0 3 * * ?' }, isContested: false });
  });

  it('keeps what was typed, right or wrong', () => {
    const [meeting] = meetingsOf(BASE, THEIRS, { maxAttempts: 'ten' }).filter(({ field }) => field === 'maxAttempts');
    expect(meeting).toMatchObject({ mine: { value: 'ten' }, isContested: true });
    expect(rebased(THEIRS, { maxAttempts: 'ten' }, new Set())).toEqual({ maxAttempts: 'ten' });
  });

  it('goes on without what was given up, and without what they have already', () => {
    const edits = { cron: '0 0 4 * * ?', description: 'nightly', failover: true, maxAttempts: '1' };
    expect(rebased(THEIRS, edits, new Set(['cron']))).toEqual({ failover: true, maxAttempts: '1' });
  });
});
