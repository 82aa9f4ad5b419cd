import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import { FencedError, type FencedStore, type FencePosition, type JobName } from '../../domain/index.js';
import { committing, type FencedRun, rethrow } from '../fenced-write.js';
import { FenceAheadError, MissingTokenError } from '../fence.errors.js';
import { advanceFenceSql, createFenceTableSql, selectAheadSql } from '../plain-sql/index.js';

/**
 * Guards one database against stale runs.
 *
 * ```ts
 * await guard.write(context, (trx) => trx.insertInto('payment').values(payment).execute());
 * ```
 */
export class SqlGuard<Database> implements FencedStore {
  /** Commits a transaction without statements; undefined if a refused lock cannot stick on the connection. */
  private readonly commit: (() => Promise<void>) | undefined;

  constructor(private readonly db: Kysely<Database>) {
    // SQLite's placeholder; that of PostgreSQL is $1.
    const mayStick = !db.isTransaction && sql`${0}`.compile(db).sql === '?';
    this.commit = mayStick ? () => db.transaction().execute(async () => {}) : undefined;
  }

  /** Creates the guard table if there is none. @throws {StuckConnectionError} as `write`. */
  async createTable(): Promise<void> {
    await this.committing(() => sql.raw(createFenceTableSql).execute(this.db));
  }

  /**
   * Runs `effect` in a transaction of its own, provided that no newer run of the item has written. If `effect` throws,
   * everything is rolled back and the error is passed on.
   * @throws {FencedError} if a newer run has written; `effect` was not called. Let it pass: another run has the item.
   * @throws {MissingTokenError} if the job runs without `monitorExecution`.
   * @throws {MissingFenceTableError} if there is no guard table.
   * @throws {StuckConnectionError} if SQLite commits nothing on this connection, since it was refused a lock.
   */
  async write<Result>(run: FencedRun, effect: (trx: Transaction<Database>) => Promise<Result>): Promise<Result> {
    return this.committing(() =>
      this.db.transaction().execute(async (trx) => {
        await this.advance(run, trx);
        return effect(trx);
      }),
    );
  }

  /**
   * Only checks, for a transaction that you have begun yourself. Make it the first statement: in SQLite it takes the
   * write lock, which a transaction that has already read may be denied. If it throws, roll the transaction back.
   * @throws {FencedError} as `write`.
   * @throws {MissingTokenError} as `write`.
   * @throws {MissingFenceTableError} as `write`.
   */
  async advance(run: FencedRun, trx: Transaction<Database>): Promise<void> {
    const { jobName, shardingItem: item, tokenEpoch, token } = run;
    if (token === undefined) throw new MissingTokenError(jobName, item);

    const advancing = statement(advanceFenceSql, [jobName, item, tokenEpoch, token]).execute(trx);
    const { numAffectedRows } = await advancing.catch(rethrow);
    // Not "=== 0n": a driver that does not count must refuse every write.
    if (numAffectedRows !== 1n) throw new FencedError(jobName, item, token);
  }

  /**
   * Checks that the registry has not fallen behind the guard table. Called at start, for guards in the module's
   * `fences`.
   * @param registry the module's `tokenEpoch`, and the registry's latest transaction id (the mzxid of any node written
   * now)
   * @throws {FenceAheadError} if it has; the message names the remedy.
   * @throws {StuckConnectionError} as `write`.
   */
  async assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void> {
    const query = statement<AheadRow>(selectAheadSql, [jobName, registry.tokenEpoch, registry.token]);
    const [ahead] = (await this.committing(() => query.execute(this.db)).catch(rethrow)).rows;
    if (!ahead) return;
    const stored = { tokenEpoch: ahead.token_epoch, token: BigInt(ahead.token) };
    throw new FenceAheadError(jobName, ahead.item, stored, registry);
  }

  /** @throws {StuckConnectionError} if the connection is one of SQLite, and commits nothing */
  private committing<Result>(use: () => Promise<Result>): Promise<Result> {
    return committing(this.commit, use);
  }
}

interface AheadRow {
  readonly item: number;
  readonly token_epoch: number;
  /** Read as text: drivers read a bigint column as a number, and round it. */
  readonly token: string;
}

/** Called like a tagged template, so that Kysely writes the placeholders of each dialect. */
function statement<Row>(text: string, parameters: readonly unknown[]): RawBuilder<Row> {
  const texts = text.split('?');
  return sql<Row>(Object.assign(texts, { raw: texts }), ...parameters);
}
