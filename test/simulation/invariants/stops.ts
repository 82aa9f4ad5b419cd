import type { History } from '../history.js';
import { timeOf, type Violation } from './invariant.js';

/** Drain time of a process, and the extra time that it may take, in milliseconds of its own clock. */
const DRAIN_MS = 3_000;
const LONGEST_REST_MS = 3_000;

/**
 * 27. A stop of a process is over in time, in any state of the process and the registry, and ends the process's
 * handlers.
 */
export function check27StopsAreBounded(history: History): Violation[] {
  const limitMs = 1.05 * (DRAIN_MS + LONGEST_REST_MS) + 50;
  return history.of('leaving').flatMap(({ instance, at }): Violation[] => {
    history.judges(27);
    const left = history.of('left').find((end) => end.instance === instance && end.at >= at);
    const over = history.of('over').at(-1)?.at ?? history.closingAt;
    if ((left?.at ?? Infinity) <= at + limitMs || over < at + limitMs) return [];
    const message = `instance ${instance} was told to stop at ${timeOf(at)}, and has not stopped after ${limitMs} ms`;
    return [{ at: at + limitMs, message, about: `"instance":${instance}` }];
  });
}
