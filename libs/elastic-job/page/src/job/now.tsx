import './map.css';
import { useLocation } from 'preact-iso';
import { useMemo } from 'preact/hooks';
import type { EventsAnswer } from '../../../src/console/contract/history-answers.js';
import type { ItemAnswer, JobAnswer } from '../../../src/console/contract/job-answers.js';
import { get, present, useReading } from '../api/index.js';
import { crashedOwners } from '../history/event-facts.js';
import { Behind, Boundary, Failed, later, Loading, Look, Panel, useHeld } from '../parts/index.js';
import { OpenReruns } from '../reruns/open-reruns.js';
import { RerunButton } from '../reruns/rerun-button.js';
import { words as rerunWords } from '../reruns/texts.js';
import { number, texts, visibleText } from '../text/index.js';
import { Inspector } from './inspector.js';
import { filterItems, type ItemFilters, itemFiltersOf, itemQueryOf, isItemFiltered } from './item-filters.js';
import { countStates, type ItemState, MARKS } from './item-state.js';
import type { ItemsProps, JobItems } from './items.js';
import { ItemTable } from './item-table.js';
import { ItemMap } from './map.js';
import { mapOf, membersWith } from './map-layout.js';

// The map comes first: what the history tells is drawn after it.
const FireTimes = later(() => import('../history/strip.js').then((part) => part.FireTimes));
const JobTimeline = later(() => import('../history/job-timeline.js').then((part) => part.JobTimeline));
const JobCharts = later(() => import('../history/charts.js').then((part) => part.JobCharts));

/** As long as a ghost stands where an instance has crashed. */
const CRASH_MS = 3_600_000;
const MOVES_EVERY_MS = 10_000;
const MOST_PLANS = 50;

interface NowProps {
  readonly job: string;
  readonly facts: JobAnswer;
  readonly items: JobItems;
}

/** The present, and how it has come to be: fire times, the items by their instances, their runs over time. */
export function Now({ facts, items, job }: NowProps) {
  const { path, query, route } = useLocation();
  const filters = itemFiltersOf(query);
  const show = (next: Partial<ItemFilters>) => route(`${path}${itemQueryOf({ ...filters, ...next })}`, true);
  return (
    <>
      <Boundary>
        <FireTimes
          job={job}
          items={facts.items}
          actions={(chosen, clear) => (
            <RerunButton job={job} {...chosen} name={rerunWords.value.rerun.button} onDone={clear} />
          )}
        />
      </Boundary>
      <OpenReruns job={job} />
      <div class="cols now">
        <div class="stack">
          <Items facts={facts} items={items} filters={filters} show={show} />
          <Boundary>
            <JobTimeline job={job} />
          </Boundary>
          <Boundary>
            <JobCharts job={job} />
          </Boundary>
        </div>
        <Inspector job={job} items={items} filters={filters} show={show} />
      </div>
    </>
  );
}

function Items({ facts, filters, items, show }: ItemsProps & { readonly facts: JobAnswer }) {
  const { job: t, locale, looks } = texts.value;
  const all = items.items.value;
  const total = items.total.value;
  const shown = useMemo(() => filterItems(all, filters), [all, itemQueryOf({ ...filters, item: undefined })]);
  const isWhole = total !== undefined && all.length >= total;
  const count = (value: number) => number(value, locale);
  const former = useFormer(facts.job);
  const { holding, isHeld, map } = useMap(facts, shown, filters, former);
  return (
    <Panel
      title={t.map.title}
      on={holding}
      beside={
        total !== undefined && (
          <span class="dim" role="status">
            {isWhole ? t.map.count(count(shown.length), count(total)) : t.map.reading(count(all.length), count(total))}
          </span>
        )
      }
      right={
        <>
          {isHeld && <span class="faint small">{looks.held}</span>}
          <ShownAs filters={filters} />
        </>
      }
    >
      {items.problem.value !== undefined && total !== undefined && (
        <Behind problem={items.problem.value} reload={items.reload} />
      )}
      <Legend filters={filters} items={items} show={show} />
      {total === undefined ? (
        items.problem.value === undefined ? (
          <Loading lines={5} />
        ) : (
          <Failed problem={items.problem.value} reload={items.reload} />
        )
      ) : shown.length === 0 && isItemFiltered(filters) && all.length > 0 ? (
        <Look
          title={t.map.none}
          more={t.map.noneMore}
          action={{ name: looks.clearFilters, run: () => show({ states: [], instance: undefined }) }}
        />
      ) : total === 0 ? (
        <Look title={t.map.noItems} more={t.map.noItemsMore} />
      ) : filters.isTable ? (
        <ItemTable items={shown} filters={filters} show={show} />
      ) : (
        <ItemMap map={map} filters={filters} show={show} />
      )}
    </Panel>
  );
}

