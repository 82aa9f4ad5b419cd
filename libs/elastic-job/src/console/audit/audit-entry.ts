import type { AuditEntry, AuditOutcome, AuditTarget } from '../contract/index.js';
import type { AuditEnd, AuditFilter } from './audit-store.js';

/** True for actions such as `job.disable` and `item.enable`. */
export function isSwitch({ action }: Pick<AuditEntry, 'action'>): boolean {
  return /(?:^|\.)(?:enable|disable)$/.test(action);
}

/** True for actions such as `session.login`. */
function isOfSession({ action }: AuditEntry): boolean {
  return action.startsWith('session.');
}

/** A text for each target, by which its entries are found. */
export function targetKey({ job, item, server }: AuditTarget): string {
  return JSON.stringify([job ?? null, item ?? null, server ?? null]);
}

/** The entry with its end. One that has ended stays as it is. */
export function withEnd(entry: AuditEntry, end: AuditEnd | undefined): AuditEntry {
  if (end === undefined || entry.outcome !== 'intended') return entry;
  const { before = entry.before, after = entry.after, code, outcome } = end;
  return { ...entry, before, after, outcome, code };
}

/** The outcome as a reader sees it. */
export function shownOutcome({ at, outcome }: Pick<AuditEntry, 'at' | 'outcome'>, unknownUntil: string): AuditOutcome {
  return outcome === 'intended' && at <= unknownUntil ? 'unknown' : outcome;
}

/** True if the filter asks for the entry, but for its place. For stores that look at each entry. */
export function isAskedFor(entry: AuditEntry, filter: AuditFilter): boolean {
  const { action, from, job, outcome, seenBy, server, to, unknownUntil, who } = filter;
  return (
    (job === undefined || entry.target.job === job) &&
    (server === undefined || entry.target.server === server) &&
    (who === undefined || entry.who === who) &&
    (action === undefined || entry.action === action) &&
    (outcome === undefined || shownOutcome(entry, unknownUntil) === outcome) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at < to) &&
    (seenBy === undefined || isSeenBy(entry, seenBy))
  );
}

/** True if a caller with a prefix may see the entry. */
export function isSeenBy(entry: AuditEntry, { jobPrefix, name }: NonNullable<AuditFilter['seenBy']>): boolean {
  const { job } = entry.target;
  return job === undefined ? entry.who === name && isOfSession(entry) : job.startsWith(jobPrefix);
}
