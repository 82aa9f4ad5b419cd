import './history.css';
import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { RUN_OUTCOMES, type RunRow, type RunsAnswer } from '../../../src/console/contract/history-answers.js';
import { get, pathTo, present, useNewestFirst } from '../api/index.js';
import { Behind, Choice, Failed, Loading, Look, Panel, useHeld, useRowHeight, VirtualTable } from '../parts/index.js';
import { HERE, number, texts } from '../text/index.js';
import { NameField, TimeFields } from './filter-fields.js';
import { askedFor, ORIGINS, queryOf, type RunFilters, runFiltersOf } from './filters.js';
import { isNoHistory, NoHistory, Stale } from './looks.js';
import { RUN_FIELDS, runColumns } from './run-columns.js';
import { Save } from './save.js';
import { words } from './texts.js';

const PAGE = 100;
const EVERY_MS = 5_000;
/** Rows before the end of the list at which older ones are read. */
const AHEAD = 40;

interface RunListProps {
  /** The job of the view. @default the one of the filters, or all of them */
  readonly job?: string;
  /** Stands in its place where there is no history. */
  readonly without?: ((code: string) => ComponentChildren) | undefined;
}

/** Runs of items from the history, the newest first. Its filters are in the URL. */
export function RunList({ job, without }: RunListProps) {
  const { path, query, route } = useLocation();
  const filters = runFiltersOf(query);
  const runs = useRuns(job === undefined ? filters : { ...filters, job });
  const problem = runs.problem.value;
  if (runs.value.value === undefined && isNoHistory(problem)) {
    return (
      without?.(problem.code) ?? (
        <Panel title={words.value.runs.title}>
          <NoHistory problem={problem} />
        </Panel>
      )
    );
  }
  const set = (changes: Readonly<Record<string, string | undefined>>) => {
    const given = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
    route(`${path}${queryOf(runFiltersOf({ ...given, ...changes }))}`, true);
  };
  return (
    <>
      <Filters filters={filters} set={set} job={job} />
      <List
        runs={runs}
        isFiltered={queryOf(filters) !== ''}
        isOfJob={job !== undefined}
        clear={() => route(path, true)}
      />
    </>
  );
}

/** The runs that the filters leave, for as long as they are shown. */
function useRuns(filters: RunFilters) {
  const key = queryOf(filters);
  // A cursor belongs to one query, so a span has one beginning.
  const asked = useMemo(() => askedFor(filters, present()), [key]);
  return useNewestFirst<RunRow>(
    key,
    (query, signal) => get<RunsAnswer>('/runs', { query: { ...asked, ...query, limit: PAGE }, signal }),
    { everyMs: EVERY_MS },
  );
}

interface FiltersProps {
  readonly filters: RunFilters;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly job: string | undefined;
}

function Filters({ filters, job, set }: FiltersProps) {
  const { filter: t, origins, outcomes } = words.value;
  const { instance, item, origin, outcome, version } = filters;
  return (
    <div class="filters" role="search" aria-label={t.runs}>
      {job === undefined && (
        <NameField label={t.job} value={filters.job ?? ''} onChange={(text) => set({ job: text })} />
      )}
      <NameField
        label={t.item}
        value={`${item ?? ''}`}
        isShort
        isDisabled={job === undefined && filters.job === undefined}
        onChange={(text) => set({ item: text })}
      />
      <Choice
        label={t.outcome}
        any={t.anyOutcome}
        options={RUN_OUTCOMES.map((one) => [one, outcomes[one].name])}
        value={outcome}
        onChoose={(chosen) => set({ outcome: chosen })}
      />
      <Choice
        label={t.origin}
        any={t.anyOrigin}
        options={ORIGINS.map((one) => [one as string, origins[one] ?? one])}
        value={origin}
        onChoose={(chosen) => set({ origin: chosen })}
      />
      <NameField label={t.instance} value={instance ?? ''} onChange={(text) => set({ instance: text })} />
      <NameField label={t.version} value={version ?? ''} isShort onChange={(text) => set({ version: text })} />
      <TimeFields filters={filters} set={set} />
    </div>
  );
}

interface ListProps {
  readonly runs: ReturnType<typeof useRuns>;
  readonly isFiltered: boolean;
  readonly isOfJob: boolean;
  readonly clear: () => void;
}

function List({ clear, isFiltered, isOfJob, runs }: ListProps) {
  const { route } = useLocation();
  const { locale, looks } = texts.value;
  const { runs: t } = words.value;
  const rowHeight = useRowHeight();
  const list = runs.value.value;
  const problem = runs.problem.value;
  const { holding, isHeld, shown } = useHeld(list);
  const rows = shown?.items ?? [];
  return (
    <Panel
      title={t.title}
      on={holding}
      beside={
        <span class="dim" role="status">
          {shown !== undefined && `${t.count(number(rows.length, locale), shown.cursor === null)} · `}
          {HERE}
        </span>
      }
      right={
        <>
          {isHeld && <span class="faint small">{looks.held}</span>}
          <Save list="runs" columns={RUN_FIELDS} rows={rows} />
        </>
      }
    >
      {shown?.stale === true && <Stale />}
      {problem !== undefined && list !== undefined && <Behind problem={problem} reload={runs.reload} />}
      {list === undefined ? (
        problem === undefined ? (
          <Loading lines={8} />
        ) : (
          <Failed problem={problem} reload={runs.reload} />
        )
      ) : rows.length === 0 ? (
        isFiltered ? (
          <Look title={t.noMatch} more={t.noMatchMore} action={{ name: looks.clearFilters, run: clear }} />
        ) : (
          <Look title={t.empty} more={t.emptyMore} />
        )
      ) : (
        <VirtualTable<RunRow>
          label={t.title}
          class={`history-grid${isOfJob ? ' of-job' : ''}`}
          columns={runColumns(isOfJob)}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyAt={(index) => rows[index]?.id ?? index}
          rowHeight={rowHeight}
          onOpen={({ id }) => route(pathTo('runs', id))}
          onSight={(_, last) => last >= rows.length - AHEAD && runs.more()}
        />
      )}
    </Panel>
  );
}
