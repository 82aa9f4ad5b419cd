import { describe, expect, it } from 'vitest';
import { history as en } from '../text/en/history.js';
import { countOf, crashedOf, crashedOwners, detailsOf, fieldsOf, KINDS, movedCount, wordsOf } from './event-facts.js';

const crash = {
  kind: 'resharded',
  facts: { cause: 'crashed', moves: { 3: { from: '10.0.3.11@-@1', to: 'b' }, 4: { from: '10.0.3.11@-@1', to: 'c' } } },
};

describe('an event of the history', () => {
  it('tells why, whatever the field is called', () => {
    expect(wordsOf({ facts: { reason: 'skipped' } })).toEqual(['skipped']);
    expect(wordsOf({ facts: { error: { message: 'no answer' } } })).toEqual(['no answer']);
    expect(wordsOf({ facts: { isReleased: false } })).toEqual([]);
  });

  it('tells which instances have crashed and how many items have moved', () => {
    expect(crashedOf(crash)).toEqual(['10.0.3.11@-@1']);
    expect(movedCount(crash)).toBe(2);
    const pairs = { ...crash.facts, moves: [[3, { from: 'a', to: 'b' }]], movesCut: 900 };
    expect(crashedOf({ kind: 'resharded', facts: pairs })).toEqual(['a']);
    expect(movedCount({ kind: 'resharded', facts: pairs })).toBe(900);
  });

  it('tells whose items were taken over, by the newest crash of each', () => {
    const later = { ...crash, facts: { cause: 'crashed', moves: { 4: { from: 'c', to: 'd' } } } };
    expect([...crashedOwners([later, crash, { kind: 'left', facts: {} }])]).toEqual([
      [4, 'c'],
      [3, '10.0.3.11@-@1'],
    ]);
  });

  it('tells of no crash where an instance has left, or moves are not known', () => {
    expect(crashedOf({ kind: 'resharded', facts: { ...crash.facts, cause: 'left' } })).toEqual([]);
    expect(crashedOf({ kind: 'resharded', facts: { cause: 'crashed' } })).toEqual([]);
    expect(movedCount({ kind: 'left', facts: {} })).toBeUndefined();
  });

  it('tells names of settings, and how often', () => {
    expect(fieldsOf({ facts: { fields: ['cron', 3], count: 2 } })).toEqual(['cron']);
    expect(countOf({ facts: { count: 2 } })).toBe(2);
    expect(detailsOf({ facts: {} })).toBe('');
  });

  it('has words for its kind', () => {
    expect(KINDS.filter((kind) => en.kinds[kind] === undefined)).toEqual([]);
  });
});
