import './audit.css';
import { AUDIT_OUTCOMES } from '../../../src/console/contract/answers.js';
import { Behind, Failed, Loading, Look, useHeld } from '../parts/index.js';
import { sees } from '../state/index.js';
import { texts } from '../text/index.js';
import { useEntries } from './entries.js';
import { Entry } from './entry.js';
import { type AuditFilters, queryOf } from './filters.js';
import { Outcome } from './outcome.js';

interface AuditListProps extends AuditFilters {
  /** For a list that the person has filtered: takes all filters away. */
  readonly clear?: (() => void) | undefined;
}

/**
 * Entries of the audit, the newest first: all of them, or those of a job, a server or another filter.
 *
 * ```tsx
 * <AuditList job="settle-orders" />
 * ```
 */
export function AuditList(props: AuditListProps) {
  const { looks, roles } = texts.value;
  if (!sees('operator')) return <Look title={looks.noRight} more={looks.noRightMore(roles.operator)} />;
  return <List {...props} />;
}

function List({ clear, ...filters }: AuditListProps) {
  const { audit: t, looks } = texts.value;
  const entries = useEntries(filters, queryOf(filters));
  const { entries: known, hasMore, isReading, problem } = entries;
  const { holding, isHeld, shown } = useHeld(known.value);
  if (shown === undefined) {
    return problem.value === undefined ? <Loading /> : <Failed problem={problem.value} reload={entries.reload} />;
  }
  return (
    <>
      {problem.value !== undefined && <Behind problem={problem.value} reload={entries.reload} />}
      {shown.length === 0 && <Nothing clear={clear} isOfAll={queryOf(filters) === ''} />}
      <ul class="entries" {...holding}>
        {shown.map((entry) => (
          <Entry key={entry.id} entry={entry} isOfJob={filters.job !== undefined} />
        ))}
      </ul>
      <footer class="entries-end">
        {isHeld && <span class="faint small">{looks.held}</span>}
        {hasMore.value && (
          <button type="button" class="btn small" aria-disabled={isReading.value} onClick={entries.more}>
            {t.older}
          </button>
        )}
        {!hasMore.value && shown.length > 0 && <span class="faint small">{t.end}</span>}
      </footer>
    </>
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
    <dl class="legend">
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
