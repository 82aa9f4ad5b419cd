import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFenceTableSql, FencedError, type FencedRun, PlainSqlGuard, type SqlParameter } from './index.js';

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

it('names the missing setting and executes nothing for a run without a token', async () => {
  const guard = new PlainSqlGuard({ placeholders: '?', select: async () => [] });
  let calls = 0;
  await expect(guard.advance(run(undefined), async () => (calls += 1))).rejects.toMatchObject({
    code: 'MISSING_TOKEN',
  });
  expect(calls).toBe(0);
});
