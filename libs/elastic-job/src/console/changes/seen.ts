/** Names of other jobs in settings, dumps and the audit: a job prefix hides those beyond it. */
import { isObject } from '../../domain/index.js';
import { type ConsoleCaller, ConsoleProblem, HIDDEN, seesJob } from '../contract/index.js';

type Seer = Pick<ConsoleCaller, 'jobPrefix'>;

/**
 * Jobs that are not there for the caller cannot be named.
 * @throws {ConsoleProblem} 400
 */
export function assertSeen(caller: Seer, settings: Readonly<Record<string, unknown>>): void {
  const { after } = settings;
  const unseen = [after].flat().some((job) => typeof job === 'string' && !seesJob(caller, job));
  if (!unseen) return;
  throw new ConsoleProblem(400, 'CONFIGURATION', 'The settings are wrong.', {
    fields: [{ field: 'after', problem: `must name jobs that begin with ${caller.jobPrefix}` }],
  });
}

/** A dump as the caller sees it. */
export function shownDump(dump: string, job: string, caller: Seer): string {
  if ((caller.jobPrefix ?? '') === '') return dump;
  const [after, dependents] = [`/${job}/after | `, `/${job}/dependents/`];
  const lines = dump.split('\n').flatMap((line) => {
    if (line.startsWith(after)) return after + HIDDEN;
    if (!line.startsWith(dependents)) return line;
    return seesJob(caller, line.slice(dependents.length).split(' | ')[0]!) ? line : [];
  });
  return withoutParents(lines.join('\n'));
}

/** Settings in an entry of the audit, as the caller sees them. */
export function shownDeed(value: unknown, caller: Seer): unknown {
  if (!isObject(value) || (caller.jobPrefix ?? '') === '') return value;
  const { after, config } = value;
  return {
    ...value,
    ...(Array.isArray(after) && { after: after.filter((job) => seesJob(caller, String(job))) }),
    ...(typeof config === 'string' && { config: withoutParents(config) }),
  };
}

/** Of a masked text of settings. */
function withoutParents(config: string): string {
  return config.replaceAll(/^( {2}"nestjs\.after": ).*$/gm, `$1${HIDDEN}`);
}
