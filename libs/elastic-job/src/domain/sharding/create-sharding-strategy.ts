import { shared } from '../../copies/index.js';
import { ElasticJobError } from '../errors.js';
import {
  avgAllocation,
  balanced,
  odevity,
  roundRobin,
  type ShardingStrategy,
  singleShardingBalance,
  sticky,
} from './strategies.js';

/** Strategies that Java has as well. */
const JAVAS: readonly ShardingStrategy[] = [avgAllocation, odevity, roundRobin, singleShardingBalance];
const BUILT_IN: readonly ShardingStrategy[] = shared('built-in strategies', [balanced, ...JAVAS, sticky]);

/** Names of older releases, in upper case. ElasticJob 2 configures a strategy by its class. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['AVERAGEALLOCATIONJOBSHARDINGSTRATEGY', avgAllocation.type],
  ['ODEVITYSORTBYNAMEJOBSHARDINGSTRATEGY', odevity.type],
  ['ROTATESERVERBYNAMEJOBSHARDINGSTRATEGY', roundRobin.type],
  ['ROTATE_SERVER_BY_NAME', roundRobin.type],
]);

const ELASTIC_JOB_2_PACKAGE = /^com\.dangdang\.(?:\w+\.)*/i;

/**
 * A built-in strategy: `BALANCED`, `AVG_ALLOCATION`, `ODEVITY`, `ROUND_ROBIN`, `SINGLE_SHARDING_BALANCE` or `STICKY`,
 * in any case, or by a name that an older ElasticJob had for it, such as `ROTATE_SERVER_BY_NAME` or
 * `com.dangdang...RotateServerByNameJobShardingStrategy`.
 * @throws {UnknownStrategyError} if the type names none of them.
 */
export function createShardingStrategy(type: string): ShardingStrategy {
  const strategy = builtInStrategy(type);
  if (strategy === undefined) throw new UnknownStrategyError(type, builtInTypes());
  return strategy;
}

/**
 * Finds a strategy by its type: one of the user's own, which match exactly, or a built-in one.
 * @throws {UnknownStrategyError} naming the own and the built-in ones.
 */
export function findShardingStrategy(type: string, own: readonly ShardingStrategy[]): ShardingStrategy {
  const strategy = own.find((candidate) => candidate.type === type) ?? builtInStrategy(type);
  if (strategy === undefined) {
    throw new UnknownStrategyError(type, [...builtInTypes(), ...own.map((candidate) => candidate.type)]);
  }
  return strategy;
}

/** True if the text names a built-in strategy. */
export function isBuiltInStrategyType(type: string): boolean {
  return builtInStrategy(type) !== undefined;
}

/** True if the text names a strategy that Java has as well: a job that is shared with Java needs one of these. */
export function isJavaStrategyType(type: string): boolean {
  const strategy = builtInStrategy(type);
  return JAVAS.some(({ type: known }) => known === strategy?.type);
}

/** True if a job with this strategy may be shared with Java. */
export function isShareableStrategyType(type: string): boolean {
  return isJavaStrategyType(type) || type === balanced.type;
}

/**
 * The strategy where Java's instances plan as well, or have written the job's settings: the one that the registry
 * names, else Java's average allocation, which also takes the place of `BALANCED`. Java's leader plans alike, except by
 * a strategy that Java lacks and the registry names, with which the job cannot be shared.
 * @param strategy the one among our own instances
 * @param isNamed true if the registry names it
 */
export function strategyBesideJava(strategy: ShardingStrategy, isNamed: boolean): ShardingStrategy {
  return isNamed && strategy.type !== balanced.type ? strategy : createShardingStrategy(avgAllocation.type);
}

function builtInTypes(): string[] {
  return BUILT_IN.map((strategy) => strategy.type);
}

function builtInStrategy(type: string): ShardingStrategy | undefined {
  const name = type.replace(ELASTIC_JOB_2_PACKAGE, '').toUpperCase();
  const known = ALIASES.get(name) ?? name;
  return BUILT_IN.find((strategy) => strategy.type === known);
}

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
