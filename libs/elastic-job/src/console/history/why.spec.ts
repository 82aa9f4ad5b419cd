import { eventOf, runOf, TWO } from '@test/support/unit/job-history.js';
import { describe, expect, it } from 'vitest';
import { whyOf } from './why.js';

const [A, B, C] = ['10.0.0.1@-@1', '10.0.0.2@-@1', '10.0.0.3@-@1'] as const;
const MOVED = `moved from ${A} to ${B}, since an owner had crashed`;
const ITEM = { job: 'settle', item: 3, owner: B, holder: null };

function resharded(at: number, moves: object, cause: string) {
  return eventOf({ kind: 'resharded', at, items: [3], instance: C, detail: { moves, cause } });
}

function textsOf({ moves }: ReturnType<typeof whyOf>): readonly string[] {
  return moves.map(({ at, text }) => `${at.slice(11, 19)} ${text}`);
}

describe('why an item is where it is', () => {
  it('names the owner whom it has come from, when, and the cause', () => {
    const why = whyOf(ITEM, [resharded(TWO, { 3: { from: A, to: B } }, 'crashed')], []);
    expect(why).toEqual({
      ...ITEM,
      from: A,
      since: '2030-01-01T02:00:00.000Z',
      cause: 'crashed',
      text: `item 3 of settle is owned by ${B} since 2030-01-01T02:00:00.000Z: ${MOVED}`,
      moves: [
        {
          at: '2030-01-01T02:00:00.000Z',
          kind: 'resharded',
          instance: C,
          from: A,
          to: B,
          cause: 'crashed',
          token: null,
          text: MOVED,
        },
      ],
    });
  });

  it('tells a crash from the lost run to the end of the one that took over', () => {
    const lost = runOf({ shardingItem: 3, outcome: 'lost', settledAt: undefined, instance: A, begunAt: TWO });
    const again = runOf({
      shardingItem: 3,
      source: 'FAILOVER',
      outcome: 'failed',
      attempts: 3,
      instance: B,
      begunAt: TWO + 42_000,
      settledAt: TWO + 194_000,
      token: '3026418951671',
    });
    const events = [
      eventOf({ kind: 'claimed', at: TWO + 42_000, instance: B, items: [3], detail: { source: 'FAILOVER' } }),
      resharded(TWO + 40_000, { 3: { from: A, to: B }, 4: { from: A, to: C } }, 'crashed'),
      eventOf({ kind: 'orphaned', at: TWO + 40_000, instance: C, items: [0, 3, 4] }),
    ];
    const why = whyOf(ITEM, events, [again, lost]);
    expect(textsOf(why)).toEqual([
      `02:00:00 begun on ${A}; its end was never written`,
      `02:00:40 moved from ${A} to ${B}, since an owner had crashed`,
      `02:00:40 queued for failover by ${C}, since its instance had crashed while it ran`,
      `02:00:42 claimed by ${B}`,
      `02:00:42 begun on ${B}`,
      `02:03:14 failed after 3 attempts on ${B}`,
    ]);
    expect(why.moves.at(-2)).toMatchObject({ kind: 'begun', cause: 'FAILOVER', token: '3026418951671' });
  });

  it('tells that it runs elsewhere by failover', () => {
    const claimed = eventOf({ kind: 'claimed', at: TWO, instance: C, detail: { source: 'FAILOVER' } });
    expect(whyOf({ ...ITEM, holder: C }, [claimed], []).text).toBe(
      `item 3 of settle is owned by ${B}, and runs on ${C} by failover since 2030-01-01T02:00:00.000Z; ` +
        'the history does not tell how it has come there',
    );
  });

  it.each([
    [{ 3: { to: B } }, 'joined', `given to ${B}, since an instance had joined`],
    [{ 3: { from: A } }, 'total', `taken from ${A}, since the number of items had changed`],
    [{ 3: { from: A, to: B } }, 'left', `moved from ${A} to ${B}, since an owner was leaving`],
    [{ 3: { from: A, to: B } }, 'constructor', `moved from ${A} to ${B}`],
  ])('reads the moves %j by %s', (moves, cause, text) => {
    expect(whyOf(ITEM, [resharded(TWO, moves, cause)], []).moves).toMatchObject([{ text }]);
  });

  it.each([[undefined], [null], ['moves'], [{}], [{ 3: null }], [[A, B]]])('finds no move in %j', (moves) => {
    expect(whyOf(ITEM, [eventOf({ kind: 'resharded', detail: { moves } })], []).moves).toEqual([]);
  });

  it('says that nobody knows, of an item that has never moved, and of one without an owner', () => {
    expect(whyOf(ITEM, [], [])).toMatchObject({
      from: null,
      since: null,
      cause: null,
      text: `item 3 of settle is owned by ${B}; the history does not tell how it has come there`,
      moves: [],
    });
    expect(whyOf({ ...ITEM, owner: null }, [], []).text).toBe('item 3 of settle has no owner');
  });

  it('leaves out runs that ended well, but for the latest, and keeps the last 20 moves', () => {
    const runs = Array.from({ length: 20 }, (_, n) => runOf({ begunAt: TWO - n * 60_000, settledAt: undefined }));
    expect(
      whyOf(
        ITEM,
        [],
        runs.map((run) => ({ ...run, outcome: 'succeeded' as const })),
      ).moves,
    ).toHaveLength(1);
    const failed = runs.map((run) => ({ ...run, outcome: 'failed' as const, settledAt: run.begunAt + 1 }));
    const { moves } = whyOf(ITEM, [], failed);
    expect(moves).toHaveLength(20);
    expect(moves.at(-1)!.at).toBe('2030-01-01T02:00:00.001Z');
  });
});
