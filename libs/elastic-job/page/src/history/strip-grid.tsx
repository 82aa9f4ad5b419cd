/**
 * The strip as a picture: a bar for each fire time, and below it a cell for each item. It is a grid for readers of
 * screens; arrows go through it, Enter opens the run of a cell. Rows beyond those in sight are not in the document.
 */
import { useLocation } from 'preact-iso';
import type { CSSProperties } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { windowOf } from '../job/map-layout.js';
import { minute } from '../state/index.js';
import { HERE, nearTime, texts } from '../text/index.js';
import { FATE_MARKS } from './marks.js';
import { barText, fateText } from './strip-words.js';
import {
  isChosen,
  placeAfter,
  type Selection,
  type Strip,
  type StripColumn,
  withCell,
  withFireTime,
} from './strip-layout.js';
import { hasRun, hrefOfCell, openCell } from './strip-links.js';
import { words } from './texts.js';

const ROW = 20;
/** Names of fire times that stand below the bars. */
const NAMES = 6;
/** A name is wider than a column. */
const LEAST_STEP = 3;

interface StripGridProps {
  readonly job: string;
  readonly strip: Strip;
  readonly selection: Selection;
  /** Undefined: nothing can be chosen. */
  readonly choose: ((selection: Selection) => void) | undefined;
}

export function StripGrid({ choose, job, selection, strip }: StripGridProps) {
  const { route } = useLocation();
  const { strip: t } = words.value;
  const { columns, items } = strip;
  const lastPast = columns.findLastIndex(({ isNext }) => !isNext);
  const scroller = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 240 });
  const [focused, setFocused] = useState({ column: Math.max(0, lastPast), item: 0 });
  const active = { column: Math.min(focused.column, columns.length - 1), item: Math.min(focused.item, items - 1) };
  const rows = windowOf(scroll.top, scroll.height, ROW, items, 8);
  // Tab leads to a row in sight, also once the one that had the focus is not there any more.
  const tabStop = Math.max(rows.first, Math.min(rows.last, active.item));
  const times = useNames(columns);
  // The newest ones are in sight first.
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    current.scrollLeft = current.scrollWidth;
    setScroll({ top: current.scrollTop, height: current.clientHeight });
  }, []);

  const focus = (column: number, item: number) => {
    setFocused({ column, item });
    const { current } = scroller;
    if (current === null) return;
    const top = item * ROW;
    const room = current.clientHeight - 60;
    if (top < current.scrollTop) current.scrollTop = top;
    if (top + ROW > current.scrollTop + room) current.scrollTop = top + ROW - room;
    const find = () => current.querySelector<HTMLElement>(`[data-cell="${item} ${column}"]`);
    const cell = find();
    // The next key is meant for it. One out of sight is in the document once that was drawn.
    if (cell !== null) cell.focus();
    else requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (!(event.target instanceof HTMLElement) || event.target.dataset.cell === undefined) return;
    const column = columns[active.column];
    if (event.key === ' ' && column !== undefined) {
      event.preventDefault();
      if (!column.isNext && active.item < column.fates.length) {
        choose?.(withCell(selection, active.item, column.fireTime));
      }
      return;
    }
    const place = placeAfter(active, event.key, { columns: columns.length, items });
    if (place === undefined) return;
    event.preventDefault();
    focus(place.column, place.item);
  };
  const indexes = Array.from({ length: Math.max(0, rows.last - rows.first + 1) }, (_, index) => rows.first + index);
  return (
    <>
      <div
        ref={scroller}
        class="strip"
        onScroll={({ currentTarget: { clientHeight, scrollTop } }) =>
          setScroll({ top: Math.floor(scrollTop / ROW) * ROW, height: clientHeight })
        }
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => {
          const place = placeIn(target);
          if (place !== undefined) setFocused(place);
        }}
        onClick={(event) => {
          const place = placeIn(event.target);
          const column = place && columns[place.column];
          if (place === undefined || column === undefined || !hasRun(column.fates[place.item])) return;
          void openCell(event, { job, item: place.item, fireTime: column.fireTime, route });
        }}
      >
        <div role="grid" aria-label={t.label} aria-rowcount={items + 1} aria-colcount={columns.length + 1}>
          <div class="strip-head" role="row" aria-rowindex={1} style={templateOf(columns)}>
            <span class="strip-name" role="columnheader">
              {t.item}
            </span>
            {columns.map((column, index) => (
              <BarCell
                key={column.fireTime}
                column={column}
                name={times[index]!}
                isNamed={index % Math.max(LEAST_STEP, Math.ceil(columns.length / NAMES)) === 0}
                isChosen={selection.fireTimes.includes(column.fireTime)}
                choose={
                  choose === undefined || column.isNext
                    ? undefined
                    : () => choose(withFireTime(selection, column.fireTime, [...column.fates.keys()]))
                }
              />
            ))}
          </div>
          <div style={{ height: `${rows.first * ROW}px` }} />
          {indexes.map((item) => (
            <Row
              key={item}
              job={job}
              item={item}
              columns={columns}
              times={times}
              active={item === tabStop ? active.column : undefined}
              selection={selection}
            />
          ))}
          <div style={{ height: `${Math.max(0, items - rows.last - 1) * ROW}px` }} />
        </div>
      </div>
      <div class="foot">
        <span>
          <kbd>←</kbd> <kbd>→</kbd> {t.keys.fireTime}
        </span>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t.keys.item}
        </span>
        <span>
          <kbd>Enter</kbd> {t.keys.open}
        </span>
        {choose !== undefined && (
          <span>
            <kbd>Space</kbd> {t.keys.choose}
          </span>
        )}
      </div>
    </>
  );
}

