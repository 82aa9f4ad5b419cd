import type { RerunOptions } from '../../../libs/elastic-job/src/operations/index.js';
import { Chance } from './chance.js';
import type { PlannedJob } from './plan.js';

const DAY_MS = 86_400_000;
/** Longest stretch of re-run fire times of a job, in milliseconds: more of them would make a history too long. */
const LONGEST_MS = 60_000;

/**
 * Draws a re-run: of some items, for one to ten fire times, which are the last ones, some of the history, or
 * yesterday's.
 */
export function drawRerun(
  who: number,
  job: Pick<PlannedJob, 'after' | 'periodMs' | 'shardingTotalCount'>,
  now: number,
): RerunOptions {
  const chance = new Chance(Math.floor(who * 2 ** 32));
  const periodMs = job.periodMs || 1_000;
  const anyTime = job.after !== undefined || chance.is(0.2);
  const drawn = Array.from({ length: job.shardingTotalCount }, (_, item) => item).filter(() => chance.is(0.6));
  const count = Math.max(1, Math.min(chance.pick([1, 1, 2, 3, 10]), Math.floor(LONGEST_MS / periodMs)));
  const latest = Math.floor((now - 1) / periodMs) * periodMs - chance.pick([0, 0, 3 * periodMs, DAY_MS]);
  const step = chance.pick([1, 1, 3]) * periodMs;
  const offsetMs = anyTime ? chance.between(-500, 0) : 0;
  return {
    items: drawn.length > 0 ? drawn : [0],
    fireTimes: Array.from({ length: count }, (_, index) => latest - (count - 1 - index) * step + offsetMs),
    ...(chance.is(0.3) && { parameters: 'once more' }),
    ...(anyTime && { anyTime }),
  };
}
