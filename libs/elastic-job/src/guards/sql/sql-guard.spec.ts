import Libsql from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FencedError } from '../../domain/index.js';
import { FenceAheadError, MissingTokenError, SqlGuard, type FencedRun } from './index.js';

interface Database {
  effect: { writer: string };
}

// Beyond 2^53, where JavaScript numbers cannot tell neighbours apart.
const TOKEN = 2n ** 62n;

let db: Kysely<Database>;
let guard: SqlGuard<Database>;

beforeEach(async () => {
  db = new Kysely({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
  guard = new SqlGuard(db);
  await guard.createTable();
  await db.schema.createTable('effect').addColumn('writer', 'text').execute();
});

afterEach(() => db.destroy());

const run = (token: bigint | undefined, tokenEpoch = 0, shardingItem = 0): FencedRun => ({
  jobName: 'settle-orders',
  shardingItem,
  token,
  tokenEpoch,
});

const write = (writer: string, as: FencedRun) =>
  guard.write(as, (trx) => trx.insertInto('effect').values({ writer }).execute());

const writers = async () => (await db.selectFrom('effect').select('writer').execute()).map((row) => row.writer);

describe('SqlGuard.write', () => {
  it('keeps every write of a run with the newest token', async () => {
    await write('first', run(TOKEN));
    await write('second', run(TOKEN));

    expect(await writers()).toEqual(['first', 'second']);
  });

  it('returns the value of the effect to the caller', async () => {
    expect(await guard.write(run(TOKEN), async () => 42)).toBe(42);
  });

  it('refuses a stale run once its rescuer has written, runs nothing of it, and lets the rescuer go on', async () => {
    await write('rescuer', run(TOKEN + 1n));

    const refusal = await write('stale', run(TOKEN)).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(FencedError);
    expect(refusal).toMatchObject({ code: 'FENCED', jobName: 'settle-orders', item: 0, token: TOKEN });
    await write('rescuer again', run(TOKEN + 1n));
    expect(await writers()).toEqual(['rescuer', 'rescuer again']);
  });

  it('decides by the higher tokenEpoch if tokens count from below again', async () => {
    await write('old ensemble', run(TOKEN, 0));
    await write('new ensemble', run(7n, 1));

    await expect(write('old ensemble, late', run(TOKEN + 1n, 0))).rejects.toThrow(FencedError);
    expect(await writers()).toEqual(['old ensemble', 'new ensemble']);
  });

  it('lets an item write although another item has seen a newer token', async () => {
    await write('item 1', run(TOKEN + 1n, 0, 1));
    await write('item 0', run(TOKEN, 0, 0));

    expect(await writers()).toEqual(['item 1', 'item 0']);
  });

  it('keeps neither the rows nor the token of an effect that throws', async () => {
    const failing = guard.write(run(TOKEN + 1n), async (trx) => {
      await trx.insertInto('effect').values({ writer: 'failing' }).execute();
      throw new Error('disk full');
    });

    await expect(failing).rejects.toThrow('disk full');
    await write('older run', run(TOKEN));
    expect(await writers()).toEqual(['older run']);
  });

  it('names the missing setting if a job without monitorExecution writes', async () => {
    const refusal = await write('untokened', run(undefined)).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(MissingTokenError);
    expect(refusal).toMatchObject({ code: 'MISSING_TOKEN', message: expect.stringContaining('"monitorExecution"') });
    expect(await writers()).toEqual([]);
  });

  it('stores tokens only in order if old and new runs write at once', async () => {
    const tokens = Array.from({ length: 60 }, (_, index) => TOKEN + BigInt((index * 37) % 60));

    const answers = await Promise.allSettled(tokens.map((token) => write(String(token), run(token))));

    const seen = (await writers()).map(BigInt);
    expect(seen).toEqual(seen.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(seen.at(-1)).toBe(TOKEN + 59n);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(seen.length);
    expect(seen.length).toBeLessThan(tokens.length);
  });
});

describe('SqlGuard.advance', () => {
  it("rolls a user's own transaction back if the run is stale", async () => {
    await write('rescuer', run(TOKEN + 1n));

    const stale = db.transaction().execute(async (trx) => {
      await trx.insertInto('effect').values({ writer: 'stale' }).execute();
      await guard.advance(run(TOKEN), trx);
    });

    await expect(stale).rejects.toThrow(FencedError);
    expect(await writers()).toEqual(['rescuer']);
  });
});

describe('SqlGuard.assertNotAhead', () => {
  it('accepts a registry whose tokens are not behind', async () => {
    await write('a', run(TOKEN));

    await expect(guard.assertNotAhead('settle-orders', { tokenEpoch: 0, token: TOKEN })).resolves.toBeUndefined();
  });

  it('names the tokenEpoch that helps if the registry was replaced', async () => {
    await write('a', run(TOKEN, 2, 0));
    await write('b', run(TOKEN + 1n, 2, 5));

    const refusal = await guard
      .assertNotAhead('settle-orders', { tokenEpoch: 2, token: 900n })
      .catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(FenceAheadError);
    expect(refusal).toMatchObject({
      code: 'FENCE_AHEAD',
      item: 5,
      stored: { tokenEpoch: 2, token: TOKEN + 1n },
      message: expect.stringContaining('set the module\'s "tokenEpoch" to 3'),
    });
  });

  it('accepts a replaced registry once the tokenEpoch is higher', async () => {
    await write('a', run(TOKEN, 2));

    await expect(guard.assertNotAhead('settle-orders', { tokenEpoch: 3, token: 900n })).resolves.toBeUndefined();
  });

  it('lets a job start although another job is ahead', async () => {
    await write('a', run(TOKEN));

    await expect(guard.assertNotAhead('bill-orders', { tokenEpoch: 0, token: 1n })).resolves.toBeUndefined();
  });
});

describe('a database without the guard table', () => {
  const missing = { code: 'MISSING_FENCE_TABLE', message: expect.stringContaining('call createTable()') };
  beforeEach(() => db.schema.dropTable('elastic_job_fence').execute());

  it('refuses a write, keeps nothing of it, and says what makes the table', async () => {
    await expect(write('a', run(TOKEN))).rejects.toMatchObject(missing);

    expect(await writers()).toEqual([]);
    await guard.createTable();
    await write('a', run(TOKEN));
    expect(await writers()).toEqual(['a']);
  });

  it('refuses the check at the start with the same error', async () => {
    const checked = guard.assertNotAhead('settle-orders', { tokenEpoch: 0, token: TOKEN });

    await expect(checked).rejects.toMatchObject(missing);
  });

  it("passes the driver's error on if a table of the effect is missing", async () => {
    await guard.createTable();
    await db.schema.dropTable('effect').execute();

    await expect(write('a', run(TOKEN))).rejects.toThrow(/^no such table: effect/);
  });
});
