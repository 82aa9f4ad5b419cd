import type { Coverage } from './coverage.js';
import { History } from './history.js';
import { type Invariant, INVARIANTS, RERUN_INVARIANTS, TASK_INVARIANTS, type Violation } from './invariants/index.js';
import { type EventLog, lineOf } from './log.js';
import { taskSightings } from './task-sightings.js';
import { type Edition, planOf } from './world/plan.js';
import { taskPlanOf } from './world/task-plan.js';
import { type Mutation, World } from './world/world.js';

interface Broken {
  readonly invariant: Invariant;
  readonly violations: readonly Violation[];
}

/** One history, with its broken promises. */
export interface Simulation {
  readonly seed: number;
  readonly log: EventLog;
  readonly broken: readonly Broken[];
  /** Coverages by the numbers of the invariants. */
  readonly coverages: readonly (readonly [number, Coverage])[];
  /** Number of sightings of each situation of tasks. */
  readonly sightings: ReadonlyMap<string, number>;
}

const TAIL = 40;
/** Fails for a history that does not come to its end. */
const TO_ITS_END: Invariant = { number: 0, name: 'comes to its end', check: () => [] };

/**
 * Runs the history of a seed and checks it.
 * @param edition `tasks`: of jobs whose items are tasks
 * @throws if the world itself could not do something
 */
export async function simulate(seed: number, mutation?: Mutation, edition?: Edition | 'tasks'): Promise<Simulation> {
  const plan = edition === 'tasks' ? taskPlanOf(seed) : planOf(seed, edition);
  const world = new World(plan, mutation);
  const { log } = world;
  try {
    await world.run();
  } catch (error) {
    const violation = { at: world.clock.wallNow(), message: String(error), about: 'error' };
    return {
      seed,
      log,
      broken: [{ invariant: TO_ITS_END, violations: [violation] }],
      coverages: [],
      sightings: new Map(),
    };
  }
  const history = new History(plan, log.entries);
  const usual = [...INVARIANTS, ...RERUN_INVARIANTS];
  const invariants = plan.tasks === undefined ? usual : [...usual, ...TASK_INVARIANTS];
  const broken = invariants.flatMap((invariant): Broken[] => {
    const violations = invariant.check(history);
    return violations.length === 0 ? [] : [{ invariant, violations }];
  });
  const sightings = plan.tasks === undefined ? new Map<string, number>() : taskSightings(history);
  return { seed, log, broken, coverages: history.coverages.all, sightings };
}

/** Text of a failure for an engineer: the seed, the promise, and the log's last lines about it. */
export function report({ seed, log, broken }: Simulation): string {
  return broken
    .map(({ invariant, violations }) => {
      const { at, message, about } = violations[0]!;
      const lines = log.entries.filter((entry) => entry.at <= at).map(lineOf);
      const concerned = lines.filter((line) => line.includes(about) || / fault | healed /.test(line)).slice(-TAIL);
      return [
        `seed ${seed}: invariant ${invariant.number}, ${invariant.name}: ${message}` +
          (violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''),
        ...concerned.map((line) => `  ${line.slice(0, 300)}`),
      ].join('\n');
    })
    .join('\n');
}
