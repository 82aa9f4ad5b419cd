import type { JobPulse, MissedFireTimes } from '../../tracing/index.js';
import { type FireTimeResult, isoOrNull, type JobPulseAnswer } from '../contract/index.js';

/** Fire times in a row of a list. */
export const FIRE_TIMES = 10;

/**
 * How a job has done lately.
 * @param pulse undefined: the history has no run of it
 * @param missed those of the job
 */
export function pulseAnswer(pulse: JobPulse | undefined, missed: readonly MissedFireTimes[]): JobPulseAnswer {
  return {
    lastFireTimes: resultsOf(pulse?.fireTimes ?? [], missed),
    failedSince: isoOrNull(pulse?.failedSince),
    lastGoodAt: isoOrNull(pulse?.lastGoodAt),
    p95DurationMs: pulse?.p95DurationMs ?? null,
  };
}

type Counted = JobPulse['fireTimes'][number];

function resultsOf(counted: JobPulse['fireTimes'], missed: readonly MissedFireTimes[]): readonly FireTimeResult[] {
  // The history counts items that have begun. A fire time that has fewer of them than others may lack some.
  const usual = Math.max(0, ...counted.map(({ failed, running, succeeded }) => succeeded + failed + running));
  const missedAt = new Set(missed.map(({ fireTime }) => fireTime));
  const begun = counted.map((one) => ({ at: one.fireTime, result: resultOf(one, missedAt.has(one.fireTime), usual) }));
  const begunAt = new Set(counted.map(({ fireTime }) => fireTime));
  const never = missed.flatMap(({ count, fireTime }) => {
    const all = Math.min(FIRE_TIMES, begunAt.has(fireTime) ? count - 1 : count);
    return Array.from({ length: Math.max(0, all) }, () => ({ at: fireTime, result: 'missed' as const }));
  });
  return [...never, ...begun]
    .toSorted((a, b) => a.at - b.at)
    .slice(-FIRE_TIMES)
    .map(({ result }) => result);
}

function resultOf({ failed, running, succeeded }: Counted, isMissed: boolean, usual: number): FireTimeResult {
  const isPart = failed > 0 || (isMissed && succeeded + running < usual);
  if (running > 0 && !isPart) return 'running';
  if (succeeded === 0) return 'failed';
  return isPart ? 'part' : 'done';
}
