import { runInNewContext } from 'node:vm';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createFenceTableSql,
  FencedError,
  type FencedRun,
  PlainSqlGuard,
  SqlConnection,
  type SqlParameter,
} from './index.js';

const JOB = 'settle-orders';
const TOKEN = 2n ** 62n;

let db: Libsql.Database;
beforeEach(() => {
  db = new Libsql(':memory:');
  db.exec(createFenceTableSql);
});
afterEach(() => db.close());

const run = (token: bigint | undefined, tokenEpoch = 0): FencedRun => ({
  jobName: JOB,
  shardingItem: 3,
  token,
  tokenEpoch,
});

/** SQLite accepts both: by position, and `$1` as the name of a parameter. */
const STYLES = {
  '?': (parameters: readonly SqlParameter[]) => [[...parameters]],
  $1: (parameters: readonly SqlParameter[]) => [Object.fromEntries(parameters.map((value, n) => [n + 1, value]))],
} as const;

describe.each(['?', '$1'] as const)('PlainSqlGuard with %s', (placeholders) => {
  const bound = STYLES[placeholders];
  const execute = async (text: string, parameters: readonly SqlParameter[]) =>
    db.prepare(text).run(...bound(parameters)).changes;
  let guard: PlainSqlGuard;
  beforeEach(() => {
    guard = new PlainSqlGuard({
      placeholders,
      select: async (text, parameters) => db.prepare(text).all(...bound(parameters)),
    });
  });

  it('lets the newest token advance repeatedly, and refuses an older one', async () => {
    await guard.advance(run(TOKEN), execute);
    await guard.advance(run(TOKEN), execute);
    await guard.advance(run(TOKEN + 1n), execute);

    await expect(guard.advance(run(TOKEN), execute)).rejects.toThrow(FencedError);
    await guard.advance(run(7n, 1), execute);
    await expect(guard.advance(run(TOKEN + 2n, 0), execute)).rejects.toMatchObject({ code: 'FENCED', item: 3 });
  });

  it('reports the exact pair if the registry has fallen behind', async () => {
    await guard.advance(run(TOKEN + 1n, 2), execute);

    await guard.assertNotAhead(JOB, { tokenEpoch: 2, token: TOKEN + 1n });
    await guard.assertNotAhead('bill-orders', { tokenEpoch: 0, token: 1n });
    await expect(guard.assertNotAhead(JOB, { tokenEpoch: 2, token: TOKEN })).rejects.toMatchObject({
      code: 'FENCE_AHEAD',
      item: 3,
      stored: { tokenEpoch: 2, token: TOKEN + 1n },
    });
  });
});

it.each([undefined, null, 0, 2])('refuses a run if the driver counts %s rows', async (rows) => {
  const guard = new PlainSqlGuard({ placeholders: '?', select: async () => [] });
  await expect(guard.advance(run(TOKEN), async () => rows)).rejects.toThrow(FencedError);
});

const ANSWERS: Readonly<Record<string, () => any>> = {
  'a promise of rows': async () => 1,
  'a promise that rejects': () => Promise.reject(new Error('no database')),
  'an object of a driver': () => ({ changes: 1 }),
  'a list': () => [1],
  'a symbol': () => Symbol('rows'),
  'a text': () => 'INSERT 0 1',
};
const SYNC = Object.keys(ANSWERS);

