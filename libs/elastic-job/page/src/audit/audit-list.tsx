import './audit.css';
import { useMemo } from 'preact/hooks';
import { AUDIT_OUTCOMES, type AuditAnswer } from '../../../src/console/contract/answers.js';
import { get, present, useNewestFirst } from '../api/index.js';
import { Look, Read, useHeld } from '../parts/index.js';
import { sees } from '../state/index.js';
import { texts } from '../text/index.js';
import { Entry } from './entry.js';
import { askedFor, type AuditFilters, queryOf } from './filters.js';
import { Outcome } from './outcome.js';

const PAGE = 50;
const EVERY_MS = 10_000;

interface AuditListProps {
  readonly filters: AuditFilters;
  /** For a list that the person has filtered: takes all filters away. */
  readonly clear?: (() => void) | undefined;
}

/**
 * Entries of the audit, the newest first: all of them, or those of a job, a server or another filter.
 *
 * ```tsx
 * <AuditList filters={{ job: 'settle-orders' }} />
 * ```
 */
export function AuditList(props: AuditListProps) {
  const { looks, roles } = texts.value;
  if (!sees('operator')) return <Look title={looks.noRight} more={looks.noRightMore(roles.operator)} />;
  return <List {...props} />;
}

/** The tab of a job. */
export function JobAudit({ job }: { readonly job: string }) {
  return <AuditList filters={{ job }} />;
}

function List({ clear, filters }: AuditListProps) {
  const entries = useEntries(filters);
  const { holding, isHeld, shown } = useHeld(entries.value.value);
  const { items = [], cursor = null } = shown ?? {};
  const { audit: t, looks } = texts.value;
  return (
    <Read of={entries}>
      {() => (
        <>
          {items.length === 0 && <Nothing clear={clear} isOfAll={queryOf(filters) === ''} />}
          <ul class="entries" {...holding}>
            {items.map((entry) => (
              <Entry key={entry.id} entry={entry} isOfJob={filters.job !== undefined} />
            ))}
          </ul>
          <footer class="entries-end">
            {isHeld && <span class="faint small">{looks.held}</span>}
            {cursor !== null && (
              <button type="button" class="btn small" aria-disabled={entries.isReading.value} onClick={entries.more}>
                {t.older}
              </button>
            )}
            {cursor === null && items.length > 0 && <span class="faint small">{t.end}</span>}
          </footer>
        </>
      )}
    </Read>
  );
}

/** The entries that the filters ask for, for as long as they are shown. */
function useEntries(filters: AuditFilters) {
  const key = queryOf(filters);
  // A cursor belongs to one query, so a span has one beginning.
  const asked = useMemo(() => askedFor(filters, present()), [key]);
  return useNewestFirst(
    key,
    (query, signal) => get<AuditAnswer>('/audit', { query: { ...asked, ...query, limit: PAGE }, signal }),
    { everyMs: EVERY_MS, topics: ['audit'] },
  );
}

interface NothingProps {
  readonly clear: (() => void) | undefined;
  readonly isOfAll: boolean;
}

function Nothing({ clear, isOfAll }: NothingProps) {
  const { audit: t, looks } = texts.value;
  if (isOfAll) return <Look title={t.empty} more={t.emptyMore} />;
  if (clear === undefined) return <Look title={t.emptyHere} more={t.emptyHereMore} />;
  return <Look title={t.none} more={t.noneMore} action={{ name: looks.clearFilters, run: clear }} />;
}

/** Explains each outcome. */
export function Legend() {
  const { audit: t } = texts.value;
  return (
    <dl class="outcomes">
      {AUDIT_OUTCOMES.map((outcome) => (
        <div key={outcome}>
          <dt>
            <Outcome outcome={outcome} />
          </dt>
          <dd class="dim">{t.means[outcome]}</dd>
        </div>
      ))}
      <div>
        <dt>
          <b>{t.outside}</b>
        </dt>
        <dd class="dim">{t.outsideMeans}</dd>
      </div>
    </dl>
  );
}
