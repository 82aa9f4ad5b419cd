// Ownership of items: the strategies, the plan that they make, and the next instance of a job that goes round.
export {
  createShardingStrategy,
  findShardingStrategy,
  isBuiltInStrategyType,
  isJavaStrategyType,
  isShareableStrategyType,
  strategyBesideJava,
} from './create-sharding-strategy.js';
export { javaHashCode } from './java-hash-code.js';
export { planSharding } from './plan-sharding.js';
export { InvalidShardingError, UnknownStrategyError } from './sharding.errors.js';
export type { ShardingStrategy } from './sharding-strategy.js';
export { goesRound, nextIpAfter, nextInstanceOf } from './next-instance.decision.js';
