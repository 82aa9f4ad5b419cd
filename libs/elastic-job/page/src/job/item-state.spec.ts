import { describe, expect, it } from 'vitest';
import type { ItemAnswer } from '../../../src/console/contract/job-answers.js';
import { countStates, ITEM_STATES, MARKS, stateOf } from './item-state.js';
import { ITEM, RUN, TASK } from './items.for-spec.js';

describe('the state of an item', () => {
  it.each<readonly [string, Partial<ItemAnswer>]>([
    ['lost', { holder: 'a', status: 'RUNNING', task: { ...TASK, state: 'UNREACHABLE' } }],
    ['running', { holder: 'a', status: 'RUNNING', task: TASK }],
    ['running', { holder: 'a', status: 'RUNNING', owner: null }],
    ['taken-over', { holder: 'b', status: 'RUNNING', failover: true }],
    ['queued', { queued: '2026-11-30T02:00:00.000Z', lastRun: { ...RUN, outcome: 'failed' } }],
    ['queued', { failover: true }],
    ['disabled', { status: 'DISABLED', owner: null }],
    ['unowned', { owner: null, lastRun: { ...RUN, outcome: 'failed' } }],
    ['unowned', { status: 'SHARDING_FLAG', owner: 'gone' }],
    ['failed', { lastRun: { ...RUN, outcome: 'failed' } }],
    ['aborted', { lastRun: { ...RUN, outcome: 'aborted' } }],
    ['unfinished', { lastRun: { ...RUN, outcome: null } }],
    ['done', { lastRun: { ...RUN, outcome: 'succeeded' } }],
    ['idle', {}],
  ])('is %s', (state, facts) => {
    expect(stateOf({ ...ITEM, ...facts })).toBe(state);
  });

  it('is told by its sign alone, whatever colours somebody sees', () => {
    expect(new Set(ITEM_STATES.map((state) => MARKS[state].glyph)).size).toBe(ITEM_STATES.length);
  });

  it('is counted, what needs somebody first', () => {
    const failed = { ...ITEM, lastRun: { ...RUN, outcome: 'failed' as const } };
    expect(countStates([ITEM, failed, ITEM])).toEqual([
      { state: 'failed', count: 1 },
      { state: 'idle', count: 2 },
    ]);
  });
});
