import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { at, describeAuditContract, entryAt } from '@test/contract/audit/audit.contract.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqlAuditStore } from './sql-audit-store.js';

function sqlite(): Kysely<unknown> {
  return new Kysely({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
}

describeAuditContract('SQLite', async () => {
  const db = sqlite();
  return { connect: () => new SqlAuditStore(db), remove: () => db.destroy() };
});

describe('SqlAuditStore', () => {
  it('has tables of the same names whatever plugins the user has', async () => {
    const db = sqlite().withPlugin(new CamelCasePlugin({ upperCase: true }));
    onTestFinished(() => db.destroy());
    const store = new SqlAuditStore(db);
    await store.open();
    await store.add(entryAt(1));

    expect(await store.read({ unknownUntil: at(-1), limit: 1 })).toEqual([entryAt(1)]);
  });

  it('names wrong options', () => {
    expect(() => new SqlAuditStore(sqlite(), JSON.parse('{ "dialect": "oracle" }'))).toThrow(
      /SqlAuditStore: dialect must be "sqlite"/,
    );
  });
});
