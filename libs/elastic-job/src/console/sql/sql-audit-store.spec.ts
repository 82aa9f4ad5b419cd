import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { describeAuditContract } from '@test/contract/audit/audit.contract.js';
import { describe, expect, it } from 'vitest';
import { SqlAuditStore } from './sql-audit-store.js';

function sqlite(): Kysely<unknown> {
  return new Kysely({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
}

describeAuditContract('SQLite', async () => {
  const db = sqlite();
  return { connect: () => new SqlAuditStore(db), remove: () => db.destroy() };
});

describe('SqlAuditStore', () => {
  it('names wrong options', () => {
    expect(() => new SqlAuditStore(sqlite(), JSON.parse('{ "dialect": "oracle" }'))).toThrow(
      /SqlAuditStore: dialect must be "sqlite"/,
    );
  });
});
