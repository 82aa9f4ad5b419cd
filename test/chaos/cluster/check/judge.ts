import { type Coverage, coverage } from './coverage.js';
import { overlaps, staleEffects } from './effects.js';
import { Excuses } from './excuses.js';
import type { History, Violation } from './history.js';
import { matchTargets } from './matching.js';
import { standstill } from './progress.js';
import { silence } from './silence.js';
import { surplus } from './surplus.js';

export interface Judgement {
  /** The history as it was judged: each run that has a target knows it. */
  readonly history: History;
  readonly coverage: Coverage;
  readonly violations: readonly Violation[];
}

/** Judges a history under faults. Pure. */
export function judge(given: History): Judgement {
  const history = matchTargets(given);
  const excuses = new Excuses(history);
  const covered = coverage(history, excuses);
  const violations = [
    ...covered.lost,
    ...silence(history, excuses),
    ...surplus(history, excuses),
    ...staleEffects(history),
    ...overlaps(history),
    ...standstill(history),
  ];
  return { history, coverage: covered, violations };
}
