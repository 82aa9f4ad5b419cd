import { LeftJobError } from '../errors.js';
import { DrainDeadlineError, HandedOverError, InstanceRemovedError, ResidentStoppedError } from './lease.errors.js';

/**
 * Why a run has ended here without a fault of its own, before its work was done: it was handed over. The log tells of
 * it at `log`, and the cause of its row in a history begins with this word and a colon.
 * - `moved`: another instance owns the item now;
 * - `leaving`: this instance leaves the job: its process drains, or an operator has shut it down;
 * - `disabled`: an operator has disabled the item, its job or this server.
 */
export type HandOver = 'moved' | 'leaving' | 'disabled';

const WORDS: readonly HandOver[] = ['moved', 'leaving', 'disabled'];
/** Errors that name one of the words themselves, among other reasons. */
const BY_WORD = [HandedOverError, ResidentStoppedError];
const BY_LEAVING = [DrainDeadlineError, InstanceRemovedError, LeftJobError];

/** Tells from the reason of the aborted signal if a run was handed over. Undefined: it was not. */
export function handOverOf(reason: unknown): HandOver | undefined {
  if (BY_LEAVING.some((type) => reason instanceof type)) return 'leaving';
  const named = BY_WORD.find((type): boolean => reason instanceof type);
  return named && WORDS.find((word) => word === Object(reason).why);
}

/** True for a text that begins as only those of runs do that were handed over. */
export function beginsWithHandOver(text: string): boolean {
  return WORDS.some((word) => text.startsWith(`${word}:`));
}
