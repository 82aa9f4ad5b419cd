import { existsSync, readdirSync } from 'node:fs';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import type { JavaTables } from '../../contract/history/history-database.js';
import { findProgram, type ServerKind } from './database-server.js';

/** Debian keeps them by version. */
const DEBIAN = '/usr/lib/postgresql';
const binaries = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => `${DEBIAN}/${version}/bin`) : [];
const programOf = (name: string) => findProgram(...[...binaries, '/usr/local/bin'].map((path) => `${path}/${name}`));
const POSTGRES = programOf('postgres');
const INITDB = programOf('initdb');

/** The reason why no server can be started here, if there is one. */
export const POSTGRES_LACK = POSTGRES && INITDB ? undefined : ': no server here; apt-get install postgresql';

export const POSTGRES_KIND: ServerKind = {
  account: 'postgres',
  kill: 'kill -QUIT $server',
  init: (directory) => [INITDB!, '-D', `${directory}/data`, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8'],
  run: (directory, port) => [
    POSTGRES!,
    '-D',
    `${directory}/data`,
    '-p',
    String(port),
    '-k',
    directory,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'fsync=off',
  ],
  probe: async (port) => {
    const client = new Client({ connectionString: postgresUrl(port), connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    await client.connect();
    await client.end();
  },
};

/** A client with a pool of its own, as an application has one. */
export function postgresClient(url: string): Kysely<unknown> {
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // The pool replaces a connection that breaks while it is idle.
  pool.on('error', () => {});
  // A connection that breaks in use rejects its query and emits `error`, which would end the process without a
  // listener.
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

export function postgresUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

const EXECUTIONS =
  'CREATE TABLE JOB_EXECUTION_LOG (id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, ' +
  'task_id VARCHAR(255) NOT NULL, hostname VARCHAR(255) NOT NULL, ip VARCHAR(50) NOT NULL, ' +
  'sharding_item INT NOT NULL, execution_source VARCHAR(20) NOT NULL, failure_cause VARCHAR(4000) NULL, ' +
  'is_success BOOLEAN NOT NULL, start_time TIMESTAMP NULL, complete_time TIMESTAMP NULL, PRIMARY KEY (id))';
const statuses = (source: string) =>
  'CREATE TABLE JOB_STATUS_TRACE_LOG (id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, ' +
  'original_task_id VARCHAR(255) NOT NULL, task_id VARCHAR(255) NOT NULL, slave_id VARCHAR(50) NOT NULL, ' +
  `${source}execution_type VARCHAR(20) NOT NULL, sharding_item VARCHAR(100) NOT NULL, ` +
  'state VARCHAR(20) NOT NULL, message VARCHAR(4000) NULL, creation_time TIMESTAMP NULL, PRIMARY KEY (id))';
const INDEX = 'CREATE INDEX TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id, state)';

const text = 'VARCHAR(255)';
/** OpenJPA orders the columns by name. */
const CONSOLE = [
  `CREATE TABLE JOB_EXECUTION_LOG (id ${text} NOT NULL, complete_time TIMESTAMP, execution_source ${text}, ` +
    `failure_cause ${text}, hostname ${text}, ip ${text}, is_success BOOL, job_name ${text}, sharding_item INTEGER, ` +
    `start_time TIMESTAMP, task_id ${text}, PRIMARY KEY (id))`,
  `CREATE TABLE JOB_STATUS_TRACE_LOG (id ${text} NOT NULL, creation_time TIMESTAMP, execution_type ${text}, ` +
    `job_name ${text}, message ${text}, original_task_id ${text}, sharding_item ${text}, slave_id ${text}, ` +
    `source ${text}, state ${text}, task_id ${text}, PRIMARY KEY (id))`,
];

export const POSTGRES_JAVA: JavaTables = {
  'Java 3.0.4': [EXECUTIONS, statuses('source VARCHAR(50) NOT NULL, '), INDEX],
  'Java 3.0.5': [EXECUTIONS, statuses(''), INDEX],
  "ElasticJob's console": CONSOLE,
};
