import './jobs.css';
import { useLocation } from 'preact-iso';
import type { JobRow } from '../../../src/console/contract/job-answers.js';
import { pathTo } from '../api/index.js';
import { Behind, Failed, Loading, Look, useRowHeight, useTitle, VirtualTable } from '../parts/index.js';
import { may, now, overview as glance } from '../state/index.js';
import { number, span, texts } from '../text/index.js';
import { jobColumns } from './columns.js';
import { Filters } from './filter-bar.js';
import { filtersOf, isFiltered, type JobFilters, queryOf } from './filters.js';
import { type JobPages, useJobPages } from './job-pages.js';

/** All jobs, of which the URL says which are shown and in which order. */
export function Jobs() {
  const { query, route } = useLocation();
  const { jobs: t } = texts.value;
  const filters = filtersOf(query);
  const key = queryOf(filters);
  const pages = useJobPages(filters, key);
  const show = (next: JobFilters, isReplacing = true) => route(`${pathTo('jobs')}${queryOf(next)}`, isReplacing);
  useTitle(t.title);
  return (
    <>
      <h1 class="unshown">{t.title}</h1>
      <Filters filters={filters} onChange={show} />
      <section class="panel tall" aria-label={t.title}>
        <Count pages={pages} />
        <List pages={pages} filters={filters} onChange={show} />
      </section>
    </>
  );
}

function Count({ pages }: { readonly pages: JobPages }) {
  const { jobs: t, locale, overview, units } = texts.value;
  const { value: state } = pages.state;
  const count = (value: number) => number(value, locale);
  const age = state?.asOf === undefined || state.asOf === null ? undefined : now.value - Date.parse(state.asOf);
  return (
    <header>
      <h2>{t.title}</h2>
      {state !== undefined && (
        <span class="dim" role="status">
          {t.count(count(state.matching), count(state.total))}
          {state.indexed < state.total && ` · ${overview.indexing(count(state.indexed), count(state.total))}`}
        </span>
      )}
      <span class="right">
        {age !== undefined && <span class="faint small">{t.asOf(span(age, units))}</span>}
        {may('admin') && (
          <a class="btn small" href={pathTo('new-job')}>
            {t.create}
          </a>
        )}
      </span>
    </header>
  );
}

interface ListProps {
  readonly pages: JobPages;
  readonly filters: JobFilters;
  readonly onChange: (filters: JobFilters, isReplacing?: boolean) => void;
}

function List({ filters, onChange, pages }: ListProps) {
  const { route } = useLocation();
  const { jobs: t, looks, overview } = texts.value;
  const rowHeight = useRowHeight();
  const hasHistory = glance.value.value?.history != null;
  const { value: rows } = pages.rows;
  const { value: state } = pages.state;
  const { value: problem } = pages.problem;
  if (state === undefined)
    return problem === undefined ? <Loading lines={8} /> : <Failed problem={problem} reload={pages.reload} />;
  const isEmpty = rows.length === 0 && state.matching === 0;
  if (isEmpty && isFiltered(filters)) {
    return <Look title={t.none} more={t.noneMore} action={{ name: looks.clearFilters, run: () => onChange({}) }} />;
  }
  if (isEmpty && state.indexed < state.total) return <Loading lines={8} />;
  if (isEmpty) return <Look title={overview.noJobs} more={overview.noJobsMore} />;
  return (
    <>
      {problem !== undefined && <Behind problem={problem} reload={pages.reload} />}
      {/* Another list begins at its top. */}
      <div
        key={pages.key}
        class="tall"
        onPointerEnter={({ pointerType }) => pages.hold(pointerType === 'mouse')}
        onPointerLeave={() => pages.hold(false)}
        onFocusIn={() => pages.hold(true)}
        onFocusOut={() => pages.hold(false)}
      >
        <VirtualTable<JobRow>
          label={t.title}
          class={`jobs-grid${hasHistory ? ' with-history' : ''}`}
          columns={jobColumns(hasHistory)}
          count={Math.max(rows.length, state.matching)}
          rowAt={(index) => rows[index]}
          keyAt={(index) => rows[index]?.job ?? index}
          rowHeight={rowHeight}
          sort={filters.sort ?? 'job'}
          onSort={(sort) => onChange(filtersOf({ ...filters, sort }))}
          onOpen={({ job }) => route(pathTo('jobs', job))}
          onSight={pages.show}
        />
      </div>
    </>
  );
}
