import { messageOf, readable } from '../thrown.js';
import { hearRejection } from '../unawaited.js';

/** Faults that a user's check has found, one text each. If it throws, or returns no list of texts, that is a fault. */
export function faultsOf(check: () => unknown): readonly string[] {
  try {
    const found = check();
    hearRejection(found);
    if (Array.isArray(found) && found.every((fault) => typeof fault === 'string')) return [...found];
    return [`the check of the props must return a list of texts, but has returned ${typeof found}`];
  } catch (error) {
    return [`the check of the props has thrown: ${messageOf(readable(error))}`];
  }
}
