// Measures each query of JobHistory over a year of 1,000,000 runs in SQLite, PostgreSQL and MariaDB. Ends with status 1
// if one of them takes longer than is promised. A database that has the rows already is not loaded again.
//
// All rows that a query reads are in memory after its first round, so where others have the processors, its processor
// time, of the database and of this process, tells how long it takes alone: the shorter of both times counts.
//
// npm run bench:history
// npm run bench:history -- --rows 10000000            ten times as many
// npm run bench:history -- --databases sqlite         some databases
// npm run bench:history -- --only fireTimes           some queries
// npm run bench:history -- --sqlite /tmp/history.db   a file that is kept
// POSTGRES_URL=... MYSQL_URL=... npm run bench:history   servers that are kept
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { KINDS, serverOf } from '../test/databases/support/kinds.js';
import { type Finding, tellFindings } from './console/finding.js';
import { askAll } from './job-history/asked.js';
import { load } from './job-history/load.js';

/** Most milliseconds of a query. */
const MOST_MS = 300;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    databases: { type: 'string', default: 'sqlite,postgres,mysql' },
    only: { type: 'string' },
    sqlite: { type: 'string' },
  },
});
const rows = Number(values.rows);
const findings: Finding[] = [];
for (const name of values.databases.split(',')) {
  console.log(`\n${name}, ${rows} runs`);
  findings.push(...(await (name === 'sqlite' ? inSqlite() : inServer(name))));
}
process.exitCode = tellFindings(findings) ? 0 : 1;

async function inSqlite(): Promise<readonly Finding[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-history-'));
  const database = new Libsql(values.sqlite ?? join(directory, 'history.db'), { timeout: 5_000 });
  try {
    return await measure('SQLite', new Kysely<unknown>({ dialect: new SqliteDialect({ database }) }), undefined);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function inServer(dialect: string): Promise<readonly Finding[]> {
  const kind = KINDS.find((one) => one.dialect === dialect);
  if (kind === undefined) throw new Error(`There is no database ${dialect}. Databases: sqlite, postgres, mysql`);
  const server = await serverOf(kind);
  try {
    return await measure(kind.name, kind.client(server.url), Number(new URL(server.url).port));
  } finally {
    await server.remove();
  }
}

async function measure(name: string, db: Kysely<unknown>, port: number | undefined): Promise<readonly Finding[]> {
  try {
    await load(db, rows);
    const asked = await askAll(db, { rows, port, only: values.only });
    return asked.map(({ processorMs, wallMs, what }) => ({
      what: `${name}, ${what}`,
      value: Math.min(processorMs, wallMs),
      most: MOST_MS,
      unit: 'ms',
    }));
  } finally {
    await db.destroy();
  }
}
