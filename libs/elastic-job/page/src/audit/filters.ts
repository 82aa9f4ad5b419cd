/** Filters of the audit, as its URL has them: a link to it shows the same. */
import { AUDIT_OUTCOMES, type AuditOutcome } from '../../../src/console/contract/answers.js';
import type { AuditQuery } from '../../../src/console/contract/queries.js';
import { SPANS, startOfSpan } from '../text/spans.js';

export interface AuditFilters {
  readonly who?: string;
  readonly action?: string;
  readonly job?: string;
  readonly server?: string;
  readonly outcome?: AuditOutcome;
  /** A span up to the present, or an instant of ISO 8601. */
  readonly since?: string;
}

/** Wrong values of a URL that somebody has typed are left out. @param query of a URL */
export function filtersOf(query: Readonly<Record<string, string | undefined>>): AuditFilters {
  const text = (name: string) => {
    const value = query[name]?.trim().slice(0, 512) ?? '';
    return value === '' ? {} : { [name]: value };
  };
  const outcome = AUDIT_OUTCOMES.find((one) => one === query.outcome);
  return {
    ...text('who'),
    ...text('action'),
    ...text('job'),
    ...text('server'),
    ...(outcome !== undefined && { outcome }),
    ...(startOf(query.since, 0) !== undefined && query.since !== undefined && { since: query.since }),
  };
}

/** The query of the URL, with `?` unless it is empty. */
export function queryOf(filters: AuditFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** The query for the API. @param now milliseconds since the epoch */
export function askedFor({ since, ...filters }: AuditFilters, now: number): Omit<AuditQuery, 'cursor' | 'limit'> {
  const from = startOf(since, now);
  return { ...filters, ...(from !== undefined && { from }) };
}

/** An instant of ISO 8601; undefined for all times. */
function startOf(since: string | undefined, now: number): string | undefined {
  const span = SPANS.find((one) => one === since);
  if (span !== undefined) return startOfSpan(span, now);
  // A day alone has no zone.
  const ms = since?.includes('T') === true ? Date.parse(since) : NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
