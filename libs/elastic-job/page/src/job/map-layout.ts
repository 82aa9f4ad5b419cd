/**
 * The map of a job: a column for each item, a row for each instance. An item has one cell, in the row of the instance
 * that runs it, or else of the one that owns it. So a map of 1,000 items and 50 instances has 1,000 cells, and only
 * those in sight are drawn.
 */
import type { InstanceAnswer, ItemAnswer } from '../../../src/console/contract/job-answers.js';
import { type ItemState, stateOf } from './item-state.js';

export interface MapRow {
  /** Id of the instance; empty in the row of the items that nobody has. */
  readonly instance: string;
  /** Undefined: items name it, but it is not in the job any more. */
  readonly member: InstanceAnswer | undefined;
  /** Number of items that it has. */
  readonly items: number;
}

export interface MapCell {
  readonly item: ItemAnswer;
  readonly state: ItemState;
  readonly column: number;
  readonly row: number;
  /** The row of its owner, if another instance runs it. */
  readonly ownerRow: number | undefined;
  /** The row of an instance that has crashed, from which it was taken over. */
  readonly formerRow: number | undefined;
}

export interface JobMap {
  readonly rows: readonly MapRow[];
  /** By column, ascending by item. */
  readonly cells: readonly MapCell[];
}

/**
 * @param items those that are shown
 * @param order rows stay in this order, and new ones follow; none: that of the members
 * @param former instances that have crashed, by item that was taken from them
 */
export function mapOf(
  members: readonly InstanceAnswer[],
  items: readonly ItemAnswer[],
  order: readonly string[] = [],
  former: ReadonlyMap<number, string> = new Map(),
): JobMap {
  const known = new Map(members.map((member) => [member.instance, member]));
  const counts = new Map<string, number>();
  for (const item of items) counts.set(placeOf(item), (counts.get(placeOf(item)) ?? 0) + 1);
  const owners = items.flatMap(({ owner }) => owner ?? []);
  const crashed = items.flatMap((item) => formerOf(item, former) ?? []);
  const others = [...new Set([...counts.keys(), ...owners, ...crashed])]
    .filter((id) => id !== '' && !known.has(id))
    .toSorted();
  const present = new Set([...known.keys(), ...others, ...(counts.has('') ? [''] : [])]);
  const held = order.filter((id) => present.has(id));
  const names = [...new Set([...held, ...present])];
  const rowOf = new Map(names.map((id, row) => [id, row]));
  return {
    rows: names.map((instance) => ({ instance, member: known.get(instance), items: counts.get(instance) ?? 0 })),
    cells: items.map((item, column) => {
      const isElsewhere = item.holder !== null && item.owner !== null && item.owner !== item.holder;
      return {
        item,
        state: stateOf(item),
        column,
        row: rowOf.get(placeOf(item))!,
        ownerRow: isElsewhere ? rowOf.get(item.owner) : undefined,
        formerRow: rowOf.get(formerOf(item, former) ?? NOBODY),
      };
    }),
  };
}

/** No row has it. */
const NOBODY = '\0';

/** Undefined if the item is there again, or has not moved. */
function formerOf({ holder, item, owner }: ItemAnswer, former: ReadonlyMap<number, string>): string | undefined {
  const before = former.get(item);
  return before === owner || before === holder ? undefined : before;
}

/** The members that own or run one of the items. */
export function membersWith(
  members: readonly InstanceAnswer[],
  items: readonly ItemAnswer[],
): readonly InstanceAnswer[] {
  const named = new Set(items.flatMap(({ holder, owner }) => [holder, owner]));
  return members.filter(({ instance }) => named.has(instance));
}

function placeOf({ holder, owner }: ItemAnswer): string {
  return holder ?? owner ?? '';
}

/** Width of a column: all fit if they can, and each has room for the number of the greatest item. */
export function columnWidth(count: number, greatest: number, room: number): number {
  const least = Math.max(22, String(greatest).length * 7 + 6);
  return Math.max(least, Math.min(40, Math.floor(room / Math.max(1, count))));
}

export interface Window {
  readonly first: number;
  readonly last: number;
}

/** Rows or columns in sight, and some on both sides. `last` is -1 if there are none. */
export function windowOf(scroll: number, room: number, size: number, count: number, beyond = 4): Window {
  return {
    first: Math.max(0, Math.min(count - 1, Math.floor(scroll / size) - beyond)),
    last: Math.min(count - 1, Math.ceil((scroll + room) / size) + beyond),
  };
}

/** Where one has to scroll to have something in sight. */
export function scrollTo(scroll: number, room: number, start: number, size: number): number {
  if (start < scroll) return start;
  return start + size > scroll + room ? start + size - room : scroll;
}

/**
 * The cell to which a key moves: left and right by items, up and down to the nearest item of the next instance that has
 * one. Undefined if the key moves nowhere.
 */
export function neighbourOf(cells: readonly MapCell[], from: MapCell, key: string, page: number): MapCell | undefined {
  const at = (column: number) => cells[Math.max(0, Math.min(cells.length - 1, column))];
  switch (key) {
    case 'ArrowLeft':
      return at(from.column - 1);
    case 'ArrowRight':
      return at(from.column + 1);
    case 'PageUp':
      return at(from.column - page);
    case 'PageDown':
      return at(from.column + page);
    case 'Home':
      return at(0);
    case 'End':
      return at(cells.length - 1);
    case 'ArrowUp':
      return nearestIn(cells, from, -1);
    case 'ArrowDown':
      return nearestIn(cells, from, 1);
    default:
      return undefined;
  }
}

function nearestIn(cells: readonly MapCell[], from: MapCell, step: 1 | -1): MapCell | undefined {
  const away = ({ column, row }: MapCell) => [(row - from.row) * step, Math.abs(column - from.column)] as const;
  let best: MapCell | undefined;
  for (const cell of cells) {
    const [rows, columns] = away(cell);
    if (rows <= 0) continue;
    const [bestRows, bestColumns] = best === undefined ? [Infinity, 0] : away(best);
    if (rows < bestRows || (rows === bestRows && columns < bestColumns)) best = cell;
  }
  return best ?? from;
}

/** An id of an instance, `10.0.3.12@-@7-9f2b`, as its address and what tells it from others there. */
export function instanceName(instance: string): { readonly ip: string; readonly process: string } {
  const [ip = '', ...rest] = instance.split('@-@');
  return { ip, process: rest.join('@-@') };
}
