/**
 * The strip of fire times: a column for each, with a cell for each item, and above it a bar that says in one look how
 * the fire time has ended.
 */
import type { FateLetter, FireTimeColumnAnswer } from '../../../src/console/contract/history-answers.js';

/** Fate of an item at a fire time. `again`: done at another run of it, as a re-run. */
export const FATES = ['done', 'again', 'failed', 'running', 'missed', 'disabled', 'unknown'] as const;
export type Fate = (typeof FATES)[number];

const LETTERS: ReadonlyMap<string, Fate> = new Map(
  Object.entries({
    d: 'done',
    r: 'again',
    f: 'failed',
    o: 'running',
    m: 'missed',
    x: 'disabled',
    u: 'unknown',
  } satisfies Record<FateLetter, Fate>),
);

/** How a whole fire time has ended. `part`: some items have failed, or were missed. `next`: it is still to come. */
type BarKind = Exclude<Fate, 'again'> | 'part' | 'next';

export interface StripColumn {
  /** ISO 8601. */
  readonly fireTime: string;
  readonly isNext: boolean;
  /** False: only rows tell of it, and the schedule of that time is not known. */
  readonly isExpected: boolean;
  readonly bar: BarKind;
  /** Part of the items that have failed or were missed, from 0 to 1. */
  readonly share: number;
  /** Numbers of items; a fate that no item has is left out. */
  readonly counts: ReadonlyMap<Fate, number>;
  /** By number of the item; one that was none then has none, and a fire time to come has none at all. */
  readonly fates: readonly Fate[];
  readonly reasons: FireTimeColumnAnswer['reasons'];
}

export interface Strip {
  /** Ascending. */
  readonly columns: readonly StripColumn[];
  /** Number of rows: all items of any of the fire times. */
  readonly items: number;
}

/** @param next fire times to come, ascending, ISO 8601 */
export function stripOf(past: readonly FireTimeColumnAnswer[], next: readonly string[], items: number): Strip {
  const last = past.at(-1)?.fireTime ?? '';
  const columns = [
    ...past.map(pastColumn),
    // A fire time that has begun meanwhile is no longer to come.
    ...next.filter((fireTime) => fireTime > last).map(nextColumn),
  ];
  return { columns, items: Math.max(items, ...past.map((column) => column.items.length)) };
}

/** Why an item was missed, or is unknown, in one word; undefined if nobody has said it. */
export function reasonOf({ reasons }: Pick<StripColumn, 'reasons'>, item: number): string | undefined {
  return reasons.find(({ from, to }) => item >= from && item <= to)?.reason;
}

function pastColumn({ expected, fireTime, items, reasons }: FireTimeColumnAnswer): StripColumn {
  // Letters of a later release are unknown to this page.
  const fates = Array.from(items, (letter) => LETTERS.get(letter) ?? 'unknown');
  const counts = new Map<Fate, number>();
  for (const fate of FATES) {
    const count = fates.filter((one) => one === fate).length;
    if (count > 0) counts.set(fate, count);
  }
  const bad = (counts.get('failed') ?? 0) + (counts.get('missed') ?? 0);
  return {
    fireTime,
    isNext: false,
    isExpected: expected,
    bar: barOf(counts, fates.length),
    share: fates.length === 0 ? 0 : bad / fates.length,
    counts,
    fates,
    reasons,
  };
}

function nextColumn(fireTime: string): StripColumn {
  const nothing = { share: 0, counts: new Map(), fates: [], reasons: [] };
  return { fireTime, isNext: true, isExpected: true, bar: 'next', ...nothing };
}

/** The fate that an operator has to know first. An item of which nobody knows anything hides nothing of others. */
function barOf(counts: StripColumn['counts'], items: number): BarKind {
  const of = (fate: Fate) => counts.get(fate) ?? 0;
  const known = items - of('unknown');
  if (known === 0) return 'unknown';
  if (of('failed') + of('missed') > 0) {
    if (of('failed') === known - of('disabled')) return 'failed';
    return of('missed') === known - of('disabled') ? 'missed' : 'part';
  }
  if (of('running') > 0) return 'running';
  return of('done') + of('again') > 0 ? 'done' : 'disabled';
}

/** A choice in the strip: each of the items at each of the fire times. */
export interface Selection {
  /** Ascending. */
  readonly items: readonly number[];
  /** Ascending, ISO 8601. */
  readonly fireTimes: readonly string[];
}

export const NOTHING: Selection = { items: [], fireTimes: [] };

export function isChosen({ fireTimes, items }: Selection, item: number, fireTime: string): boolean {
  return items.includes(item) && fireTimes.includes(fireTime);
}

/**
 * The selection with a cell more or less. All items are chosen at the same fire times, so a cell is taken away with its
 * item, or with its fire time if that is the only item.
 */
export function withCell(selection: Selection, item: number, fireTime: string): Selection {
  const { fireTimes, items } = selection;
  if (!isChosen(selection, item, fireTime)) {
    return { items: added(items, item), fireTimes: added(fireTimes, fireTime) };
  }
  if (items.length > 1) return { items: items.filter((one) => one !== item), fireTimes };
  const rest = fireTimes.filter((one) => one !== fireTime);
  return rest.length === 0 ? NOTHING : { items, fireTimes: rest };
}

/** The selection with all items of a fire time more or less. @param items those that were items then */
export function withFireTime(selection: Selection, fireTime: string, items: readonly number[]): Selection {
  const { fireTimes } = selection;
  if (!fireTimes.includes(fireTime)) {
    const chosen = selection.items.length === 0 ? items : selection.items;
    return chosen.length === 0 ? NOTHING : { items: chosen, fireTimes: added(fireTimes, fireTime) };
  }
  const rest = fireTimes.filter((one) => one !== fireTime);
  return rest.length === 0 ? NOTHING : { items: selection.items, fireTimes: rest };
}

function added<Value extends number | string>(values: readonly Value[], value: Value): readonly Value[] {
  return [...new Set([...values, value])].toSorted((a, b) => (a < b ? -1 : 1));
}

interface Place {
  readonly column: number;
  readonly item: number;
}

/** The place to which a key moves; undefined if it moves nowhere. */
export function placeAfter(
  { column, item }: Place,
  key: string,
  { columns, items }: Pick<Strip, 'items'> & { readonly columns: number },
): Place | undefined {
  const at = (across: number, down: number): Place => ({
    column: Math.max(0, Math.min(columns - 1, across)),
    item: Math.max(0, Math.min(items - 1, down)),
  });
  switch (key) {
    case 'ArrowLeft':
      return at(column - 1, item);
    case 'ArrowRight':
      return at(column + 1, item);
    case 'ArrowUp':
      return at(column, item - 1);
    case 'ArrowDown':
      return at(column, item + 1);
    case 'PageUp':
      return at(column, item - 10);
    case 'PageDown':
      return at(column, item + 10);
    case 'Home':
      return at(0, item);
    case 'End':
      return at(columns - 1, item);
    default:
      return undefined;
  }
}
