/**
 * The map of items by instances. Only cells in sight are in the document, and the one that has the focus. It is a grid
 * for readers of screens, whose cells are links to the inspector; the arrow keys go from item to item. A cell stays the
 * same element while its item moves to another row, so it keeps the focus, and is seen to move.
 */
import { useLocation } from 'preact-iso';
import type { CSSProperties } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts, visibleText } from '../text/index.js';
import { itemQueryOf } from './item-filters.js';
import type { ItemsProps } from './items.js';
import { MARKS } from './item-state.js';
import { Who } from './map-who.js';
import { useSight } from './sight.js';
import { columnWidth, type JobMap, type MapCell, neighbourOf, scrollTo, windowOf } from './map-layout.js';

const ROW = 32;
const HEAD = 28;
const PAGE = 10;

type MapProps = Pick<ItemsProps, 'filters' | 'show'> & { readonly map: JobMap };

export function ItemMap({ filters, map, show }: MapProps) {
  const { path } = useLocation();
  const { map: t } = texts.value.job;
  const scroller = useRef<HTMLDivElement>(null);
  const sight = useSight(scroller);
  const { cells, rows } = map;
  const greatest = cells.at(-1)?.item.item ?? 0;
  const width = columnWidth(cells.length, greatest, sight.width - sight.label - 8);
  const columns = windowOf(sight.x, sight.width - sight.label, width, cells.length);
  const inSight = windowOf(sight.y, sight.height - HEAD, ROW, rows.length);
  const [focused, setFocused] = useState<number | undefined>(filters.item);
  const active = cells.find(({ item }) => item.item === focused) ?? cells[0];
  const isShown = ({ column }: MapCell) => column >= columns.first && column <= columns.last;
  const isRowShown = (row: number) => row >= inSight.first && row <= inSight.last;
  const inColumns = cells.slice(columns.first, columns.last + 1);
  const drawn = inColumns.filter((cell) => cell === active || isRowShown(cell.row));
  if (active !== undefined && !isShown(active)) drawn.push(active);
  const placeOf = (column: number, row: number): CSSProperties => ({
    left: `${sight.label + column * width}px`,
    width: `${width}px`,
    transform: `translateY(${HEAD + row * ROW}px)`,
  });

  const reveal = ({ column, row }: MapCell) => {
    const { current } = scroller;
    if (current === null) return;
    current.scrollLeft = scrollTo(current.scrollLeft, sight.width - sight.label, column * width, width);
    current.scrollTop = scrollTo(current.scrollTop, sight.height - HEAD, row * ROW, ROW);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || active === undefined) return;
    if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      event.target.click();
    }
    if (event.key === 'Escape') show({ item: undefined });
    if (!(event.target instanceof HTMLAnchorElement)) return;
    const target = neighbourOf(cells, active, event.key, PAGE);
    if (target === undefined) return;
    event.preventDefault();
    setFocused(target.item.item);
    reveal(target);
    // It is in the document once this was drawn.
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-item="${target.item.item}"]`)?.focus({ preventScroll: true });
    });
  };
  const chosen = cells.find(({ item }) => item.item === filters.item);
  const isReady = chosen !== undefined && sight.width > 0;
  // One that a link leads to is brought into sight, once it was read.
  useEffect(() => {
    if (isReady) reveal(chosen);
  }, [filters.item, isReady]);

  const sheet: CSSProperties = {
    width: `${sight.label + cells.length * width + 8}px`,
    height: `${HEAD + rows.length * ROW}px`,
    '--column': `${width}px`,
    '--label': `${sight.label}px`,
    '--items': `${cells.length * width}px`,
  };
  return (
    <>
      <div ref={scroller} class="map" onKeyDown={onKeyDown}>
        <div class="sheet" style={sheet}>
          <div
            class="map-rows"
            role="grid"
            aria-label={t.label}
            aria-rowcount={rows.length + 1}
            aria-colcount={cells.length + 1}
          >
            <div class="map-head" role="row" aria-rowindex={1}>
              <span class="who" role="columnheader" aria-colindex={1}>
                {t.instance}
              </span>
              {inColumns.map(({ column, item }) => (
                <span
                  key={item.item}
                  class="number"
                  role="columnheader"
                  aria-colindex={column + 2}
                  style={{ left: `${sight.label + column * width}px`, width: `${width}px` }}
                >
                  {item.item}
                </span>
              ))}
            </div>
            {rows.map((row, index) => {
              if (!isRowShown(index) && active?.row !== index) return null;
              const own = drawn.filter((cell) => cell.row === index).map(({ item }) => `item-${item.item}`);
              return (
                <div
                  key={row.instance}
                  class="map-row"
                  role="row"
                  aria-rowindex={index + 2}
                  aria-owns={own.join(' ')}
                  style={{ top: `${HEAD + index * ROW}px` }}
                >
                  <Who row={row} show={show} />
                </div>
              );
            })}
          </div>
          {/* Their rows own them, for readers of screens. */}
          {drawn.map((cell) => (
            <Cell
              key={cell.item.item}
              cell={cell}
              place={placeOf(cell.column, cell.row)}
              href={`${path}${itemQueryOf({ ...filters, item: cell.item.item })}`}
              isActive={cell === active}
              isChosen={cell.item.item === filters.item}
              onFocus={() => setFocused(cell.item.item)}
            />
          ))}
          {inColumns.flatMap(({ column, formerRow, item, ownerRow }) =>
            [
              { row: ownerRow, title: t.ghost(item.item) },
              { row: formerRow, title: t.formerGhost(item.item) },
            ].map(
              ({ row, title }) =>
                row !== undefined &&
                isRowShown(row) && (
                  <span key={title} class="place" style={placeOf(column, row)} aria-hidden="true">
                    <span class="mark ghost" title={title} />
                  </span>
                ),
            ),
          )}
        </div>
      </div>
      <div class="foot">
        <span>
          <kbd>←</kbd> <kbd>→</kbd> {t.keys.item}
        </span>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t.keys.instance}
        </span>
        <span>
          <kbd>Enter</kbd> {t.keys.open}
        </span>
      </div>
    </>
  );
}

interface CellProps {
  readonly cell: MapCell;
  readonly place: CSSProperties;
  readonly href: string;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onFocus: () => void;
}

function Cell({ cell: { column, item, ownerRow, state }, href, isActive, isChosen, onFocus, place }: CellProps) {
  const { map: t, states } = texts.value.job;
  const { glyph, tone } = MARKS[state];
  const where = item.holder ?? item.owner;
  const named = item.parameter === null ? `${item.item}` : `${item.item} ${visibleText(item.parameter)}`;
  const at = where === null ? t.nobody : t.at(visibleText(where));
  const others = ownerRow === undefined || item.owner === null ? '' : `, ${t.with(visibleText(item.owner))}`;
  const label = t.cell(named, states[state].name, `${at}${others}`);
  return (
    <span
      id={`item-${item.item}`}
      class="place"
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={isChosen}
      style={place}
    >
      <a
        class={`mark ${tone} ${state}${isChosen ? ' chosen' : ''}`}
        href={href}
        data-item={item.item}
        tabIndex={isActive ? 0 : -1}
        aria-label={label}
        title={label}
        onFocus={onFocus}
      >
        {glyph}
      </a>
    </span>
  );
}
