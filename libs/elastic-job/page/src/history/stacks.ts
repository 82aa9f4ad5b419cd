/** Bars of runs over time: what has succeeded, and on it what has not. */
import type { OverviewHistory } from '../../../src/console/contract/history-answers.js';

export type RunCounts = OverviewHistory['runs'][number];
type Outcome = 'succeeded' | 'failed' | 'aborted';

export interface Part {
  readonly outcome: Outcome;
  /** Pixels above the base line. */
  readonly bottom: number;
  readonly height: number;
}

/** A single failure among thousands of runs is still seen. */
const LEAST = 3;
const GAP = 1;

/** For each bucket its parts from the bottom up; those without a run are left out. @param room height in pixels */
export function stacksOf(runs: readonly RunCounts[], room: number): readonly (readonly Part[])[] {
  const most = Math.max(1, ...runs.map(({ aborted, failed, succeeded }) => succeeded + failed + aborted));
  return runs.map((bucket) => {
    let bottom = 0;
    return (['succeeded', 'failed', 'aborted'] as const).flatMap((outcome) => {
      if (bucket[outcome] === 0) return [];
      const height = Math.max(LEAST, (bucket[outcome] / most) * (room - 2 * (LEAST + GAP)));
      const part = { outcome, bottom, height };
      bottom += height + GAP;
      return [part];
    });
  });
}

export function countAt(runs: readonly RunCounts[], outcome: Outcome): number {
  return runs.reduce((sum, bucket) => sum + bucket[outcome], 0);
}
