import { ATTENTIONS } from '../../../src/console/contract/job-answers.js';
import { SearchField } from '../parts/index.js';
import { texts, visibleText } from '../text/index.js';
import { filtersOf, type JobFilters, STATUSES } from './filters.js';

/** Filters that other views link to, and that are taken away here. */
const LINKED = ['label', 'template', 'server'] as const;

interface FiltersProps {
  readonly filters: JobFilters;
  readonly onChange: (filters: JobFilters) => void;
}

export function Filters({ filters, onChange }: FiltersProps) {
  const { attention, jobs: t } = texts.value;
  const set = (name: string, value: string) => onChange(filtersOf({ ...given(filters), [name]: value }));
  return (
    <div class="filters" role="search" aria-label={t.search}>
      <SearchField label={t.search} value={filters.q ?? ''} onChange={(q) => set('q', q)} />
      <select
        class="input"
        aria-label={t.attention}
        value={filters.attention ?? ''}
        onChange={(event) => set('attention', event.currentTarget.value)}
      >
        <option value="">{t.anyJob}</option>
        <option value="any">{t.anyAttention}</option>
        {ATTENTIONS.map((reason) => (
          <option key={reason} value={reason}>
            {attention[reason].name}
          </option>
        ))}
      </select>
      <select
        class="input"
        aria-label={t.status}
        value={filters.status ?? ''}
        onChange={(event) => set('status', event.currentTarget.value)}
      >
        <option value="">{t.anyStatus}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {t.statuses[status]}
          </option>
        ))}
      </select>
      {LINKED.map((name) => {
        const value = filters[name];
        if (value === undefined) return null;
        const shown = t[name](visibleText(value));
        return (
          <button key={name} type="button" class="btn" aria-label={t.without(shown)} onClick={() => set(name, '')}>
            {shown} ×
          </button>
        );
      })}
    </div>
  );
}

function given(filters: JobFilters): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filters));
}
