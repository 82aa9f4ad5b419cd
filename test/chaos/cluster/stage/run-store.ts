import { createServer, type IncomingMessage, type Server } from 'node:http';
import Libsql from 'libsql';
import { type Generated, Kysely, SqliteDialect, sql } from 'kysely';
import { listen } from '../../../support/zookeeper/loopback.js';
import { FencedError, SqlGuard } from '../../../../libs/elastic-job/src/guards/sql/index.js';
import type { Effect, Run, RunSource } from '../check/index.js';

/** What a run writes: when it begins, when it has ended well, and when its signal told it to stop. */
export interface Entry {
  readonly step: 'begin' | 'end' | 'abort';
  /** Unique among all runs. */
  readonly run: string;
  readonly job: string;
  readonly item: number;
  readonly fireTime: number | null;
  readonly source: RunSource | null;
  /** Decimal; null: the run has none, and nothing fences it. */
  readonly token: string | null;
  readonly tokenEpoch: number;
  readonly worker: string;
  readonly begunAt: number;
  /** By the worker's wall clock. */
  readonly at: number;
}

interface Schema {
  entry: Entry & { position: Generated<number>; accepted: 0 | 1 };
}

/**
 * The database that all workers share, behind a server as databases are: a worker that is stopped while it writes holds
 * no lock. What has a token goes through the fence.
 */
export class RunStore {
  readonly #guard: SqlGuard<Schema>;

  private constructor(
    private readonly database: Kysely<Schema>,
    private readonly server: Server,
    private readonly port: number,
  ) {
    this.#guard = new SqlGuard(database);
    // Who was stopped for a while must find its connection open.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    server.on('request', (request, response) => {
      this.#serve(request).then(
        (isAccepted) => response.writeHead(isAccepted ? 204 : 409).end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(): Promise<RunStore> {
    const database = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
    await sql`create table entry (
      position integer primary key, step text, run text, job text, item integer, fireTime integer, source text,
      token text, tokenEpoch integer, worker text, begunAt integer, at integer, accepted integer
    )`.execute(database);
    const server = createServer();
    const store = new RunStore(database, server, await listen(server));
    await store.#guard.createTable();
    return store;
  }

  /** Where workers post their entries: 204 is accepted, 409 is fenced. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /** @returns whether it was accepted; if not, that is written down */
  async write(entry: Entry): Promise<boolean> {
    const { job: jobName, item: shardingItem, tokenEpoch } = entry;
    if (entry.token === null || entry.step === 'abort') return this.#insert(entry, this.database);
    const fenced = { jobName, shardingItem, tokenEpoch, token: BigInt(entry.token) };
    try {
      return await this.#guard.write(fenced, (transaction) => this.#insert(entry, transaction));
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      await this.database
        .insertInto('entry')
        .values({ ...entry, accepted: 0 })
        .execute();
      return false;
    }
  }

  /** Every run that has written, refused or not. */
  async runs(): Promise<readonly Run[]> {
    const byRun = new Map<string, StoredEntry[]>();
    for (const entry of await this.#entries()) byRun.set(entry.run, [...(byRun.get(entry.run) ?? []), entry]);
    return [...byRun.values()].map(toRun);
  }

  /** Everything that the fence has let pass. */
  async effects(): Promise<readonly Effect[]> {
    const entries = await this.#entries();
    return entries
      .filter(({ step, accepted }) => step !== 'abort' && accepted)
      .map(({ token, ...entry }) => ({ ...entry, token: token === null ? undefined : BigInt(token) }));
  }

  /** How many writes the fence has turned away. */
  async refusals(): Promise<number> {
    return (await this.#entries()).filter(({ accepted }) => !accepted).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.database.destroy();
  }

  #entries() {
    return this.database.selectFrom('entry').selectAll().orderBy('position').execute();
  }

  async #insert(entry: Entry, database: Kysely<Schema>): Promise<true> {
    await database
      .insertInto('entry')
      .values({ ...entry, accepted: 1 })
      .execute();
    return true;
  }

  async #serve(request: IncomingMessage): Promise<boolean> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const entry: Entry = JSON.parse(Buffer.concat(chunks).toString());
    return this.write(entry);
  }
}

type StoredEntry = Entry & { readonly accepted: 0 | 1 };

function toRun(entries: readonly StoredEntry[]): Run {
  const { job, item, fireTime, source, token, worker, begunAt } = entries[0]!;
  const atOf = (step: Entry['step']) => entries.find((entry) => entry.step === step)?.at;
  const isRefused = entries.some(({ accepted }) => !accepted);
  const [endedAt, abortedAt] = [atOf('end'), atOf('abort')];
  const ended = endedAt !== undefined ? 'succeeded' : abortedAt !== undefined ? 'aborted' : 'open';
  return {
    job,
    item,
    worker,
    begunAt,
    endedAt,
    abortedAt,
    fireTime: fireTime ?? undefined,
    source: source ?? undefined,
    token: token === null ? undefined : BigInt(token),
    outcome: isRefused ? 'refused' : ended,
  };
}
