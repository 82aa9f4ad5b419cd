/** The list of runs: its filters, as the URL and the API have them, and what its rows say. */
import type { ExecutionAnswer } from '../../../src/console/contract/job-answers.js';
import type { Tone } from '../parts/index.js';
import { type Span, SPANS, startOfSpan } from '../text/spans.js';

/** Codes of problems that say that there is no history to read. */
export const NO_HISTORY: readonly string[] = ['MISSING_RUN_HISTORY', 'MISSING_HISTORY_TABLE'];
export const OUTCOMES = ['succeeded', 'failed', 'unfinished'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** Signs of outcomes, as the map has them. */
export const OUTCOME_MARKS: Readonly<Record<Outcome, { readonly glyph: string; readonly tone: Tone }>> = {
  succeeded: { glyph: '✓', tone: 'ok' },
  failed: { glyph: '!', tone: 'bad' },
  unfinished: { glyph: '▸', tone: 'run' },
};
export const SOURCES = ['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER'] as const;

export interface RunFilters {
  /** Number of an item. */
  readonly item: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly source: (typeof SOURCES)[number] | undefined;
  readonly since: Span | undefined;
  /** Id of the run that is looked at. */
  readonly run: string | undefined;
}

/** No run is left out, and none is chosen. */
export const ALL_RUNS: RunFilters = {
  item: undefined,
  outcome: undefined,
  source: undefined,
  since: undefined,
  run: undefined,
};

/** The number of an item that somebody has typed; undefined if it is none. */
export function itemOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Wrong values of a URL that somebody has typed are left out. */
export function runFiltersOf({ item, outcome, run, since, source }: Readonly<Record<string, string>>): RunFilters {
  return {
    item: itemOf(item),
    outcome: OUTCOMES.find((one) => one === outcome),
    source: SOURCES.find((one) => one === source),
    since: SPANS.find((one) => one === since),
    run: run === '' ? undefined : run,
  };
}

/** The query of the URL, with `?` unless it is empty. */
export function runQueryOf({ item, outcome, run, since, source }: RunFilters): string {
  const query = new URLSearchParams({
    ...(item !== undefined && { item: `${item}` }),
    ...(outcome !== undefined && { outcome }),
    ...(source !== undefined && { source }),
    ...(since !== undefined && { since }),
    ...(run !== undefined && { run }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

/** The query for the API. @param now milliseconds since the epoch */
export function askedFor({ item, outcome, since, source }: RunFilters, now: number) {
  return { item, outcome, source, from: since && startOfSpan(since, now) };
}

export function outcomeOf({ completedAt, succeeded }: ExecutionAnswer): Outcome {
  if (completedAt === null) return 'unfinished';
  return succeeded ? 'succeeded' : 'failed';
}

/** ElasticJob's id of a task, `job@-@0,1@-@READY@-@10.0.3.12@-@7-9f2b`. Undefined where it has another form. */
export function taskOf(task: string): { readonly items: readonly number[]; readonly instance: string } | undefined {
  const [, items = '', , ...instance] = task.split('@-@');
  if (instance.length === 0 || !/^\d+(,\d+)*$/.test(items)) return undefined;
  return { items: items.split(',').map(Number), instance: instance.join('@-@') };
}
