import { messageOf, readable } from '../thrown.js';
import { hearRejection } from '../unawaited.js';
import type { JobProps } from './props-reader.js';

/** Hears what a check has thrown. */
export type OnThrown = (error: unknown) => void;

/**
 * A user's `FindPropsFaults` as the library calls it: one that throws has found a fault.
 * @param onThrown hears what it has thrown
 */
export type CheckProps = (props: JobProps, onThrown?: (error: unknown) => void) => readonly string[];

/** Faults that a user's check has found, one text each. If it throws, or returns no list of texts, that is a fault. */
export function faultsOf(check: () => unknown, onThrown: OnThrown = () => {}): readonly string[] {
  try {
    const found = check();
    hearRejection(found);
    if (Array.isArray(found) && found.every((fault) => typeof fault === 'string')) return [...found];
    return [`the check of the props must return a list of texts, but has returned ${typeof found}`];
  } catch (thrown) {
    const error = readable(thrown);
    onThrown(error);
    return [`the check of the props has thrown: ${messageOf(error)}`];
  }
}

/**
 * @param refuse makes the error; what a check has thrown is its cause
 * @throws that error if faults are found
 */
export function assertNoFaults(
  find: (onThrown: OnThrown) => readonly string[],
  refuse: (faults: readonly string[], options?: ErrorOptions) => Error,
): void {
  let options: ErrorOptions | undefined;
  const faults = find((cause) => (options = { cause }));
  if (faults.length > 0) throw refuse(faults, options);
}
