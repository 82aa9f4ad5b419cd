import { ATTENTIONS } from '../../../src/console/contract/job-answers.js';
import { Choice, SearchField } from '../parts/index.js';
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
  const set = (name: string, value = '') => onChange(filtersOf({ ...given(filters), [name]: value }));
  return (
    <div class="filters" role="search" aria-label={t.search}>
      <SearchField label={t.search} value={filters.q ?? ''} onChange={(q) => set('q', q)} />
      <Choice
        label={t.attention}
        any={t.anyJob}
        options={[['any', t.anyAttention], ...ATTENTIONS.map((reason) => [reason, attention[reason].name] as const)]}
        value={filters.attention}
        onChoose={(chosen) => set('attention', chosen)}
      />
      <Choice
        label={t.status}
        any={t.anyStatus}
        options={STATUSES.map((status) => [status, t.statuses[status]])}
        value={filters.status}
        onChoose={(chosen) => set('status', chosen)}
      />
      {LINKED.map((name) => {
        const value = filters[name];
        if (value === undefined) return null;
        const shown = t[name](visibleText(value));
        return (
          <button key={name} type="button" class="btn" aria-label={t.without(shown)} onClick={() => set(name)}>
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
