import type { JobName } from '../cluster/index.js';
import { fewNames } from '../few-names.js';

/**
 * Why nothing starts after a job. `missing`: there is no such job. `no-instance`: no process runs it, because it was
 * stopped, renamed or removed from the code. `disabled`: an operator has disabled all servers that have it.
 */
export type AwayReason = 'missing' | 'no-instance' | 'disabled';

/** A job in another one's `after` that does not run. */
export interface AwayParent {
  readonly jobName: JobName;
  readonly reason: AwayReason;
  /** For a missing one, the name of a job of the namespace that was probably meant. */
  readonly nearest?: JobName | undefined;
}

const TEXTS: Readonly<Record<AwayReason, string>> = {
  missing: 'missing',
  'no-instance': 'no instance',
  disabled: 'disabled',
};

/** For people: `import-orders (no instance), check (missing; did you mean "checks"?)`. */
export function describeAwayParents(parents: readonly AwayParent[]): string {
  return fewNames(parents.map(describeParent));
}

function describeParent({ jobName, reason, nearest }: AwayParent): string {
  return `${jobName} (${TEXTS[reason]}${nearest === undefined ? '' : `; did you mean "${nearest}"?`})`;
}
