import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { ExecutionAnswer, ExecutionsAnswer } from '../../../src/console/contract/job-answers.js';
import { apiPath, get, present, useNewestFirst } from '../api/index.js';
import {
  Behind,
  Choice,
  type Column,
  Failed,
  Loading,
  Look,
  Panel,
  Tag,
  Time,
  useHeld,
  VirtualTable,
} from '../parts/index.js';
import { HERE, number, span, Text, texts } from '../text/index.js';
import { SPANS } from '../text/spans.js';
import { Instance } from './fact.js';
import { RunDetails } from './run-details.js';
import {
  ALL_RUNS,
  askedFor,
  itemOf,
  NO_HISTORY,
  OUTCOME_MARKS,
  OUTCOMES,
  outcomeOf,
  type RunFilters,
  runFiltersOf,
  runQueryOf,
  SOURCES,
} from './run-filters.js';

const PAGE = 100;
const EVERY_MS = 5_000;
/** Rows before the end of the list at which older ones are read. */
const AHEAD = 40;

/** Runs of the job from the history. */
export function Runs({ job }: { readonly job: string }) {
  const { path, query, route } = useLocation();
  const filters = runFiltersOf(query);
  const runs = useRuns(job, filters);
  const show = (next: Partial<RunFilters>) => route(`${path}${runQueryOf({ ...filters, ...next })}`, true);
  const list = runs.value.value;
  const problem = runs.problem.value;
  const { looks } = texts.value;
  if (list === undefined && problem !== undefined && NO_HISTORY.includes(problem.code)) {
    return (
      <Panel title={texts.value.job.runs.title}>
        <Look title={looks.noHistory} more={looks.noHistoryMore} />
      </Panel>
    );
  }
  return (
    <>
      <Filters filters={filters} show={show} />
      <div class="cols now">
        <List runs={runs} filters={filters} show={show} />
        <RunDetails job={job} runs={list?.items} filters={filters} show={show} />
      </div>
    </>
  );
}

/** The runs that the filters leave, for as long as they are shown. */
function useRuns(job: string, filters: RunFilters) {
  const key = JSON.stringify([job, { ...filters, run: undefined }]);
  // A cursor belongs to one query, so a span has one beginning.
  const asked = useMemo(() => askedFor(filters, present()), [key]);
  return useNewestFirst(
    key,
    (query, signal) =>
      get<ExecutionsAnswer>(apiPath('jobs', job, 'executions'), { query: { ...asked, ...query, limit: PAGE }, signal }),
    { everyMs: EVERY_MS },
  );
}

interface ListProps {
  readonly runs: ReturnType<typeof useRuns>;
  readonly filters: RunFilters;
  readonly show: (next: Partial<RunFilters>) => void;
}

function List({ filters, runs, show }: ListProps) {
  const { path } = useLocation();
  const { job, locale, looks } = texts.value;
  const { runs: t } = job;
  const list = runs.value.value;
  const problem = runs.problem.value;
  const { holding, isHeld, shown } = useHeld(list);
  const isFiltered = runQueryOf({ ...filters, run: undefined }) !== '';
  const rows = shown?.items ?? [];
  return (
    <Panel
      title={t.title}
      on={holding}
      beside={
        <span class="dim" role="status">
          {shown === undefined ? t.newest : t.shown(number(rows.length, locale), shown.cursor === null)} · {HERE}
        </span>
      }
      right={isHeld && <span class="faint small">{looks.held}</span>}
    >
      {problem !== undefined && list !== undefined && <Behind problem={problem} reload={runs.reload} />}
      {list === undefined ? (
        problem === undefined ? (
          <Loading lines={8} />
        ) : (
          <Failed problem={problem} reload={runs.reload} />
        )
      ) : rows.length === 0 ? (
        isFiltered ? (
          <Look
            title={t.noneMatches}
            more={t.noneMatchesMore}
            action={{
              name: looks.clearFilters,
              run: () => show({ ...ALL_RUNS, run: filters.run }),
            }}
          />
        ) : (
          <Look title={t.none} more={t.noneMore} />
        )
      ) : (
        <VirtualTable<ExecutionAnswer>
          label={t.title}
          class="runs-grid"
          columns={runColumns(filters, path)}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyAt={(index) => rows[index]?.id ?? index}
          rowHeight={34}
          onOpen={({ id }) => show({ run: id })}
          onSight={(_, last) => last >= rows.length - AHEAD && runs.more()}
        />
      )}
    </Panel>
  );
}

function runColumns(filters: RunFilters, path: string): readonly Column<ExecutionAnswer>[] {
  const { job, units } = texts.value;
  const { columns: name, outcomes } = job.runs;
  return [
    {
      key: 'started',
      name: name.started,
      class: 'cut',
      cell: ({ id, startedAt }) => (
        <a href={`${path}${runQueryOf({ ...filters, run: id })}`} tabIndex={-1}>
          <Time at={startedAt} withSeconds />
        </a>
      ),
    },
    { key: 'item', name: name.item, class: 'right', cell: ({ item }) => <span class="num">{item}</span> },
    {
      key: 'outcome',
      name: name.outcome,
      class: 'cut',
      cell: (run) => {
        const outcome = outcomeOf(run);
        const { glyph, tone } = OUTCOME_MARKS[outcome];
        return (
          <Tag tone={tone}>
            <span aria-hidden="true">{glyph}</span> {outcomes[outcome]}
          </Tag>
        );
      },
    },
    {
      key: 'took',
      name: name.took,
      class: 'right',
      cell: ({ completedAt, startedAt }) =>
        completedAt !== null && <span class="num">{span(Date.parse(completedAt) - Date.parse(startedAt), units)}</span>,
    },
    { key: 'server', name: name.server, class: 'cut', cell: ({ ip }) => <Instance>{ip}</Instance> },
    {
      key: 'error',
      name: name.error,
      class: 'cut',
      cell: ({ error }) => error !== null && <Text lines="first">{error}</Text>,
    },
  ];
}

function Filters({ filters: { item, outcome, since, source }, show }: Pick<ListProps, 'filters' | 'show'>) {
  const { job, spans } = texts.value;
  const { runs: t } = job;
  return (
    <div class="filters">
      <ItemField item={item} show={show} />
      <Choice
        label={t.outcome}
        any={t.anyOutcome}
        options={OUTCOMES.map((one) => [one, t.outcomes[one]])}
        value={outcome}
        onChoose={(chosen) => show({ outcome: chosen })}
      />
      <Choice
        label={t.source}
        any={t.anySource}
        options={SOURCES.map((one) => [one, t.sources[one] ?? one])}
        value={source}
        onChoose={(chosen) => show({ source: chosen })}
      />
      <Choice
        label={t.since}
        any={t.anyTime}
        options={SPANS.map((one) => [one, spans[one]])}
        value={since}
        onChoose={(chosen) => show({ since: chosen })}
      />
    </div>
  );
}

/** A text that is no number of an item leaves no run out. */
function ItemField({ item, show }: Pick<RunFilters, 'item'> & Pick<ListProps, 'show'>) {
  const { anyItem, item: label } = texts.value.job.runs;
  return (
    <label class="item-field">
      {label}
      <input
        class="input"
        inputMode="numeric"
        placeholder={anyItem}
        value={item ?? ''}
        onChange={({ currentTarget }) => {
          const chosen = itemOf(currentTarget.value.trim());
          currentTarget.value = `${chosen ?? ''}`;
          show({ item: chosen });
        }}
      />
    </label>
  );
}
