import type { Seeded } from '../../support/seeded.js';
import type { ImportPlan, Step } from './import-plan.js';

/** Where in its work a process is killed: when it has told of that step. */
interface Moment {
  readonly step: Step['step'];
  /** It gets its answer, and dies at most that much later. Undefined: it gets none any more. */
  readonly withinMs?: number;
}

/** A planned SIGKILL of whoever comes to that moment next. */
export interface Kill {
  readonly moment: string;
  /** The progress of the ledger from which on it is due. */
  readonly due: number;
}

export const UNSAVED = 'between processing and save';
const IN_SETTLE = 'in the settle';
const IN_REPORT = 'in the report';

/** Also what a request to the registry takes, about. */
const REQUEST_MS = 5;
/** Of the rows: what is due by then has its moment still to come. */
const LAST_DUE = 0.8;

export function momentsOf({ batchMs }: ImportPlan): Readonly<Record<string, Moment>> {
  return {
    'in the fetch': { step: 'fetch', withinMs: REQUEST_MS },
    'in the processing': { step: 'process', withinMs: batchMs },
    [UNSAVED]: { step: 'write' },
    'in the save': { step: 'write', withinMs: REQUEST_MS },
    'right after the save': { step: 'saved' },
    [IN_SETTLE]: { step: 'end', withinMs: 2 * REQUEST_MS },
    [IN_REPORT]: { step: 'report' },
  };
}

/**
 * As many of each moment of the import as of the others. The last two hit whoever brings the last of all items to its
 * end, and the report that this starts.
 */
export function planKills(count: number, plan: ImportPlan, chance: Seeded): Kill[] {
  const moments = Object.keys(momentsOf(plan)).filter((moment) => moment !== IN_REPORT);
  const kills = Array.from({ length: count - 2 }, (_, index) => ({
    moment: moments[index % moments.length]!,
    due: chance.between(0, LAST_DUE * plan.rows),
  }));
  const atTheEnd = plan.rows + plan.items;
  return [...kills, { moment: IN_SETTLE, due: atTheEnd }, { moment: IN_REPORT, due: atTheEnd }];
}
