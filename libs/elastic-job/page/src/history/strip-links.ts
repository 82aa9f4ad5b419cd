/** Where a cell of the strip leads: to its run, to its runs if there are several, to its event if it was missed. */
import type { RunsAnswer } from '../../../src/console/contract/history-answers.js';
import { get, pathTo } from '../api/index.js';
import { queryOf } from './filters.js';
import type { Fate } from './strip-layout.js';

interface CellOf {
  readonly job: string;
  readonly item: number;
  /** ISO 8601. */
  readonly fireTime: string;
}

/** True if a run tells of it. */
export function hasRun(fate: Fate | undefined): boolean {
  return fate === 'done' || fate === 'again' || fate === 'failed' || fate === 'running';
}

/** Undefined where nothing was written. */
export function hrefOfCell({ fate, fireTime, item, job }: CellOf & { readonly fate: Fate | undefined }) {
  if (fate === 'missed') return `${pathTo('jobs', job, 'events')}${queryOf({ kind: 'missed', item })}`;
  return hasRun(fate) ? runsOf({ fireTime, item, job }) : undefined;
}

function runsOf({ fireTime, item, job }: CellOf): string {
  return `${pathTo('jobs', job, 'runs')}${queryOf({ item, fireTime })}`;
}

/** Opens the run of a cell at once if it is the only one. A click that asks for another tab gets the list. */
export async function openCell(
  event: MouseEvent,
  { fireTime, item, job, route }: CellOf & { readonly route: (path: string) => void },
): Promise<void> {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  // The link is for the router as well, which would go to the list at once.
  event.stopPropagation();
  const query = { job, item, fireTime, limit: 2 };
  const runs = await get<RunsAnswer>('/runs', { query }).catch(() => undefined);
  const [run, other] = runs?.items ?? [];
  route(run !== undefined && other === undefined ? pathTo('runs', run.id) : runsOf({ fireTime, item, job }));
}
