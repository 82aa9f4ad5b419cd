import type { ShardingContext } from '../domain/index.js';

/** Fields of a run that a guard needs; a `ShardingContext` has them. */
export type FencedRun = Pick<ShardingContext, 'jobName' | 'shardingItem' | 'token' | 'tokenEpoch'>;