/** The map, of which rows stay where they are while somebody is on them; new ones follow. */
function useMap(
  { members: all }: JobAnswer,
  items: readonly ItemAnswer[],
  filters: ItemFilters,
  crashed: ReadonlyMap<number, string>,
) {
  const isFiltered = isItemFiltered(filters);
  // Filters are to leave fewer rows.
  const former = isFiltered ? NOBODY : crashed;
  const members = useMemo(() => (isFiltered ? membersWith(all, items) : all), [all, items, isFiltered]);
  const fresh = useMemo(() => mapOf(members, items, [], former), [members, items, former]);
  // Other filters are another map.
  const map = itemQueryOf({ ...filters, item: undefined });
  const order = [map, ...fresh.rows.map(({ instance }) => instance)].join('\n');
  const { holding, shown: held } = useHeld(order);
  const [heldMap, ...rows] = held.split('\n');
  const isHeld = held !== order && heldMap === map;
  const shown = useMemo(() => (isHeld ? mapOf(members, items, rows, former) : fresh), [fresh, isHeld, held]);
  return { holding, isHeld: isHeld && !filters.isTable, map: shown };
}

const NOBODY: ReadonlyMap<number, string> = new Map();

/** Instances that have crashed in the last hour, by item that was taken from them; none without a history. */
function useFormer(job: string): ReadonlyMap<number, string> {
  const moves = useReading<EventsAnswer>(
    `moves ${job}`,
    (signal) => {
      const from = new Date(present() - CRASH_MS).toISOString();
      return get('/events', { signal, query: { job, kinds: 'resharded', from, limit: MOST_PLANS } });
    },
    { everyMs: MOVES_EVERY_MS },
  );
  const events = moves.value.value?.items;
  return useMemo(() => (events === undefined ? NOBODY : crashedOwners(events)), [events]);
}

function ShownAs({ filters }: { readonly filters: ItemFilters }) {
  const { path } = useLocation();
  const { asMap, asTable, show } = texts.value.job.map;
  return (
    <nav class="switch" aria-label={show}>
      {[false, true].map((isTable) => (
        <a
          key={String(isTable)}
          href={`${path}${itemQueryOf({ ...filters, isTable })}`}
          aria-current={filters.isTable === isTable ? 'true' : undefined}
        >
          {isTable ? asTable : asMap}
        </a>
      ))}
    </nav>
  );
}

/** The states that there are, with their signs. Each is a filter. */
function Legend({ filters, items, show }: ItemsProps) {
  const { job: t, jobs, locale } = texts.value;
  const { instance, states } = filters;
  const all = items.items.value;
  const counts = useMemo(() => countStates(all), [all]);
  const toggled = (state: ItemState) =>
    states.includes(state) ? states.filter((one) => one !== state) : [...states, state];
  const gone = states.filter((state) => !counts.some((one) => one.state === state));
  if (all.length === 0) return null;
  return (
    <div class="legend">
      {[...counts, ...gone.map((state) => ({ state, count: 0 }))].map(({ count, state }) => (
        <button
          key={state}
          type="button"
          aria-pressed={states.includes(state)}
          title={t.states[state].means}
          onClick={() => show({ states: toggled(state) })}
        >
          <i class={`mark ${MARKS[state].tone} ${state}`} aria-hidden="true">
            {MARKS[state].glyph}
          </i>
          {t.states[state].name} <span class="num">{number(count, locale)}</span>
        </button>
      ))}
      {instance !== undefined && (
        <button
          type="button"
          aria-pressed="true"
          aria-label={jobs.without(visibleText(instance))}
          onClick={() => show({ instance: undefined })}
        >
          {visibleText(instance)} ×
        </button>
      )}
    </div>
  );
}
