import type { Fault, Violation } from '../cluster/check/index.js';
import { DEAF_JOB, type TaskLine } from './task-line.js';

/** Counts of the ledger. */
export interface TaskCounts {
  readonly begun: number;
  readonly ended: number;
  /** Tasks that were killed with their schedulers, or since these were cut off or stood still. */
  readonly died: number;
  /** Those of them that ignore what they are told. */
  readonly deaf: number;
  /** Launches of a target after its first one. */
  readonly relaunches: number;
}

export function countTasks(lines: readonly TaskLine[]): TaskCounts {
  const begins = lines.filter(({ step }) => step === 'begin');
  const ended = lines.filter(({ step }) => step === 'end').length;
  const killed = unended(lines);
  const deaf = killed.filter(({ job }) => job === DEAF_JOB).length;
  return {
    begun: begins.length,
    ended,
    died: killed.length,
    deaf,
    relaunches: begins.filter(({ launch }) => launch > 1).length,
  };
}

/**
 * Finds faults in the ledger of tasks that the judge of runs does not see: a launch of a target that begins twice,
 * launches that do not rise, and a task that died although its scheduler lived. Pure.
 * @param faults those of schedulers
 */
export function taskFaults(lines: readonly TaskLine[], faults: readonly Fault[]): readonly Violation[] {
  const struck = new Set(faults.map(({ victim }) => victim));
  const early = unended(lines).filter(({ worker }) => !struck.has(worker));
  return [
    ...doubled(lines),
    ...early.map((line) => violation('unexplained', line, 'has no end, and its scheduler was well')),
  ];
}

function doubled(lines: readonly TaskLine[]): readonly Violation[] {
  const latest = new Map<string, TaskLine>();
  const found: Violation[] = [];
  for (const line of lines.filter(({ step }) => step === 'begin').toSorted((a, b) => a.at - b.at)) {
    const target = `${line.job} ${line.item} ${line.fireTime}`;
    const former = latest.get(target);
    if (former !== undefined && line.launch <= former.launch) {
      found.push(
        violation('doubled', line, `comes after launch ${former.launch} of the same target (run ${former.run})`),
      );
    }
    latest.set(target, line);
  }
  return found;
}

/** Begins of tasks without any later message. */
function unended(lines: readonly TaskLine[]): readonly TaskLine[] {
  const over = new Set(lines.filter(({ step, isSeen }) => step !== 'begin' && isSeen !== true).map(({ run }) => run));
  return lines.filter(({ step, run }) => step === 'begin' && !over.has(run));
}

function violation(rule: Violation['rule'], { job, item, at, launch, worker, run }: TaskLine, why: string): Violation {
  return { rule, job, item, at, text: `launch ${launch} by ${worker} (run ${run}) ${why}` };
}
