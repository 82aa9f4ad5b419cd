import { findShardingStrategy, isBuiltInStrategyType, type ShardingStrategy } from '../sharding/index.js';
import { messageOf, readable } from '../thrown.js';
import type { JobOptions } from './job-options.js';
import { show } from './option-rules.js';

type GivenStrategy = NonNullable<JobOptions['strategy']>;

/** The strategy that a job's options mean, or the fault of the option, after its name, with the error behind it. */
type ResolvedStrategy =
  | { readonly kind: 'resolved'; readonly strategy: ShardingStrategy }
  | { readonly kind: 'refused'; readonly problem: string; readonly options?: ErrorOptions };

/** @param own the user's strategies, which options may name by their type */
export function resolveStrategy(given: GivenStrategy, own: readonly ShardingStrategy[]): ResolvedStrategy {
  try {
    const strategy = toStrategy(given, own);
    const fault = findStrategyFault(strategy);
    if (fault === undefined) return { kind: 'resolved', strategy };
    return { kind: 'refused', problem: ` ${fault}, but is ${show(given)}` };
  } catch (error) {
    const cause = readable(error);
    return { kind: 'refused', problem: `: ${messageOf(cause)}`, options: { cause } };
  }
}

function toStrategy(given: GivenStrategy, own: readonly ShardingStrategy[]): ShardingStrategy {
  if (typeof given === 'string') return findShardingStrategy(given, own);
  return typeof given === 'function' ? new given() : given;
}

function findStrategyFault(strategy: Partial<ShardingStrategy>): string | undefined {
  const { type, shard } = strategy;
  if (typeof type !== 'string' || type === '' || typeof shard !== 'function') {
    return 'must be the type of a strategy, or have a type (a text) and shard (a function)';
  }
  // The registry holds only the type. Under a built-in one, Java instances would shard differently.
  if (isBuiltInStrategyType(type) && findShardingStrategy(type, []) !== strategy) {
    return `must have a type of its own instead of ElasticJob's "${type}"`;
  }
  return undefined;
}