/** Fire times as they are named, of which a strip has many cells each. */
function useNames(columns: readonly StripColumn[]): readonly string[] {
  const { locale } = texts.value;
  const present = minute.value;
  return useMemo(() => {
    const instants = columns.map(({ fireTime }) => Date.parse(fireTime));
    // A job may fire several times a minute.
    const withSeconds = instants.some((at) => at % 60_000 !== 0);
    return instants.map((at) => nearTime(at, present, { locale, timeZone: HERE, withSeconds }));
  }, [columns, locale, present]);
}

interface BarCellProps {
  readonly column: StripColumn;
  readonly name: string;
  readonly isNamed: boolean;
  readonly isChosen: boolean;
  readonly choose: (() => void) | undefined;
}

function BarCell({ choose, column, isChosen: chosen, isNamed, name }: BarCellProps) {
  const { strip: t } = words.value;
  const label = t.bar(name, barText(column));
  const bar = <i class={`fire ${column.bar}`} style={{ '--share': `${Math.round(column.share * 100)}%` }} />;
  return (
    <span class="strip-bar" role="columnheader" title={label}>
      {choose === undefined ? (
        <>
          {bar}
          <span class="unshown">{label}</span>
        </>
      ) : (
        <button type="button" aria-pressed={chosen} aria-label={`${t.chooseFireTime(name)}, ${label}`} onClick={choose}>
          {bar}
        </button>
      )}
      {isNamed && (
        <time class="fire-name" dateTime={column.fireTime}>
          {name}
        </time>
      )}
    </span>
  );
}

function templateOf(columns: readonly StripColumn[]): CSSProperties {
  return { gridTemplateColumns: `var(--name) repeat(${columns.length}, minmax(15px, 34px))` };
}

/** The place of a cell that has been clicked or focused. */
function placeIn(target: EventTarget | null): { readonly column: number; readonly item: number } | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
  const [item, column] = (cell?.dataset.cell ?? '').split(' ').map(Number);
  return item === undefined || column === undefined ? undefined : { column, item };
}

interface RowProps {
  readonly job: string;
  readonly item: number;
  readonly columns: readonly StripColumn[];
  readonly times: readonly string[];
  /** The column that has the focus; undefined if it is in another row. */
  readonly active: number | undefined;
  readonly selection: Selection;
}

/** Drawn anew only if something in it has changed: a strip is scrolled row by row. */
function Row({ active, columns, item, job, selection, times }: RowProps) {
  const draw = () => (
    <div class="strip-row" role="row" aria-rowindex={item + 2} style={templateOf(columns)}>
      <span class="strip-name num" role="rowheader">
        {item}
      </span>
      {columns.map((column, index) => (
        <Cell
          key={column.fireTime}
          job={job}
          item={item}
          column={column}
          index={index}
          name={times[index]!}
          isActive={index === active}
          isChosen={isChosen(selection, item, column.fireTime)}
        />
      ))}
    </div>
  );
  return useMemo(draw, [active, columns, item, job, selection, times, words.value]);
}

interface CellProps {
  readonly job: string;
  readonly item: number;
  readonly column: StripColumn;
  readonly index: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly isChosen: boolean;
}

function Cell({ column, index, isActive, isChosen: chosen, item, job, name }: CellProps) {
  const fate = column.fates[item];
  const label = words.value.strip.cell(item, name, fateText(column, item));
  const shared = {
    'data-cell': `${item} ${index}`,
    tabIndex: isActive ? 0 : -1,
    'aria-label': label,
    title: label,
  };
  const mark = fate === undefined ? undefined : FATE_MARKS[fate];
  const own = `mark ${mark?.tone ?? 'nothing'} ${fate ?? ''}${chosen ? ' chosen' : ''}`;
  const href = hrefOfCell({ job, item, fireTime: column.fireTime, fate });
  return (
    <span role="gridcell" aria-selected={chosen}>
      {href === undefined ? (
        <span class={own} role="img" {...shared}>
          {mark?.glyph}
        </span>
      ) : (
        <a class={own} href={href} {...shared}>
          {mark?.glyph}
        </a>
      )}
    </span>
  );
}
