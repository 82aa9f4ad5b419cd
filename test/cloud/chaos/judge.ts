import type { ChaosJob } from './chaos-settings.js';

/** A line of the ledger. Instants are in milliseconds since the epoch. */
export interface Line {
  readonly kind: 'begin' | 'end';
  readonly job: string;
  readonly item: number;
  readonly fireTime: number;
  readonly run: string;
  readonly launch: number;
  readonly scheduler: string;
  readonly pid: number;
  readonly at: number;
}

/** One task, as the ledger shows it. */
interface Task extends Line {
  readonly begun: number;
  /** Undefined: it has written no end. */
  readonly ended: number | undefined;
}

export interface Verdict {
  /** Targets that some task has ended. */
  readonly targets: number;
  readonly tasks: number;
  /** Tasks that were launched again because their scheduler had been killed. */
  readonly repeated: number;
  /** Of these, tasks that had written their end before their scheduler could record it. */
  readonly repeatedAfterEnd: number;
  readonly violations: readonly string[];
}

/** Tasks of a killed scheduler are gone by then, in milliseconds. */
const LONGEST_DEATH_MS = 1_000;
/** An end is in the registry by then, in milliseconds: a later death of the scheduler repeats nothing. */
const LONGEST_SETTLE_MS = 5_000;

/**
 * Judges a ledger.
 *
 * - lost: a fire time of the span that no task of an item has ended for;
 * - doubled: a target that was launched again although the scheduler of the earlier task was not killed, or only long
 *   after that had ended;
 * - overlap: two tasks of an item at once. A task of a killed scheduler counts as alive for a second.
 *
 * @param killed when each scheduler was killed
 * @param span fire times from the first instant up to the second one are due
 */
export function judge(
  lines: readonly Line[],
  jobs: readonly ChaosJob[],
  killed: ReadonlyMap<string, number>,
  span: { readonly from: number; readonly until: number; readonly everyMs: number },
): Verdict {
  const tasks = tasksOf(lines);
  const byItem = grouped(tasks, ({ item, job }) => `${job}/${item}`);
  const violations: string[] = [];
  let targets = 0;
  let repeated = 0;
  let repeatedAfterEnd = 0;
  for (const { items, name } of jobs) {
    for (let item = 0; item < items; item += 1) {
      const own = byItem.get(`${name}/${item}`) ?? [];
      violations.push(...findOverlaps(own, killed));
      const byTarget = grouped(own, ({ fireTime }) => String(fireTime));
      for (let fireTime = span.from; fireTime <= span.until; fireTime += span.everyMs) {
        const of = byTarget.get(String(fireTime)) ?? [];
        if (of.some(({ ended }) => ended !== undefined)) targets += 1;
        else violations.push(`lost: ${name}/${item} at ${new Date(fireTime).toISOString()}`);
      }
      for (const of of byTarget.values()) {
        for (const earlier of of.slice(0, -1)) {
          repeated += 1;
          if (earlier.ended !== undefined) repeatedAfterEnd += 1;
          if (!isExcused(earlier, killed)) violations.push(`doubled: ${describe(earlier)} was launched again`);
        }
      }
    }
  }
  return { targets, tasks: tasks.length, repeated, repeatedAfterEnd, violations };
}

function isExcused({ begun, ended, scheduler }: Task, killed: ReadonlyMap<string, number>): boolean {
  const at = killed.get(scheduler);
  if (at === undefined || at < begun - LONGEST_DEATH_MS) return false;
  return ended === undefined || at <= ended + LONGEST_SETTLE_MS;
}

function findOverlaps(tasks: readonly Task[], killed: ReadonlyMap<string, number>): readonly string[] {
  const inOrder = tasks.toSorted((a, b) => a.begun - b.begun);
  return inOrder.slice(1).flatMap((later, index) => {
    const earlier = inOrder[index]!;
    const gone = earlier.ended ?? (killed.get(earlier.scheduler) ?? Infinity) + LONGEST_DEATH_MS;
    return later.begun < gone ? [`overlap: ${describe(earlier)} and ${describe(later)}`] : [];
  });
}

function tasksOf(lines: readonly Line[]): readonly Task[] {
  const keyOf = ({ launch, pid, run, scheduler }: Line) => `${run} ${launch} ${scheduler} ${pid}`;
  const ends = new Map(lines.filter(({ kind }) => kind === 'end').map((line) => [keyOf(line), line.at]));
  return lines
    .filter(({ kind }) => kind === 'begin')
    .map((line) => ({ ...line, begun: line.at, ended: ends.get(keyOf(line)) }));
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

function describe({ begun, ended, fireTime, item, job, launch, scheduler }: Task): string {
  const until = ended === undefined ? 'without an end' : `ended ${new Date(ended).toISOString()}`;
  const from = `begun ${new Date(begun).toISOString()}, ${until}`;
  return `${job}/${item} for ${new Date(fireTime).toISOString()}, launch ${launch}, on ${scheduler} (${from})`;
}
