import {
  FencedError,
  type FencedStore,
  type FencePosition,
  type JobName,
  oneOf,
  type OptionRow,
  OptionTable,
  rule,
} from '../../domain/index.js';
import { committing, committingSync, type FencedRun, rethrow } from '../fenced-write.js';
import { FenceAheadError, MissingTokenError } from '../fence.errors.js';
import {
  countOf,
  type ExecuteSql,
  type ExecuteSqlSync,
  readAhead,
  type SqlConnection,
  type SqlParameter,
  transactionSync,
} from './sql-connection.js';
import { advanceFenceSql, createFenceTableSql, selectAheadSql } from './fence-table.js';

/** Runs a query outside of a transaction. @returns the rows as objects by column names, directly or as a promise */
export type SelectSql = (
  statement: string,
  parameters: readonly SqlParameter[],
) => readonly unknown[] | Promise<readonly unknown[]>;

/** Options of `PlainSqlGuard`. */
export interface PlainSqlGuardOptions {
  /** Placeholders of the driver: `?` (SQLite's drivers) or `$1`, `$2` ... (pg). */
  readonly placeholders: '?' | '$1';
  /** Runs a query outside any transaction, to compare the stored tokens with the registry's at start. */
  readonly select: SelectSql;
}

const TABLE = new OptionTable(
  {
    placeholders: { required: true, rule: oneOf(['?', '$1']) },
    select: { required: true, rule: rule('a function that runs a query', (value) => typeof value === 'function') },
  } satisfies Readonly<Record<keyof PlainSqlGuardOptions, OptionRow>>,
  'the guard',
);

/**
 * Guards one database against stale runs, through the driver's own API.
 *
 * Synchronous drivers write in one step. The connection cannot be used meanwhile, so items may share it:
 *
 * ```ts
 * const db = new Database('payments.db'); // better-sqlite3
 * const execute = (statement, parameters) => db.prepare(statement).run(...parameters).changes;
 * const guard = new PlainSqlGuard({ placeholders: '?', select: (text, values) => db.prepare(text).all(...values) });
 *
 * guard.writeSync(context, execute, () => db.prepare('insert into payment values (?)').run(id));
 * ```
 *
 * Asynchronous drivers write through a connection, where each write waits for those before it:
 *
 * ```ts
 * const client = await pool.connect(); // pg
 * const connection = new SqlConnection(async (...statement) => (await client.query(...statement)).rowCount);
 * const select = async (...query) => (await pool.query(...query)).rows;
 * const guard = new PlainSqlGuard({ placeholders: '$1', select });
 *
 * await guard.write(context, connection, () => client.query('insert into payment values ($1)', [id]));
 * ```
 */
export class PlainSqlGuard implements FencedStore {
  private readonly options: PlainSqlGuardOptions;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: PlainSqlGuardOptions) {
    this.options = TABLE.checked('PlainSqlGuard', options);
  }

  /**
   * Creates the guard table if there is none.
   * @param execute runs one statement on the database; its result is awaited
   */
  async createTable(execute: (statement: string, parameters: readonly SqlParameter[]) => unknown): Promise<void> {
    await execute(createFenceTableSql, []);
  }

  /**
   * Runs `effect` in a transaction of the connection, provided that no newer run of the item has written. Other users
   * of the same `SqlConnection` wait until it has ended, so an effect must not call `write` itself. If `effect` throws,
   * everything is rolled back and the error is passed on.
   * @throws {FencedError} if a newer run has written; `effect` was not called. Let it pass: another run has the item.
   * @throws {MissingTokenError} if the job runs without `monitorExecution`.
   * @throws {MissingFenceTableError} if there is no guard table.
   * @throws {TypeError} if `execute` gives anything that is no number of rows.
   * @throws {StuckConnectionError} if SQLite commits nothing on this connection, since it was refused a lock.
   */
  write<Result>(run: FencedRun, connection: SqlConnection, effect: () => Promise<Result>): Promise<Result> {
    const commit = () => connection.transaction(async () => {});
    return committing(this.mayStick ? commit : undefined, () =>
      connection.transaction(async () => {
        await this.advance(run, connection.execute);
        return effect();
      }),
    );
  }

  /**
   * `write` for a synchronous driver. It begins, writes and commits in one step, so no other run and no other part of
   * the application can enter its transaction, even on a shared connection.
   * @throws {FencedError} as `write`.
   * @throws {MissingTokenError} as `write`.
   * @throws {MissingFenceTableError} as `write`.
   * @throws {TypeError} if `effect` returns a promise; writes before its first `await` are rolled back.
   * @throws {TypeError} if `execute` returns a promise, or anything else that is no number of rows.
   * @throws {StuckConnectionError} as `write`.
   */
  writeSync<Result>(run: FencedRun, execute: ExecuteSqlSync, effect: () => Result): Result {
    const commit = () => transactionSync(execute, () => {});
    return committingSync(this.mayStick ? commit : undefined, () =>
      transactionSync(execute, () => {
        this.advanceSync(run, execute);
        return effect();
      }),
    );
  }

  /**
   * Only checks, for a transaction that you have begun yourself, on a connection that no other run uses meanwhile. Make
   * it the first statement: it locks the item's row until the commit. If it throws, roll back.
   * @throws {FencedError} as `write`.
   * @throws {MissingTokenError} as `write`.
   * @throws {MissingFenceTableError} as `write`.
   */
  async advance(run: FencedRun, execute: ExecuteSql): Promise<void> {
    const statement = this.advancing(run);
    const executed = async (): Promise<unknown> => execute(...statement);
    judge(run, countOf('advance', await executed().catch(rethrow)));
  }

  /**
   * `advance` for a synchronous driver, for example inside the function that `db.transaction` of `better-sqlite3`
   * takes.
   * @throws {FencedError} as `write`.
   * @throws {MissingTokenError} as `write`.
   * @throws {MissingFenceTableError} as `write`.
   */
  advanceSync(run: FencedRun, execute: ExecuteSqlSync): void {
    const statement = this.advancing(run);
    const answer = attempt(() => execute(...statement));
    judge(run, countOf('advanceSync', answer));
  }

  /**
   * @throws {TypeError} if `select` gives no list of rows
   * @see FencedStore
   */
  async assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void> {
    const query = [jobName, registry.tokenEpoch, registry.token] as const;
    const select = async () => this.options.select(this.written(selectAheadSql), query);
    const ahead = readAhead(await select().catch(rethrow));
    if (ahead !== undefined) throw new FenceAheadError(jobName, ahead.item, ahead.stored, registry);
  }

  /** True if it may be SQLite. Elsewhere an empty transaction does no harm. */
  private get mayStick(): boolean {
    return this.options.placeholders === '?';
  }

  private advancing(run: FencedRun): Parameters<ExecuteSql> {
    const { jobName, shardingItem: item, tokenEpoch, token } = run;
    if (token === undefined) throw new MissingTokenError(jobName, item);
    return [this.written(advanceFenceSql), [jobName, item, tokenEpoch, token]];
  }

  private written(statement: string): string {
    if (this.options.placeholders === '?') return statement;
    let count = 0;
    return statement.replaceAll('?', () => `$${(count += 1)}`);
  }
}

function judge({ jobName, shardingItem, token }: FencedRun, rows: number): void {
  if (rows !== 1) throw new FencedError(jobName, shardingItem, token!);
}

function attempt<Result>(execute: () => Result): Result {
  try {
    return execute();
  } catch (error) {
    return rethrow(error);
  }
}
