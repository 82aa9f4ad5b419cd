import type { EventRow } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { type Column, Tag, Time, type Tone } from '../parts/index.js';
import { itemList, number, Text, texts, visibleText } from '../text/index.js';
import { countOf, fieldsOf, movedCount, wordsOf } from './event-facts.js';
import { words } from './texts.js';

/** Fields of an event as a file has them. */
export const EVENT_FIELDS = [
  'id',
  'at',
  'kind',
  'job',
  'items',
  'fireTime',
  'instance',
  'facts',
] as const satisfies readonly (keyof EventRow)[];

/** Kinds that somebody has to look at; the others tell of what is usual. */
const TONES: Readonly<Record<string, Tone>> = {
  missed: 'miss',
  early: 'miss',
  hung: 'warn',
  late: 'warn',
  skipped: 'warn',
  refused: 'warn',
  misfired: 'warn',
  mixed: 'warn',
  warning: 'warn',
  'settle-delayed': 'warn',
  'mark-released': 'warn',
  'sharding-timeout': 'warn',
  'dependency-not-met': 'warn',
  'history-dropped': 'bad',
  'failover-overflow': 'bad',
  'failover-purged': 'warn',
  'executor-died': 'bad',
  'task-lost': 'bad',
  'error-handler-failed': 'bad',
  error: 'bad',
  orphaned: 'move',
  claimed: 'move',
  'cut-short': 'move',
  resharded: 'move',
  'task-adopted': 'move',
};

export function Kind({ kind }: { readonly kind: string }) {
  return (
    <Tag tone={TONES[kind] ?? 'off'}>
      <Text>{words.value.kinds[kind] ?? kind}</Text>
    </Tag>
  );
}

/** The items of an event; those of a long list are cut. */
export function eventItems({ items }: Pick<EventRow, 'items'>): string {
  if (items === null) return '';
  const { more, shown } = itemList(items, 4);
  return more === 0 ? shown : `${shown} ${texts.value.more(more)}`;
}

/** An event in a line: how many moved, how many were missed, why, or the error. */
export function eventLine(event: EventRow): string {
  const { events: t } = words.value;
  const { locale } = texts.value;
  const count = countOf(event);
  const moved = movedCount(event);
  const told = [
    ...(moved === undefined || moved === 0 ? [] : [t.moved(moved)]),
    ...(event.kind === 'missed' && count !== undefined
      ? [count >= 1_000 ? t.missedMany : t.missed(count)]
      : count !== undefined && count > 1
        ? [t.times(number(count, locale))]
        : []),
    ...fieldsOf(event).slice(0, 5),
    ...wordsOf(event),
  ];
  return told.map((text) => visibleText(text, 'first')).join(' · ');
}

/** Columns of a list of events. @param isOfJob leaves out the job, which is that of the view */
export function eventColumns(isOfJob: boolean, hrefOf: (id: string) => string): readonly Column<EventRow>[] {
  const { columns: name } = words.value.events;
  const columns: readonly Column<EventRow>[] = [
    {
      key: 'at',
      name: name.at,
      class: 'cut',
      cell: ({ at, id }) => (
        <a href={hrefOf(id)} tabIndex={-1}>
          <Time at={at} withSeconds />
        </a>
      ),
    },
    { key: 'kind', name: name.kind, class: 'cut', cell: ({ kind }) => <Kind kind={kind} /> },
    {
      key: 'job',
      name: name.job,
      class: 'cut',
      cell: ({ job }) =>
        job !== null && (
          <a href={pathTo('jobs', job)} title={visibleText(job)} tabIndex={-1}>
            <Text>{job}</Text>
          </a>
        ),
    },
    {
      key: 'items',
      name: name.items,
      class: 'cut',
      cell: (event) => <span class="num">{eventItems(event)}</span>,
    },
    {
      key: 'what',
      name: name.what,
      class: 'cut',
      cell: (event) => <span title={eventLine(event)}>{eventLine(event)}</span>,
    },
    {
      key: 'instance',
      name: name.instance,
      class: 'cut',
      cell: ({ instance }) =>
        instance !== null && (
          <span class="mono" title={visibleText(instance)}>
            <Text>{instance}</Text>
          </span>
        ),
    },
  ];
  return isOfJob ? columns.filter(({ key }) => key !== 'job') : columns;
}
