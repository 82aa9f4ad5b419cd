import { createServer, type IncomingMessage, type Server } from 'node:http';
import Libsql from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { listen } from '@test/support/zookeeper/loopback.js';
import { FencedError, SqlGuard } from '../../../../libs/elastic-job/src/guards/sql/index.js';
import type { EffectLine, RunLine } from '../check/index.js';
import { LineLog } from './line-log.js';

/**
 * The database that all workers share, behind a server as databases are, so a worker that is stopped while it writes
 * holds no lock. Writes with a token go through the fence. Each write is a line of the log, in the order of the
 * commits.
 */
export class RunStore {
  readonly #guard: SqlGuard<object>;
  #position = 0;

  private constructor(
    private readonly database: Kysely<object>,
    private readonly server: Server,
    private readonly port: number,
    private readonly log: LineLog,
  ) {
    this.#guard = new SqlGuard(database);
    // Keeps the connection of a stopped worker open.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    server.on('request', (request, response) => {
      this.#serve(request).then(
        (isAccepted) => response.writeHead(isAccepted ? 204 : 409).end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  /** @param file its log */
  static async start(file: string): Promise<RunStore> {
    const database = new Kysely<object>({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
    const server = createServer();
    const store = new RunStore(database, server, await listen(server), new LineLog(file));
    await store.#guard.createTable();
    return store;
  }

  /** URL to which workers post their writes. 204 is accepted, 409 is fenced. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** @returns true if it was accepted */
  async write(line: RunLine): Promise<boolean> {
    const { job: jobName, item: shardingItem, tokenEpoch, token } = line;
    let position = 0;
    const commit = async () => void (position = this.#position += 1);
    let isAccepted = true;
    try {
      if (token === null) await commit();
      else await this.#guard.write({ jobName, shardingItem, tokenEpoch, token: BigInt(token) }, commit);
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      isAccepted = false;
    }
    const written: EffectLine = { ...line, position, isAccepted };
    await this.log.append(written);
    return isAccepted;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.database.destroy();
    await this.log.close();
  }

  async #serve(request: IncomingMessage): Promise<boolean> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return this.write(JSON.parse(Buffer.concat(chunks).toString()));
  }
}
