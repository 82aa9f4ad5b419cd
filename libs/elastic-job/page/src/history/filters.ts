/** Filters of runs and events, as their URLs and the API have them: a link to a list shows the same. */
import { RUN_OUTCOMES, type RunOutcomeAnswer } from '../../../src/console/contract/history-answers.js';
import { SPANS, startOfSpan } from '../text/spans.js';

/** Times of a list: a span up to the present, or a window that another view has linked to. */
interface TimeFilters {
  /** A span. */
  readonly since?: string;
  /** ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

export interface RunFilters extends TimeFilters {
  /** Whole name of a job. */
  readonly job?: string;
  readonly item?: number;
  readonly outcome?: RunOutcomeAnswer;
  /** `schedule`, `resident`, `manual`, `rerun`, or one trigger or re-run such as `manual:01jd8`. */
  readonly origin?: string;
  readonly instance?: string;
  readonly version?: string;
  /** ISO 8601. */
  readonly fireTime?: string;
}

export interface EventFilters extends TimeFilters {
  readonly job?: string;
  readonly item?: number;
  readonly kind?: string;
  readonly instance?: string;
}

export const ORIGINS = ['schedule', 'resident', 'manual', 'rerun'] as const;

type Query = Readonly<Record<string, string | undefined>>;

/** Wrong values of a URL that somebody has typed are left out. */
export function runFiltersOf(query: Query): RunFilters {
  const outcome = RUN_OUTCOMES.find((one) => one === query.outcome);
  const fireTime = instantOf(query.fireTime);
  return {
    ...textsOf(query, ['job', 'origin', 'instance', 'version']),
    ...itemOf(query.item),
    ...(outcome !== undefined && { outcome }),
    ...(fireTime !== undefined && { fireTime }),
    ...timesOf(query),
  };
}

/** Wrong values of a URL that somebody has typed are left out. */
export function eventFiltersOf(query: Query): EventFilters {
  return { ...textsOf(query, ['job', 'kind', 'instance']), ...itemOf(query.item), ...timesOf(query) };
}

/** The query of a URL, with `?` unless it is empty. */
export function queryOf(filters: RunFilters | EventFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * The query for the API: a span has its beginning, and numbers of items are those of one job.
 * @param now milliseconds since the epoch
 */
export function askedFor<Filters extends RunFilters | EventFilters>({ item, since, ...filters }: Filters, now: number) {
  const span = SPANS.find((one) => one === since);
  return {
    ...filters,
    ...(item !== undefined && filters.job !== undefined && { item }),
    ...(span !== undefined && { from: startOfSpan(span, now) }),
  };
}

function textsOf(query: Query, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = query[name]?.trim().slice(0, 512) ?? '';
      return text === '' ? [] : [[name, text]];
    }),
  );
}

function itemOf(text: string | undefined): { readonly item?: number } {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { item: Number(text) } : {};
}

/** A span and a window do not go together: the window counts. */
function timesOf({ from: first, since, to: last }: Query): TimeFilters {
  const [from, to] = [instantOf(first), instantOf(last)];
  if (from !== undefined || to !== undefined) {
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }
  const span = SPANS.find((one) => one === since);
  return span === undefined ? {} : { since: span };
}

/** A day alone has no zone, so it is no instant. */
function instantOf(text: string | undefined): string | undefined {
  const ms = text?.includes('T') === true ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
