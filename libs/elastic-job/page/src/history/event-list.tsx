import './history.css';
import '../job/job.css';
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { EventRow, EventsAnswer } from '../../../src/console/contract/history-answers.js';
import { get, present, useNewestFirst } from '../api/index.js';
import { Behind, Choice, Failed, Loading, Look, Panel, useHeld, useRowHeight, VirtualTable } from '../parts/index.js';
import { HERE, number, texts } from '../text/index.js';
import { EVENT_FIELDS, eventColumns } from './event-columns.js';
import { EventDetails } from './event-details.js';
import { KINDS } from './event-facts.js';
import { NameField, TimeFields } from './filter-fields.js';
import { askedFor, type EventFilters, eventFiltersOf, queryOf } from './filters.js';
import { isNoHistory, NoHistory, Stale } from './looks.js';
import { Save } from './save.js';
import { words } from './texts.js';

const PAGE = 100;
const EVERY_MS = 5_000;
/** Rows before the end of the list at which older ones are read. */
const AHEAD = 40;

/** Events of the history, the newest first: those of a job, or of all. Filters and the chosen one are in the URL. */
export function EventList({ job }: { readonly job?: string }) {
  const { path, query, route } = useLocation();
  const filters = eventFiltersOf(query);
  const events = useEvents(job === undefined ? filters : { ...filters, job });
  const problem = events.problem.value;
  if (events.value.value === undefined && isNoHistory(problem)) {
    return (
      <Panel title={words.value.events.title}>
        <NoHistory problem={problem} />
      </Panel>
    );
  }
  const set = (changes: Readonly<Record<string, string | undefined>>) => {
    const given = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
    route(`${path}${queryOf(eventFiltersOf({ ...given, ...changes }))}`, true);
  };
  const hrefOf = (id: string) => {
    const search = new URLSearchParams(queryOf(filters));
    search.set('event', id);
    return `${path}?${search}`;
  };
  const chosen = query['event'];
  return (
    <>
      <Filters filters={filters} set={set} job={job} />
      <div class="cols now">
        <List
          events={events}
          isFiltered={queryOf(filters) !== ''}
          isOfJob={job !== undefined}
          clear={() => route(path, true)}
          hrefOf={hrefOf}
        />
        <EventDetails
          id={chosen}
          events={events.value.value?.items}
          close={() => route(`${path}${queryOf(filters)}`, true)}
        />
      </div>
    </>
  );
}

/** The events that the filters leave, for as long as they are shown. */
function useEvents(filters: EventFilters) {
  const key = queryOf(filters);
  // A cursor belongs to one query, so a span has one beginning.
  const asked = useMemo(() => {
    const { kind, ...others } = askedFor(filters, present());
    return { ...others, kinds: kind };
  }, [key]);
  return useNewestFirst<EventRow>(
    key,
    (query, signal) => get<EventsAnswer>('/events', { query: { ...asked, ...query, limit: PAGE }, signal }),
    { everyMs: EVERY_MS },
  );
}

interface FiltersProps {
  readonly filters: EventFilters;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
  readonly job: string | undefined;
}

function Filters({ filters, job, set }: FiltersProps) {
  const { filter: t, kinds } = words.value;
  const { instance, item, kind } = filters;
  return (
    <div class="filters" role="search" aria-label={t.events}>
      <Choice
        label={t.kind}
        any={t.anyKind}
        options={KINDS.map((one) => [one as string, kinds[one] ?? one])}
        value={kind}
        onChoose={(chosen) => set({ kind: chosen })}
      />
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
      <NameField label={t.instance} value={instance ?? ''} onChange={(text) => set({ instance: text })} />
      <TimeFields filters={filters} set={set} />
    </div>
  );
}

interface ListProps {
  readonly events: ReturnType<typeof useEvents>;
  readonly isFiltered: boolean;
  readonly isOfJob: boolean;
  readonly clear: () => void;
  readonly hrefOf: (id: string) => string;
}

function List({ clear, events, hrefOf, isFiltered, isOfJob }: ListProps) {
  const { route } = useLocation();
  const { locale, looks } = texts.value;
  const { events: t } = words.value;
  const rowHeight = useRowHeight();
  const list = events.value.value;
  const problem = events.problem.value;
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
          <Save list="events" columns={EVENT_FIELDS} rows={rows} />
        </>
      }
    >
      {shown?.stale === true && <Stale />}
      {problem !== undefined && list !== undefined && <Behind problem={problem} reload={events.reload} />}
      {list === undefined ? (
        problem === undefined ? (
          <Loading lines={8} />
        ) : (
          <Failed problem={problem} reload={events.reload} />
        )
      ) : rows.length === 0 ? (
        isFiltered ? (
          <Look title={t.noMatch} more={t.noMatchMore} action={{ name: looks.clearFilters, run: clear }} />
        ) : (
          <Look title={t.empty} more={t.emptyMore} />
        )
      ) : (
        <VirtualTable<EventRow>
          label={t.title}
          class={`event-grid${isOfJob ? ' of-job' : ''}`}
          columns={eventColumns(isOfJob, hrefOf)}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyAt={(index) => rows[index]?.id ?? index}
          rowHeight={rowHeight}
          onOpen={({ id }) => route(hrefOf(id), true)}
          onSight={(_, last) => last >= rows.length - AHEAD && events.more()}
        />
      )}
    </Panel>
  );
}
