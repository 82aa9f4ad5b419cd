/**
 * A table of which only the rows in sight are in the document, for lists of any length. For readers of screens it is a
 * grid with its full number of rows. One row has the focus: arrows, Page Up and Down, Home and End move it, Enter opens
 * it, and so does a click on it beside its links and buttons.
 *
 * Columns stand under each other by the class of the table: a rule such as `.jobs-grid [role='row'] {
 * grid-template-columns: ... }`, also for narrow screens.
 */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { texts } from '../text/index.js';

export interface Column<Row> {
  readonly key: string;
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True if the list can be sorted by it. */
  readonly isSortable?: boolean;
  readonly class?: string;
}

interface VirtualTableProps<Row> {
  readonly label: string;
  readonly class: string;
  readonly columns: readonly Column<Row>[];
  /** Number of all rows, also of those that were not read yet. */
  readonly count: number;
  /** Undefined: it was not read yet. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly keyAt: (index: number) => string | number;
  readonly rowHeight: number;
  /** The key of a column, with `-` before it if descending. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly onOpen: (row: Row) => void;
  /** Told of the rows in sight. */
  readonly onSight?: (first: number, last: number) => void;
}

const OVERSCAN = 8;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { class: own, columns, count, keyAt, label, onSight, rowHeight } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualRows(scroller, { count, rowHeight });
  const [first = 0, last = 0] = [rows.items[0]?.index, rows.items.at(-1)?.index];
  useEffect(() => onSight?.(first, last), [first, last, count, onSight]);
  const [focused, setFocused] = useState(0);
  const active = Math.min(focused, Math.max(0, count - 1));
  const move = useFocusMoves({ ...props, rows, scroller, active, setFocused });
  return (
    <div ref={scroller} class={`grid ${own}`} role="grid" aria-label={label} aria-rowcount={count + 1} onKeyDown={move}>
      <Head {...props} />
      <div class="body" role="rowgroup" style={{ height: `${rows.total}px` }}>
        {rows.items.map(({ index, start }) => (
          <TableRow
            key={keyAt(index)}
            columns={columns}
            row={props.rowAt(index)}
            index={index}
            start={start}
            height={rowHeight}
            isActive={index === active}
            onFocus={() => setFocused(index)}
            onOpen={props.onOpen}
          />
        ))}
      </div>
    </div>
  );
}

function Head<Row>({ columns, onSort, sort = '' }: VirtualTableProps<Row>) {
  const { sortBy } = texts.value.jobs;
  const sorted = sort.replace(/^-/, '');
  return (
    <div role="rowgroup">
      <div class="head" role="row" aria-rowindex={1}>
        {columns.map(({ class: own, isSortable = false, key, name }) => {
          const order = key !== sorted ? undefined : sort.startsWith('-') ? 'descending' : 'ascending';
          const next = order === 'ascending' ? `-${key}` : key;
          return (
            <span role="columnheader" class={own} key={key} aria-sort={isSortable ? (order ?? 'none') : undefined}>
              {isSortable && onSort !== undefined ? (
                <button type="button" title={sortBy(name)} onClick={() => onSort(next)}>
                  {name} {order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}
                </button>
              ) : (
                name
              )}
            </span>
          );
        })}
      </div>
    </div>
  );
}

interface TableRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row | undefined;
  readonly index: number;
  readonly start: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly onFocus: () => void;
  readonly onOpen: (row: Row) => void;
}

function TableRow<Row>({ columns, height, index, isActive, onFocus, onOpen, row, start }: TableRowProps<Row>) {
  const open = ({ target }: MouseEvent) => {
    const isOnControl = target instanceof Element && target.closest('a, button, input') !== null;
    // A text that was selected in the row is to be copied.
    if (row !== undefined && !isOnControl && getSelection()?.isCollapsed !== false) onOpen(row);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      style={{ height: `${height}px`, transform: `translateY(${start}px)` }}
      onFocus={onFocus}
      onClick={open}
    >
      {columns.map(({ cell, class: own = '', key }) => (
        <span role="gridcell" class={`cell-${key} ${own}`} key={key}>
          {row === undefined ? <span class="skeleton" /> : cell(row)}
        </span>
      ))}
    </div>
  );
}

interface VirtualRows {
  readonly items: readonly { readonly index: number; readonly start: number }[];
  readonly total: number;
  readonly show: (index: number) => void;
  /** Number of rows that are in sight at once. */
  readonly atOnce: number;
}

function useVirtualRows(
  scroller: { readonly current: HTMLDivElement | null },
  { count, rowHeight }: Pick<VirtualTableProps<unknown>, 'count' | 'rowHeight'>,
): VirtualRows {
  const [, update] = useReducer((version: number) => version + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    // The head stays at the top of the scroller.
    scrollPaddingStart: 33,
    onChange: () => update(0),
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), []);
  virtualizer.setOptions(options);
  // Its adapters for other frameworks call the same two.
  // oxlint-disable-next-line no-underscore-dangle
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  // oxlint-disable-next-line no-underscore-dangle
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  return {
    items: virtualizer.getVirtualItems(),
    total: virtualizer.getTotalSize(),
    show: (index) => virtualizer.scrollToIndex(index),
    atOnce: Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowHeight) - 1),
  };
}

interface Moves<Row> extends VirtualTableProps<Row> {
  readonly rows: VirtualRows;
  readonly scroller: { readonly current: HTMLDivElement | null };
  readonly active: number;
  readonly setFocused: (index: number) => void;
}

function useFocusMoves<Row>({ active, count, onOpen, rowAt, rows, scroller, setFocused }: Moves<Row>) {
  return (event: KeyboardEvent) => {
    if (!(event.target instanceof Element) || event.target.getAttribute('role') !== 'row') return;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + rows.atOnce,
      PageUp: active - rows.atOnce,
      Home: 0,
      End: count - 1,
    };
    const row = rowAt(active);
    if (event.key === 'Enter' && row !== undefined) return onOpen(row);
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(count - 1, target));
    setFocused(index);
    rows.show(index);
    // It is in the document after the scrolling.
    const focus = (tries: number) =>
      requestAnimationFrame(() => {
        const found = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
        if (found) found.focus({ preventScroll: true });
        else if (tries > 0) focus(tries - 1);
      });
    focus(10);
  };
}

const NARROW = matchMedia('(max-width: 900px)');

/** The height of a row, which has two lines where the screen is narrow. */
export function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const onChange = () => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', onChange);
    return () => NARROW.removeEventListener('change', onChange);
  }, []);
  return isNarrow ? 58 : 38;
}
