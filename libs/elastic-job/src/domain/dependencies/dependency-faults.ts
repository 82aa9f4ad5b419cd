import type { JobName } from '../cluster/index.js';
import { type ClockChangeOption, timetableOf } from '../schedule/index.js';
import { fewNames } from '../wording.js';

/** Settings of a job that decide whether it can stand in a chain. */
export interface DependencyFacts {
  readonly jobName: JobName;
  readonly after: readonly JobName[];
  readonly cron: string | undefined;
  readonly timeZone: string | undefined;
  readonly clockChange: ClockChangeOption;
  readonly monitorExecution: boolean;
  readonly resident: boolean;
}

/** The first job of a chain, found by going up from a parent, or the fault that stops the search. */
type Root = { readonly facts: DependencyFacts } | { readonly fault: string };

/**
 * Finds why a job cannot start after the jobs that it names; empty if it can. All chains must begin with the same
 * schedule, since their runs are matched by fire time.
 * @param known every job on the chains that is there; for a missing one the job waits
 */
export function findDependencyFaults(
  job: DependencyFacts,
  known: ReadonlyMap<JobName, DependencyFacts>,
): readonly string[] {
  const roots = job.after.flatMap((name) => rootsOf(name, [job.jobName], known));
  const faults = roots.flatMap((root) => ('fault' in root ? [root.fault] : []));
  const schedules = new Map(
    roots.flatMap((root) => ('fault' in root ? [] : [[timetableText(root.facts), root.facts.jobName] as const])),
  );
  if (schedules.size > 1) {
    const list = [...schedules].map(([timetable, name]) => `"${name}" by ${timetable}`).join(', ');
    faults.push(`after ${listOf(job.after)}: their runs have no fire times in common; they begin with ${list}`);
  }
  return [...new Set(faults)];
}

function rootsOf(name: JobName, path: readonly JobName[], known: ReadonlyMap<JobName, DependencyFacts>): Root[] {
  const start = `after "${name}":`;
  const chain = [...path, name];
  if (path.includes(name)) return [{ fault: `after "${chain[1]}": a circle, ${listOf(chain, ' after ')}` }];
  const facts = known.get(name);
  // A job of another service may start later; the child waits for it.
  if (facts === undefined) return [];
  const fault = findParentFault(facts);
  if (fault !== undefined) return [{ fault: `${start} ${fault}` }];
  return facts.after.length === 0 ? [{ facts }] : facts.after.flatMap((parent) => rootsOf(parent, chain, known));
}

function findParentFault({ after, cron, monitorExecution, resident }: DependencyFacts): string | undefined {
  if (resident) return 'it is resident, so its runs have no end to wait for';
  if (!monitorExecution) return 'it has monitorExecution: false, so nobody knows how its items end';
  if (cron !== undefined || after.length > 0) return undefined;
  return 'it has no schedule, so its runs have no fire time; give it a cron, or an after';
}

function timetableText(facts: DependencyFacts): string {
  const { cron, timeZone, clockChange } = timetableOf(facts, false);
  const zone = timeZone === undefined ? 'of the host' : `"${timeZone}"`;
  return `cron "${cron}", timeZone ${zone}, clockChange "${clockChange}"`;
}

function listOf(names: readonly JobName[], separator = ', '): string {
  return names.map((name) => `"${name}"`).join(separator);
}

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

/** For people: `import-orders (no instance), check (missing; did you mean "checks"?)`. */
export function describeAwayParents(parents: readonly AwayParent[]): string {
  return fewNames(parents.map(describeParent));
}

function describeParent({ jobName, reason, nearest }: AwayParent): string {
  return `${jobName} (${reason.replace('-', ' ')}${nearest === undefined ? '' : `; did you mean "${nearest}"?`})`;
}
