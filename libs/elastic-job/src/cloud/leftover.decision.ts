import { isLeftToAdopt, isSameTarget, type StoredRecord } from '../domain/index.js';
import type { TaskTarget } from './task-order.js';

/**
 * True if no scheduler follows a task any more, nor will: its run is over, or another run has taken its place.
 *
 * | record of the item, read after the task was listed | |
 * |---|---|
 * | the job or the item is gone | leftover |
 * | the same target and launch, not settled | kept: it is followed, or about to be adopted |
 * | the same target and launch, handed over | kept: it waits for its adoption |
 * | the same target and launch, settled | leftover |
 * | another target or launch: a begin precedes each launch | leftover |
 * | unreadable | kept: its state is unknown |
 *
 * @param stored undefined: the item has no record
 */
export function isLeftover(task: TaskTarget, stored: StoredRecord | undefined): boolean {
  if (stored === undefined) return true;
  if (stored.kind === 'none') return stored.unreadableSince === undefined;
  const { launch = 1, settled, target } = stored.record;
  if (!isSameTarget(target, task) || launch !== task.launch) return true;
  return settled !== undefined && !isLeftToAdopt(stored);
}
