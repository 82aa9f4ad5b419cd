import type { Kysely } from 'kysely';
import type { JavaTables } from '../../contract/history/history-database.js';
import { DatabaseServer } from './database-server.js';
import { MARIADB_JAVA, MARIADB_KIND, MARIADB_LACK, mariadbClient, mariadbUrl } from './mariadb.js';
import { POSTGRES_JAVA, POSTGRES_KIND, POSTGRES_LACK, postgresClient, postgresUrl } from './postgres.js';

/** A real server for a test. */
export interface OpenedServer {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** A database that tests run over. */
export interface DatabaseKind {
  readonly name: string;
  readonly dialect: 'postgres' | 'mysql';
  /** The variable that names a running server. */
  readonly variable: 'POSTGRES_URL' | 'MYSQL_URL';
  /** The reason why no server can be started here, as an end of titles; undefined if one can. */
  readonly lack: string | undefined;
  /** The tables that ElasticJob itself creates. */
  readonly java: JavaTables;
  /** Starts a new server with data of its own. */
  readonly start: () => Promise<OpenedServer>;
  readonly client: (url: string) => Kysely<unknown>;
}

export const KINDS: readonly DatabaseKind[] = [
  {
    name: 'PostgreSQL',
    dialect: 'postgres',
    variable: 'POSTGRES_URL',
    lack: POSTGRES_LACK,
    java: POSTGRES_JAVA,
    client: postgresClient,
    start: async () => opened(await DatabaseServer.create(POSTGRES_KIND), postgresUrl),
  },
  {
    name: 'MariaDB',
    dialect: 'mysql',
    variable: 'MYSQL_URL',
    lack: MARIADB_LACK,
    java: MARIADB_JAVA,
    client: mariadbClient,
    start: async () => opened(await DatabaseServer.create(MARIADB_KIND), mariadbUrl),
  },
];

function opened(server: DatabaseServer, urlOf: (port: number) => string): OpenedServer {
  return {
    url: urlOf(server.port),
    start: () => server.start(),
    stop: () => server.stop(),
    remove: () => server.remove(),
  };
}

/** The server that the kind's variable names, which is left running, or a new one. */
export async function serverOf(kind: DatabaseKind): Promise<OpenedServer> {
  const url = process.env[kind.variable];
  const nothing = async (): Promise<void> => {};
  return url ? { url, start: nothing, stop: nothing, remove: nothing } : kind.start();
}
