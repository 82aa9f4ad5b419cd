import type { Seeded } from '@test/support/seeded.js';
import type { ImportPlan, Step } from './import-plan.js';

/** The moment of a kill: when the process has reported that step. */
interface Moment {
  readonly step: Step['step'];
  /** Longest time until the process dies after it has got its answer. Undefined: it gets no answer. */
  readonly withinMs?: number;
}

/** A planned SIGKILL of the next process that comes to that moment. */
export interface Kill {
  readonly moment: string;
  /** Progress of the ledger from which on the kill is due. */
  readonly due: number;
}

export const UNSAVED = 'between processing and save';
const IN_SETTLE = 'in the settle';
const IN_REPORT = 'in the report';

/** Typical time of a request to the registry, too. */
const REQUEST_MS = 5;
/** Share of the rows by which every kill is due, so that its moment is still to come. */
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
 * Plans the same number of kills for each moment of the import. The last two hit the process that ends the last of all
 * items, and the report that this starts.
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
