/**
 * A list with its newest rows first, such as runs or entries of the audit: the newest page is read again and again, and
 * older ones as far as somebody asks for them.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { createReading, type Reading, type ReadingOptions } from './reading.js';

/** A part of a list, as the API answers it. */
interface RowPage<Row> {
  readonly items: readonly Row[];
  /** Where older ones begin; null: there are none. */
  readonly cursor: string | null;
  /** True if its store is away, and this is its last answer. */
  readonly stale?: boolean | undefined;
}

/** Its value is the list as far as it was read. */
interface NewestFirst<Row> extends Reading<RowPage<Row>> {
  /** Reads older ones. */
  readonly more: () => void;
}

interface Identified {
  readonly id: string;
}

type Created<Row> = ReturnType<typeof createReading<RowPage<Row>>>;
type ReadPage<Row> = (query: { readonly cursor?: string }, signal: AbortSignal) => Promise<RowPage<Row>>;

const NOTHING = { items: [], cursor: null };

/** A list without a component, which somebody has to start. */
export function createNewestFirst<Row extends Identified>(
  readPage: ReadPage<Row>,
  options: Omit<ReadingOptions<RowPage<Row>>, 'merge'>,
) {
  /** Stays until older ones were read: another reading may come in between. */
  let isMoreWanted = false;
  const read = async (known: RowPage<Row> = NOTHING, signal: AbortSignal): Promise<RowPage<Row>> => {
    if (!isMoreWanted || known.cursor === null) return withNewest(known, await readPage({}, signal));
    const { cursor, items, stale } = await readPage({ cursor: known.cursor }, signal);
    isMoreWanted = false;
    return { items: [...known.items, ...items], cursor, stale };
  };
  const reading: Created<Row> = createReading((signal) => read(reading.value.peek(), signal), options);
  const more = () => {
    if (isMoreWanted || reading.value.peek()?.cursor == null) return;
    isMoreWanted = true;
    reading.reload();
  };
  return { ...reading, more };
}

/** A list for as long as the component is shown. @param key another key is another list */
export function useNewestFirst<Row extends Identified>(
  key: string,
  readPage: ReadPage<Row>,
  options: Omit<ReadingOptions<RowPage<Row>>, 'merge'>,
): NewestFirst<Row> {
  const list = useMemo(() => createNewestFirst(readPage, options), [key]);
  useEffect(() => list.start(), [list]);
  return list;
}

/**
 * The list with its first page as it is now: new rows come before it, and those that have changed are shown so. If so
 * many are new that they do not reach what is known, it begins anew. A list without news stays the same value.
 */
export function withNewest<Row extends Identified>(list: RowPage<Row>, newest: RowPage<Row>): RowPage<Row> {
  const known = new Map(list.items.map((row) => [row.id, row]));
  const read = newest.items.map((row) => sameRow(known.get(row.id), row));
  const readIds = new Set(read.map(({ id }) => id));
  const older = list.items.slice(list.items.findLastIndex(({ id }) => readIds.has(id)) + 1);
  const isReached = older.length < list.items.length;
  const items = isReached ? [...read, ...older] : read;
  const cursor = isReached && older.length > 0 ? list.cursor : newest.cursor;
  const isSame = items.length === list.items.length && items.every((row, index) => row === list.items[index]);
  return isSame && cursor === list.cursor && newest.stale === list.stale
    ? list
    : { items, cursor, stale: newest.stale };
}

function sameRow<Row>(known: Row | undefined, row: Row): Row {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(row) ? known : row;
}
