import type { Clock } from '../../libs/elastic-job/src/clock/index.js';

/**
 * Gives fire times for ticks by hand. Each is the present instant, or the millisecond after the last one: a second tick
 * for the same fire time begins nothing, and a whole run may take less than a millisecond.
 */
export function fireTimes(clock: Pick<Clock, 'wallNow'>): () => number {
  let last = -Infinity;
  return () => (last = Math.max(clock.wallNow(), last + 1));
}
