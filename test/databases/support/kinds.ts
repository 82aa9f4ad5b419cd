import type { Kysely } from 'kysely';
import type { JavaTables } from '../../contract/history/history-database.js';
import { DatabaseServer } from './database-server.js';
import { MARIADB_JAVA, MARIADB_KIND, MARIADB_LACK, mariadbClient, mariadbUrl } from './mariadb.js';
import { POSTGRES_JAVA, POSTGRES_KIND, POSTGRES_LACK, postgresClient, postgresUrl } from './postgres.js';

/** A real server that is there for a test. */
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
  /** Names a server that is there already. */
  readonly variable: 'POSTGRES_URL' | 'MYSQL_URL';
  /** Why there is no program of its own to start; undefined if there is one. */
  readonly lack: string | undefined;
  /** What ElasticJob itself creates. */
  readonly java: JavaTables;
  /** A new server, with data of its own. */
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

/** The server that the kind's variable names, which is left alone, or a new one. */
export async function serverOf(kind: DatabaseKind): Promise<OpenedServer> {
  const url = process.env[kind.variable];
  const nothing = async (): Promise<void> => {};
  return url ? { url, start: nothing, stop: nothing, remove: nothing } : kind.start();
}
