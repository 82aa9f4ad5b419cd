import {
  AUDIT_OUTCOMES,
  type AuditAnswer,
  type AuditEntry,
  type AuditOutcome,
  type AuditQuery,
  type ConsoleCaller,
  ConsoleProblem,
  formatCursor,
  parseCursor,
} from '../contract/index.js';
import { shownOutcome } from './audit-entry.js';
import type { AuditFilter, AuditPosition } from './audit-store.js';

const DEFAULT_LIMIT = 50;

/**
 * The filter of a query, with room for one more entry, which tells if there is another page.
 * @throws {ConsoleProblem} 400 for a wrong query
 */
export function filterOf(
  query: AuditQuery,
  { jobPrefix, name }: Pick<ConsoleCaller, 'jobPrefix' | 'name'>,
  unknownUntil: string,
): AuditFilter {
  const { action, cursor, from, job, limit = DEFAULT_LIMIT, outcome, server, to, who } = query;
  return {
    action,
    job,
    server,
    who,
    unknownUntil,
    limit: limit + 1,
    outcome: outcome === undefined ? undefined : knownOutcome(outcome),
    from: from === undefined ? undefined : instantOf('from', from),
    to: to === undefined ? undefined : instantOf('to', to),
    seenBy: jobPrefix === undefined || jobPrefix === '' ? undefined : { jobPrefix, name },
    after: cursor === undefined ? undefined : positionOf(parseCursor('audit', query, cursor)),
  };
}

/** @param found the entries that the store has for the filter */
export function pageOf(
  query: AuditQuery,
  { limit, unknownUntil }: AuditFilter,
  found: readonly AuditEntry[],
): AuditAnswer {
  const page = found.slice(0, limit - 1);
  const last = found.length === limit ? page.at(-1) : undefined;
  return {
    items: page.map((entry) => ({ ...entry, outcome: shownOutcome(entry, unknownUntil) })),
    cursor: last === undefined ? null : formatCursor('audit', query, [last.at, last.id]),
  };
}

function knownOutcome(given: string): AuditOutcome {
  const outcome = AUDIT_OUTCOMES.find((known) => known === given);
  return outcome ?? wrong('outcome', `must be one of ${AUDIT_OUTCOMES.join(', ')}`);
}

function instantOf(field: string, given: string): string {
  const ms = Date.parse(given);
  return Number.isNaN(ms) ? wrong(field, 'must be an instant of ISO 8601') : new Date(ms).toISOString();
}

function positionOf([at, id]: readonly (string | number)[]): AuditPosition {
  if (typeof at !== 'string' || typeof id !== 'string') return wrong('cursor', 'must be the cursor of a page');
  return { at: instantOf('cursor', at), id };
}

function wrong(field: string, problem: string): never {
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', `${field} ${problem}.`, { fields: [{ field, problem }] });
}
