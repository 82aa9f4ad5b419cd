import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CamelCasePlugin, Kysely, sql, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeSessionsContract } from '../../../../../test/contract/sessions/sessions.contract.js';
import { sqlSessions } from '../../../../../test/contract/sessions/sql-sessions.js';
import { ConsoleTables } from './console-dialect.js';
import { SqlSessionStore } from './sql-session-store.js';

function sqlite(path = ':memory:', timeout = 5_000): Kysely<unknown> {
  return new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(path, { timeout }) }) });
}

describeSessionsContract('SQLite, in a file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sessions-'));
  const stage = await sqlSessions(() => sqlite(join(directory, 'sessions.db')));
  const close = async (): Promise<void> => {
    await stage.close();
    rmSync(directory, { recursive: true });
  };
  return { ...stage, close };
});

const session = { name: 'anna', role: 'admin', jobPrefix: null, credential: 'c', begunAt: 1, usedAt: 2 } as const;

it('plugins of the user do not apply to the table of sessions', async () => {
  const db = sqlite().withPlugin(new CamelCasePlugin({ upperCase: true }));
  onTestFinished(() => db.destroy());
  const store = new SqlSessionStore(db);
  await store.add({ ...session, key: 'k' });

  expect(await store.find('k')).toEqual({ ...session, key: 'k' });
});

it('a role that this version does not know lets nobody in', async () => {
  const db = sqlite();
  onTestFinished(() => db.destroy());
  const store = new SqlSessionStore(db);
  await store.add({ ...session, key: 'k' });
  await sql`update elastic_job_console_session set person_role = 'root'`.execute(db);

  expect(await store.find('k')).toBeUndefined();
});

it('a log-out is done or refused, also on a connection of libsql that was refused a lock', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sessions-'));
  const file = join(directory, 'sessions.db');
  const [db, other] = [sqlite(file, 0), new Libsql(file)];
  onTestFinished(async () => {
    await db.destroy();
    other.close();
    rmSync(directory, { recursive: true });
  });
  const store = new SqlSessionStore(db);
  await store.add({ ...session, key: 'k' });
  other.exec('begin immediate');
  await expect(store.remove('k')).rejects.toThrow(/locked/);
  other.exec('commit');

  const isDone = await store.remove('k').then(
    () => true,
    () => false,
  );

  const left = other.prepare('select * from elastic_job_console_session').all();
  expect(left).toHaveLength(isDone ? 0 : 1);
});

it('a look at the table that never ends keeps no later call waiting', async () => {
  const db = sqlite();
  onTestFinished(() => db.destroy());
  const hang = vi.spyOn(ConsoleTables.prototype, 'create').mockReturnValueOnce(new Promise(() => {}));
  const store = new SqlSessionStore(db);
  void store.find('k');

  expect(await store.find('k')).toBeUndefined();
  expect(hang).toHaveBeenCalledTimes(2);
  hang.mockRestore();
});

it('a database that was away is asked anew by the next call', async () => {
  const db = sqlite();
  onTestFinished(() => db.destroy());
  await sql`create view elastic_job_console_session as select 1 as wrong`.execute(db);
  const store = new SqlSessionStore(db);
  await expect(store.find('k')).rejects.toThrow(/no such column/);

  await sql`drop view elastic_job_console_session`.execute(db);
  expect(await store.find('k')).toBeUndefined();
});
