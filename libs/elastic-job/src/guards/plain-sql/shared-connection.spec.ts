import { createRequire, isBuiltin } from 'node:module';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FencedError, type FencedRun, PlainSqlGuard, SqlConnection, type SqlParameter } from './index.js';

/** Common API of SQLite's synchronous drivers. */
interface Driver {
  prepare(statement: string): {
    run(...parameters: SqlParameter[]): { readonly changes: number | bigint };
    all(...parameters: SqlParameter[]): unknown[];
  };
  close(): void;
}

/** Node 20 has no `node:sqlite`; `.ci/run` runs this file with a newer one as well. */
const nodeSqlite: { readonly DatabaseSync: new (file: string) => Driver } | undefined = isBuiltin('node:sqlite')
  ? createRequire(import.meta.url)('node:sqlite')
  : undefined;

const DRIVERS: Readonly<Record<string, () => Driver>> = {
  // It has the API of better-sqlite3.
  libsql: () => new Libsql(':memory:'),
  ...(nodeSqlite && { 'node:sqlite': () => new nodeSqlite.DatabaseSync(':memory:') }),
};

const TOKEN = 2n ** 62n;

const run = (shardingItem: number, token: bigint | undefined = TOKEN): FencedRun => ({
  jobName: 'settle-orders',
  shardingItem,
  token,
  tokenEpoch: 0,
});

const RUN_HERE = `${Object.keys(DRIVERS).join(' and ')}${nodeSqlite ? '' : ', since this Node lacks node:sqlite'}`;

describe.each(Object.keys(DRIVERS))(`items that share one connection of %s, here ${RUN_HERE}`, (name) => {
  let db: Driver;
  let guard: PlainSqlGuard;
  const execute = (statement: string, parameters: readonly SqlParameter[]) =>
    db.prepare(statement).run(...parameters).changes;
  const insert = (effect: string) => db.prepare('insert into effect values (?)').run(effect);
  const effects = () =>
    db
      .prepare('select text from effect')
      .all()
      .map((row) => Object.values(Object(row))[0]);

  beforeEach(async () => {
    db = DRIVERS[name]!();
    guard = new PlainSqlGuard({
      placeholders: '?',
      select: (statement, parameters) => db.prepare(statement).all(...parameters),
    });
    await guard.createTable(execute);
    db.prepare('create table effect (text text)').run();
  });
  afterEach(() => db.close());

  describe('writeSync', () => {
    it('keeps the effect of an item with the newest token, and returns its value', () => {
      expect(guard.writeSync(run(0), execute, () => (insert('a'), 42))).toBe(42);
      guard.writeSync(run(0), execute, () => insert('b'));

      expect(effects()).toEqual(['a', 'b']);
    });

    it('does not call the effect of a stale run after a newer one has written', () => {
      guard.writeSync(run(0, TOKEN + 1n), execute, () => insert('rescuer'));

      expect(() => guard.writeSync(run(0), execute, () => insert('stale'))).toThrow(FencedError);

      guard.writeSync(run(0, TOKEN + 1n), execute, () => insert('rescuer again'));
      expect(effects()).toEqual(['rescuer', 'rescuer again']);
    });

    it('keeps neither the rows nor the token of an effect that throws', () => {
      const failing = () =>
        guard.writeSync(run(0, TOKEN + 1n), execute, () => {
          insert('failing');
          throw new Error('disk full');
        });

      expect(failing).toThrow('disk full');
      guard.writeSync(run(0), execute, () => insert('older'));
      expect(effects()).toEqual(['older']);
    });

    it('rolls an async effect back, and says in the error what to do', async () => {
      const asynchronous = () =>
        guard.writeSync(run(0), execute, async () => {
          insert('early');
          throw new Error('rejected');
        });

      expect(asynchronous).toThrow('Await its data before writeSync');
      expect(effects()).toEqual([]);
    });

    it("throws inside the application's transaction, which can still commit", () => {
      db.prepare('begin').run();
      insert('application');

      expect(() => guard.writeSync(run(0), execute, () => insert('item'))).toThrow('within a transaction');

      db.prepare('commit').run();
      expect(effects()).toEqual(['application']);
    });

    it('names the missing setting and leaves no transaction for a job without monitorExecution', () => {
      const untokened = { ...run(0), token: undefined };

      expect(() => guard.writeSync(untokened, execute, () => insert('a'))).toThrow('"monitorExecution"');

      expect(() => db.prepare('begin').run()).not.toThrow();
    });
  });

  describe('advanceSync', () => {
    it("throws at once in the application's own transaction if the run is stale", () => {
      guard.writeSync(run(0, TOKEN + 1n), execute, () => insert('rescuer'));

      db.prepare('begin').run();
      expect(() => guard.advanceSync(run(0), execute)).toThrow(FencedError);
      db.prepare('rollback').run();
    });
  });

  describe('write', () => {
    it('fails one item alone if items write at once with effects that await', async () => {
      const connection = new SqlConnection(async (...statement) => execute(...statement));
      const write = (item: number) =>
        guard.write(run(item), connection, async () => {
          insert(`${item} first`);
          await new Promise((resolve) => setImmediate(resolve));
          if (item === 1) throw new Error('disk full');
          insert(`${item} second`);
        });

      const answers = await Promise.allSettled([write(0), write(1), write(2)]);

      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(effects()).toEqual(['0 first', '0 second', '2 first', '2 second']);
    });

    it('skips the effect of a stale run, while others go on', async () => {
      const connection = new SqlConnection(async (...statement) => execute(...statement));
      const write = (token: bigint) => guard.write(run(0, token), connection, async () => insert(String(token)));

      const answers = await Promise.allSettled([write(TOKEN + 1n), write(TOKEN), write(TOKEN + 2n)]);

      expect(answers[1]).toMatchObject({ reason: { code: 'FENCED', token: TOKEN } });
      expect(effects()).toEqual([String(TOKEN + 1n), String(TOKEN + 2n)]);
    });
  });

  it('reports the exact pair if the registry has fallen behind', async () => {
    guard.writeSync(run(3, TOKEN + 1n), execute, () => insert('a'));

    const refused = guard.assertNotAhead('settle-orders', { tokenEpoch: 0, token: TOKEN });

    await expect(refused).rejects.toMatchObject({ item: 3, stored: { token: TOKEN + 1n } });
  });

  it('says on a write, and at the start, what makes the guard table if it is missing', async () => {
    db.prepare('drop table elastic_job_fence').run();
    const connection = new SqlConnection(async (...statement) => execute(...statement));
    const missing = expect.objectContaining({
      code: 'MISSING_FENCE_TABLE',
      message: expect.stringMatching(/"elastic_job_fence".*createTable\(\)/),
    });

    expect(() => guard.writeSync(run(0), execute, () => insert('a'))).toThrow(missing);
    await expect(guard.write(run(0), connection, async () => insert('a'))).rejects.toEqual(missing);
    await expect(guard.assertNotAhead('settle-orders', { tokenEpoch: 0, token: TOKEN })).rejects.toEqual(missing);

    await guard.createTable(execute);
    guard.writeSync(run(0), execute, () => insert('b'));
    expect(effects()).toEqual(['b']);
  });
});
