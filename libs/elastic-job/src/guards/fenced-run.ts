import type { ShardingContext } from '../domain/index.js';

/** What a guard needs to know about a run; a `ShardingContext` has it. */
export type FencedRun = Pick<ShardingContext, 'jobName' | 'shardingItem' | 'token' | 'tokenEpoch'>;
