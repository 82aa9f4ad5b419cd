import { createRequire } from 'node:module';
import * as KyselyPackage from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dialectOf } from './trace-dialect.js';

/** The copy of Kysely that CommonJS applications have, while the sources here import the one of ES modules. */
const required: typeof KyselyPackage = createRequire(import.meta.url)('kysely');

const ADAPTERS = {
  sqlite: required.SqliteAdapter,
  postgres: required.PostgresAdapter,
  mysql: required.MysqlAdapter,
} as const;

function kyselyOf(adapter: KyselyPackage.DialectAdapter): KyselyPackage.Kysely<unknown> {
  const compiler = new required.SqliteQueryCompiler();
  return new required.Kysely({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new required.DummyDriver(),
      createIntrospector: (db) => new required.SqliteIntrospector(db),
      createQueryCompiler: () => compiler,
    },
  });
}

describe('the dialect of a Kysely of another copy', () => {
  it.each(['sqlite', 'postgres', 'mysql'] as const)('is known: %s', (name) => {
    expect(dialectOf(kyselyOf(new ADAPTERS[name]()))).toBe(name);
  });

  it("is known from a driver's own adapter, which extends that of Kysely", () => {
    class NeonAdapter extends required.PostgresAdapter {}

    expect(dialectOf(kyselyOf(new NeonAdapter()))).toBe('postgres');
  });

  it('is known although a bundler has numbered the name', () => {
    class MysqlAdapter$1 extends required.DialectAdapterBase implements KyselyPackage.DialectAdapter {
      async acquireMigrationLock(): Promise<void> {}
      async releaseMigrationLock(): Promise<void> {}
    }

    expect(dialectOf(kyselyOf(new MysqlAdapter$1()))).toBe('mysql');
  });

  it('is unknown for a database of another kind', () => {
    expect(dialectOf(kyselyOf(new required.MssqlAdapter()))).toBeUndefined();
  });
});

describe('the dialect of a Kysely of the same copy', () => {
  it('is known although a bundler has shortened the names of classes', () => {
    const { MysqlAdapter } = KyselyPackage;
    const name = Object.getOwnPropertyDescriptor(MysqlAdapter, 'name')!;
    onTestFinished(() => void Object.defineProperty(MysqlAdapter, 'name', name));
    Object.defineProperty(MysqlAdapter, 'name', { ...name, value: 'a' });

    expect(dialectOf(kyselyOf(new MysqlAdapter()))).toBe('mysql');
  });
});