describe('a driver that answers with what is no number of rows', () => {
  const guard = new PlainSqlGuard({ placeholders: '?', select: async () => [] });
  const unhandled = vi.fn<(reason: unknown) => void>();
  beforeEach(() => {
    unhandled.mockReset();
    process.on('unhandledRejection', unhandled);
  });
  afterEach(() => process.off('unhandledRejection', unhandled));

  it.each(SYNC)('is named by writeSync and advanceSync, and not taken for a newer run: %s', async (answer) => {
    const effect = vi.fn<() => void>();

    expect(() => guard.writeSync(run(TOKEN), ANSWERS[answer]!, effect)).toThrow(TypeError);
    expect(() => guard.advanceSync(run(TOKEN), ANSWERS[answer]!)).toThrow(
      /^advanceSync: execute must return the number of affected rows, but has returned (a promise; use|an? )/,
    );

    await new Promise((resolve) => setImmediate(resolve));
    expect(effect).not.toHaveBeenCalled();
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each(SYNC.slice(2))('is named by write and advance, and not taken for a newer run: %s', async (answer) => {
    const execute = async () => ANSWERS[answer]!();
    const effect = vi.fn<() => Promise<void>>();

    await expect(guard.write(run(TOKEN), new SqlConnection(execute), effect)).rejects.toThrow(TypeError);
    await expect(guard.advance(run(TOKEN), execute)).rejects.toThrow(
      /^advance: execute must return the number of affected rows, but has returned an? /,
    );

    expect(effect).not.toHaveBeenCalled();
  });

  it.each([
    ['ends it if it has begun', async () => 1, ['begin', 'rollback']],
    ["leaves the application's open if none has begun", () => Promise.reject(new Error('within one')), ['begin']],
  ])('%s: the transaction of writeSync over an asynchronous driver', async (_what, answer, statements) => {
    const executed: string[] = [];
    const execute: any = (statement: string) => {
      executed.push(statement);
      return answer();
    };

    expect(() => guard.writeSync(run(TOKEN), execute, () => {})).toThrow('use write with an asynchronous driver');

    await new Promise((resolve) => setImmediate(resolve));
    expect(executed).toEqual(statements);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('takes no promise of another realm, such as that of a test runner, for a written effect', () => {
    const executed: string[] = [];
    const execute = (statement: string) => {
      executed.push(statement);
      return 1;
    };

    expect(() => guard.writeSync(run(TOKEN), execute, () => runInNewContext('Promise.resolve(1)'))).toThrow(
      'the effect returned a promise',
    );

    expect(executed.at(-1)).toBe('rollback');
  });

  it('may answer without a promise where one is awaited', async () => {
    const execute: any = () => 1;

    await expect(guard.write(run(TOKEN), new SqlConnection(execute), async () => 'paid')).resolves.toBe('paid');
    await expect(guard.advance(run(TOKEN), execute)).resolves.toBeUndefined();
  });
});

it.each([
  ['rows in an object', () => ({ rows: [] }), 'an object'],
  ['nothing', () => undefined, 'undefined'],
  ['null', () => null, 'null'],
  ['a text', () => 'rows', 'a string'],
])('names a select that returns %s instead of rows', async (_what, select: () => any, shown) => {
  const guard = new PlainSqlGuard({ placeholders: '?', select });

  await expect(guard.assertNotAhead(JOB, { tokenEpoch: 0, token: 1n })).rejects.toThrow(
    `assertNotAhead: select must return a list of rows, but has returned ${shown}`,
  );
});

it.each([[[null]], [[{ item: 1 }]], [[{ item: 1, token_epoch: 0, token: 'x' }]], [[{ ITEM: 1 }]]])(
  'names a row that has not the columns which it was asked for: %j',
  async (rows) => {
    const guard = new PlainSqlGuard({ placeholders: '?', select: async () => rows });

    await expect(guard.assertNotAhead(JOB, { tokenEpoch: 0, token: 1n })).rejects.toThrow(
      'assertNotAhead: select must return rows with item, token_epoch and token',
    );
  },
);

it('names the missing setting and executes nothing for a run without a token', async () => {
  const guard = new PlainSqlGuard({ placeholders: '?', select: async () => [] });
  let calls = 0;
  await expect(guard.advance(run(undefined), async () => (calls += 1))).rejects.toMatchObject({
    code: 'MISSING_TOKEN',
  });
  expect(calls).toBe(0);
});
