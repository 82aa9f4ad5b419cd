import { Kysely, MysqlDialect } from 'kysely';
import { createConnection, createPool } from 'mysql2';
import type { JavaTables } from '../../contract/history/history-database.js';
import { findProgram, type ServerKind } from './database-server.js';

const MARIADBD = findProgram('/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd');
const INSTALL = findProgram('/usr/bin/mariadb-install-db', '/usr/local/bin/mariadb-install-db');

/** The reason why no server can be started here, if there is one. */
export const MARIADB_LACK = MARIADBD && INSTALL ? undefined : ': no server here; apt-get install mariadb-server';

export const MARIADB_KIND: ServerKind = {
  account: 'mysql',
  kill: 'kill -KILL $server',
  init: (directory) => [
    INSTALL!,
    '--no-defaults',
    `--datadir=${directory}/data`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ],
  run: (directory, port) => [
    MARIADBD!,
    '--no-defaults',
    `--datadir=${directory}/data`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${directory}/server.sock`,
    `--pid-file=${directory}/server.pid`,
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=2',
  ],
  probe: (port) => query(`mysql://root@127.0.0.1:${port}`, 'CREATE DATABASE IF NOT EXISTS history'),
};

export function mariadbUrl(port: number): string {
  return `mysql://root@127.0.0.1:${port}/history`;
}

/** A client with a pool of its own, as an application has one. */
export function mariadbClient(url: string): Kysely<unknown> {
  return new Kysely<unknown>({ dialect: new MysqlDialect({ pool: createPool({ uri: url, connectTimeout: 2_000 }) }) });
}

function query(url: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = createConnection({ uri: url, connectTimeout: 1_000 });
    connection.on('error', reject);
    connection.query(text, (error) => {
      connection.destroy();
      if (error) reject(error);
      else resolve();
    });
  });
}

const EXECUTIONS =
  'CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG (auto_id int NOT NULL AUTO_INCREMENT, id VARCHAR (40) NOT NULL, ' +
  'job_name VARCHAR (100) NOT NULL, task_id VARCHAR (255) NOT NULL, hostname VARCHAR (255) NOT NULL, ' +
  'ip VARCHAR (50) NOT NULL, sharding_item INT NOT NULL, execution_source VARCHAR (20) NOT NULL, ' +
  'failure_cause VARCHAR (4000) NULL, is_success INT NOT NULL, start_time TIMESTAMP NULL, ' +
  'complete_time TIMESTAMP NULL, PRIMARY KEY (auto_id), UNIQUE KEY `id` (`id`)) ENGINE=InnoDB';
const statuses = (source: string) =>
  'CREATE TABLE IF NOT EXISTS JOB_STATUS_TRACE_LOG (auto_id int NOT NULL AUTO_INCREMENT, id VARCHAR (40) NOT NULL, ' +
  'job_name VARCHAR (100) NOT NULL, original_task_id VARCHAR (255) NOT NULL, task_id VARCHAR (255) NOT NULL, ' +
  `slave_id VARCHAR (50) NOT NULL, ${source}execution_type VARCHAR (20) NOT NULL, ` +
  'sharding_item VARCHAR (100) NOT NULL, state VARCHAR (20) NOT NULL, message VARCHAR (4000) NULL, ' +
  'creation_time TIMESTAMP NULL, PRIMARY KEY (auto_id)) ENGINE=InnoDB';
const INDEX = 'CREATE INDEX TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id(128), state)';

const text = 'VARCHAR(255)';
/** OpenJPA orders the columns by name. */
const CONSOLE = [
  `CREATE TABLE JOB_EXECUTION_LOG (id ${text} NOT NULL, complete_time DATETIME, execution_source ${text}, ` +
    `failure_cause ${text}, hostname ${text}, ip ${text}, is_success BIT, job_name ${text}, sharding_item INTEGER, ` +
    `start_time DATETIME, task_id ${text}, PRIMARY KEY (id)) ENGINE = innodb`,
  `CREATE TABLE JOB_STATUS_TRACE_LOG (id ${text} NOT NULL, creation_time DATETIME, execution_type ${text}, ` +
    `job_name ${text}, message ${text}, original_task_id ${text}, sharding_item ${text}, slave_id ${text}, ` +
    `source ${text}, state ${text}, task_id ${text}, PRIMARY KEY (id)) ENGINE = innodb`,
];

export const MARIADB_JAVA: JavaTables = {
  'Java 3.0.4': [EXECUTIONS, statuses('source VARCHAR (50) NOT NULL, '), INDEX],
  'Java 3.0.5': [EXECUTIONS, statuses(''), INDEX],
  "ElasticJob's console": CONSOLE,
};
