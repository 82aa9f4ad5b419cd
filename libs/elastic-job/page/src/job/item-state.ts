/** States of an item as the map draws them. Each has a sign, a colour and words, so that no colour tells it alone. */
import type { ItemAnswer } from '../../../src/console/contract/job-answers.js';
import type { Tone } from '../parts/index.js';

/** All states, those that need somebody first. */
export const ITEM_STATES = [
  'lost',
  'unowned',
  'failed',
  'queued',
  'unfinished',
  'aborted',
  'taken-over',
  'running',
  'disabled',
  'done',
  'idle',
] as const;
export type ItemState = (typeof ITEM_STATES)[number];

interface Mark {
  readonly glyph: string;
  readonly tone: Tone;
}

export const MARKS: Readonly<Record<ItemState, Mark>> = {
  lost: { glyph: '?', tone: 'warn' },
  unowned: { glyph: '∅', tone: 'warn' },
  failed: { glyph: '!', tone: 'bad' },
  queued: { glyph: '…', tone: 'move' },
  unfinished: { glyph: '~', tone: 'warn' },
  aborted: { glyph: '×', tone: 'miss' },
  'taken-over': { glyph: '↷', tone: 'move' },
  running: { glyph: '▸', tone: 'run' },
  disabled: { glyph: '–', tone: 'off' },
  done: { glyph: '✓', tone: 'ok' },
  idle: { glyph: '·', tone: 'off' },
};

/**
 * The state that an operator has to know of first. What happens now comes before how its last run has ended: an item
 * that is disabled or without an owner may still run.
 */
export function stateOf({ failover, holder, lastRun, owner, queued, status, task }: ItemAnswer): ItemState {
  if (task?.state === 'UNREACHABLE') return 'lost';
  if (holder !== null || status === 'RUNNING') return failover ? 'taken-over' : 'running';
  if (queued !== null || failover) return 'queued';
  if (status === 'DISABLED') return 'disabled';
  // The owner is none, or is gone.
  if (owner === null || status === 'SHARDING_FLAG') return 'unowned';
  if (lastRun?.outcome === 'failed') return 'failed';
  if (lastRun?.outcome === 'aborted') return 'aborted';
  if (lastRun === null) return 'idle';
  return lastRun.outcome === 'succeeded' ? 'done' : 'unfinished';
}

/** The number of items in each state, those that need somebody first; states without an item are left out. */
export function countStates(items: readonly ItemAnswer[]): readonly { state: ItemState; count: number }[] {
  const counts = new Map<ItemState, number>();
  for (const item of items) {
    const state = stateOf(item);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return ITEM_STATES.flatMap((state) => {
    const count = counts.get(state);
    return count === undefined ? [] : [{ state, count }];
  });
}
