import { ElasticJobError } from '../errors.js';
import type { JobName } from '../cluster/index.js';

/**
 * No strategy has this type.
 * @remarks Use a type that the message names, or give your own strategy to the module's `strategies`.
 */
export class UnknownStrategyError extends ElasticJobError {
  readonly code = 'UNKNOWN_STRATEGY';

  constructor(
    readonly type: string,
    readonly known: readonly string[],
  ) {
    super(`There is no sharding strategy "${type}"; known are ${known.join(', ')}.`);
  }
}

/**
 * A strategy broke its promise: it threw, or an item went to no instance, to two, or to an instance that was not
 * offered. The last plan stays in force, and the strategy is asked again.
 * @remarks Correct the strategy: it must give every item of the job to exactly one of the given instances.
 */
export class InvalidShardingError extends ElasticJobError {
  readonly code = 'INVALID_SHARDING';

  constructor(
    readonly strategy: string,
    readonly jobName: JobName,
    /** The item in question, possibly none of the job's; undefined if it is no single one. */
    readonly item: number | undefined,
    /** The strategy's fault. */
    readonly fault: string,
    options?: ErrorOptions,
  ) {
    const place = item === undefined ? '' : `, item ${String(item)}`;
    super(
      `Sharding strategy "${strategy}" ${fault} (job "${jobName}"${place}); ` +
        'it must give every item of the job to exactly one of the given instances.',
      options,
    );
  }
}
