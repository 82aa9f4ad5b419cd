import { type ConsoleCaller, ConsoleProblem, seesJob } from '../contract/index.js';

/**
 * Settings may name other jobs: those that are not there for the caller cannot be named.
 * @throws {ConsoleProblem} 400
 */
export function assertSeen(caller: ConsoleCaller, settings: Readonly<Record<string, unknown>>): void {
  const { after } = settings;
  const unseen = [after].flat().some((job) => typeof job === 'string' && !seesJob(caller, job));
  if (!unseen) return;
  throw new ConsoleProblem(400, 'CONFIGURATION', 'The settings are wrong.', {
    fields: [{ field: 'after', problem: `must name jobs that begin with ${caller.jobPrefix}` }],
  });
}
