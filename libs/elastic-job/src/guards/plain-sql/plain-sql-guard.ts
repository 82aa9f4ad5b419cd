import { type FencedStore, type FencePosition, FencedError, type JobName } from '../../domain/index.js';
import { FenceAheadError, MissingTokenError } from '../fence.errors.js';
import type { FencedRun } from '../fenced-run.js';
import { advanceFenceSql, selectAheadSql } from './fence-table.js';

export type SqlParameter = string | number | bigint;

/**
 * Runs a statement inside of the transaction of the effect.
 * @returns how many rows it has affected, as the driver says it: a driver that does not count lets nobody through
 */
export type ExecuteSql = (
  statement: string,
  parameters: readonly SqlParameter[],
) => Promise<number | bigint | null | undefined>;

/** Runs a query, in no transaction. @returns the rows: objects, by the names of their columns */
export type SelectSql = (statement: string, parameters: readonly SqlParameter[]) => Promise<readonly unknown[]>;

export interface PlainSqlGuardOptions {
  /** How the driver writes parameters: `?` (SQLite's drivers) or `$1`, `$2` ... (pg). */
  readonly placeholders: '?' | '$1';
  readonly select: SelectSql;
}

/**
 * Guards one database against stale runs, through the driver's own API. The table is `createFenceTableSql`.
 *
 * ```ts
 * const guard = new PlainSqlGuard({ placeholders: '$1', select: async (...query) => (await pool.query(...query)).rows
 * });
 *
 * await client.query('begin');
 * await guard.advance(context, async (...statement) => (await client.query(...statement)).rowCount);
 * await client.query('insert into payment ...');
 * await client.query('commit');
 * ```
 */
export class PlainSqlGuard implements FencedStore {
  constructor(private readonly options: PlainSqlGuardOptions) {}

  /**
   * Claims the store for a run. Make it the first statement of the transaction of the effect: it locks the item's row
   * until the commit. If it throws, roll back.
   * @throws {FencedError} if a newer run has written. Let it pass: the item is in other hands.
   * @throws {MissingTokenError} if the job runs without `monitorExecution`.
   */
  async advance(run: FencedRun, execute: ExecuteSql): Promise<void> {
    const { jobName, shardingItem: item, tokenEpoch, token } = run;
    if (token === undefined) throw new MissingTokenError(jobName, item);
    const affected = await execute(this.written(advanceFenceSql), [jobName, item, tokenEpoch, token]);
    if (Number(affected ?? 0) !== 1) throw new FencedError(jobName, item, token);
  }

  /** @see FencedStore */
  async assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void> {
    const query = [jobName, registry.tokenEpoch, registry.token] as const;
    const [row] = await this.options.select(this.written(selectAheadSql), query);
    if (row === undefined) return;
    const ahead = new Map<string, unknown>(Object.entries(Object(row)));
    // As text: drivers read a bigint column as a number, and round it.
    const stored = { tokenEpoch: Number(ahead.get('token_epoch')), token: BigInt(String(ahead.get('token'))) };
    throw new FenceAheadError(jobName, Number(ahead.get('item')), stored, registry);
  }

  private written(statement: string): string {
    if (this.options.placeholders === '?') return statement;
    let count = 0;
    return statement.replaceAll('?', () => `$${(count += 1)}`);
  }
}
