import { useLocation } from 'preact-iso';
import { AUDIT_OUTCOMES } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { Choice, useTitle } from '../parts/index.js';
import { sees } from '../state/index.js';
import { HERE, texts } from '../text/index.js';
import { SPANS } from '../text/spans.js';
import { AuditList, Legend } from './audit-list.js';
import { type AuditFilters, filtersOf, queryOf } from './filters.js';

/** Filters that are a whole name, as the API compares them. */
const NAMES = ['who', 'job', 'server'] as const;

export function Audit() {
  const { query, route } = useLocation();
  const { audit: t } = texts.value;
  const filters = filtersOf(query);
  const key = queryOf(filters);
  const show = (next: AuditFilters) => route(`${pathTo('audit')}${queryOf(next)}`, true);
  useTitle(t.title);
  return (
    <>
      <h1 class="unshown">{t.title}</h1>
      {sees('operator') && <Filters filters={filters} onChange={show} />}
      <section class="panel" aria-label={t.title}>
        <header>
          <h2>{t.title}</h2>
          <span class="right faint small">{t.times(HERE)}</span>
        </header>
        <AuditList key={key} filters={filters} clear={key === '' ? undefined : () => show({})} />
      </section>
      {sees('operator') && (
        <details class="panel fold">
          <summary>{t.legend}</summary>
          <Legend />
        </details>
      )}
    </>
  );
}

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  const { actions, audit: t, looks, outcomes, spans } = texts.value;
  const set = (name: keyof AuditFilters, value: string | undefined) =>
    onChange(filtersOf({ ...filters, [name]: value }));
  const { action, outcome, since } = filters;
  return (
    <div class="filters" role="search" aria-label={t.filter}>
      {NAMES.map((name) => (
        <NameFilter
          key={name}
          label={t.filters[name]}
          value={filters[name] ?? ''}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Choice
        label={t.filters.action}
        any={t.anyAction}
        options={Object.keys(actions).map((one) => [one, t.names[one] ?? one])}
        value={action}
        onChoose={(chosen) => set('action', chosen)}
      />
      <Choice
        label={t.filters.outcome}
        any={t.anyOutcome}
        options={AUDIT_OUTCOMES.map((one) => [one, outcomes[one]])}
        value={outcome}
        onChoose={(chosen) => set('outcome', chosen)}
      />
      <Choice
        label={t.filters.since}
        any={t.anyTime}
        options={SPANS.map((one) => [one, spans[one]])}
        value={since}
        onChoose={(chosen) => set('since', chosen)}
      />
      {queryOf(filters) !== '' && (
        <button type="button" class="btn" onClick={() => onChange({})}>
          {looks.clearFilters}
        </button>
      )}
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Counts once it is whole: with Enter, or when the focus leaves it. */
function NameFilter({ label, onChange, value }: FieldProps) {
  return (
    <input
      class="input name-filter"
      aria-label={label}
      placeholder={label}
      autocapitalize="none"
      spellcheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
