import { afterEach, describe, expect, it, vi } from 'vitest';

vi.mock('./client.js', () => ({
  asProblem: (error: unknown) => error,
  renewedSessions: { subscribe: () => () => {} },
}));
vi.mock('./live.js', () => ({ listen: () => () => {}, liveState: { value: 'live' } }));

// Another spec in this thread may have it already, over other parts.
vi.resetModules();
const { createNewestFirst, withNewest } = await import('./newest-first.js');

afterEach(() => void vi.useRealTimers());

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id, ended: false }));
const idsOf = (items: readonly { readonly id: string }[] | undefined) => items?.map(({ id }) => id);

describe('a list with the newest first', () => {
  it('gets new ones before it, shows what has ended, and keeps older ones that were read', () => {
    const list = { items: rows('3', '2', '1'), cursor: 'before 1' };
    const newest = { items: [...rows('4'), { id: '3', ended: true }], cursor: 'before 3' };

    expect(withNewest(list, newest)).toEqual({
      items: [...rows('4'), { id: '3', ended: true }, ...rows('2', '1')],
      cursor: 'before 1',
    });
  });

  it('loses a row that its filters do not ask for any more', () => {
    const list = { items: rows('3', '2', '1'), cursor: null };
    expect(idsOf(withNewest(list, { items: rows('3', '1'), cursor: null }).items)).toEqual(['3', '1']);
  });

  it('says that its store is away, and that it is back', () => {
    const list = { items: rows('1'), cursor: null, stale: false };
    const away = withNewest(list, { ...list, stale: true });
    expect(away).toEqual({ ...list, stale: true });
    expect(withNewest(away, list)).toEqual(list);
  });

  it('begins anew if so many are new that there would be a hole', () => {
    const newest = { items: rows('9', '8'), cursor: 'before 8' };
    expect(withNewest({ items: rows('2', '1'), cursor: null }, newest)).toEqual(newest);
  });

  it('goes on where its first page ends if that is all of it', () => {
    const newest = { items: rows('2', '1'), cursor: null };
    expect(withNewest({ items: rows('1'), cursor: null }, newest)).toEqual(newest);
  });

  it.each([
    { items: rows('2', '1'), cursor: 'before 1' },
    { items: rows(), cursor: null },
  ])('stays the same value without news', (list) => {
    const newest = { items: list.items.slice(0, 1).map((row) => ({ ...row })), cursor: list.cursor };
    expect(withNewest(list, newest)).toBe(list);
  });

  it('reads older ones once they are asked for, also if its newest are read meanwhile', async () => {
    vi.useFakeTimers();
    const cursors: (string | undefined)[] = [];
    const list = createNewestFirst(
      async ({ cursor }: { readonly cursor?: string }) => {
        cursors.push(cursor);
        await new Promise((resolve) => setTimeout(resolve, 10));
        return cursor === undefined
          ? { items: rows('3', '2'), cursor: 'before 2' }
          : { items: rows('1'), cursor: null };
      },
      { everyMs: 1_000 },
    );
    const stop = list.start();
    await vi.advanceTimersByTimeAsync(10);

    list.more();
    list.more();
    list.reload();
    await vi.advanceTimersByTimeAsync(10);
    list.more();
    await vi.advanceTimersByTimeAsync(1_010);

    expect(idsOf(list.value.value?.items)).toEqual(['3', '2', '1']);
    expect(cursors).toEqual([undefined, 'before 2', 'before 2', undefined]);
    stop();
  });
});
