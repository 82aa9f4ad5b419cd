/** Names of other jobs in settings and the audit: a job prefix hides those beyond it. */
import { isObject } from '../../domain/index.js';
import { type ConsoleCaller, ConsoleProblem, hasJobPrefix, HIDDEN, seesJob } from '../contract/index.js';

type Seer = Pick<ConsoleCaller, 'jobPrefix'>;

/**
 * Jobs that are not there for the caller cannot be named.
 * @throws {ConsoleProblem} 400
 */
export function assertSeen(caller: Seer, settings: Readonly<Record<string, unknown>>): void {
  const { after } = settings;
  const named = [after].flat().filter((job) => typeof job === 'string');
  if (unseenIn(named, caller).length === 0) return;
  throw new ConsoleProblem(400, 'CONFIGURATION', 'The settings are wrong.', {
    fields: [{ field: 'after', problem: `must name jobs that begin with ${caller.jobPrefix}` }],
  });
}

/** Those of the jobs that are there for the caller. */
export function seenIn(jobs: readonly unknown[], caller: Seer): readonly unknown[] {
  return jobs.filter((job) => seesJob(caller, String(job)));
}

/** Those of the jobs that are not there for the caller. */
export function unseenIn(jobs: readonly string[], caller: Seer): readonly string[] {
  return jobs.filter((job) => !seesJob(caller, job));
}

/** Settings in an entry of the audit, as the caller sees them. */
export function shownDeed(value: unknown, caller: Seer): unknown {
  if (!isObject(value) || !hasJobPrefix(caller)) return value;
  const { after, config } = value;
  return {
    ...value,
    ...(Array.isArray(after) && { after: seenIn(after, caller) }),
    ...(typeof config === 'string' && { config: HIDDEN }),
  };
}
