import { useEffect, useRef, useState } from 'preact/hooks';
import { ATTENTIONS } from '../../../src/console/contract/job-answers.js';
import { texts, visibleText } from '../text/index.js';
import { filtersOf, type JobFilters, STATUSES } from './filters.js';

const TYPING_MS = 150;
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
    <div class="filters" role="search">
      <Search filters={filters} onChange={(q) => set('q', q)} />
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

/** Follows the URL, and is followed by it once nobody types any more. */
function Search({
  filters: { q = '' },
  onChange,
}: {
  readonly filters: JobFilters;
  readonly onChange: (q: string) => void;
}) {
  const { search } = texts.value.jobs;
  const [text, setText] = useState(q);
  const sent = useRef(q);
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="input search"
      type="search"
      aria-label={search}
      placeholder={search}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

function given(filters: JobFilters): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filters));
}
