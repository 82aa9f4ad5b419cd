// Which instance owns which item: the strategies, the plan that is made with them, and which instance is next.
export {
  createShardingStrategy,
  findShardingStrategy,
  isBuiltInStrategyType,
  isJavaStrategyType,
} from './create-sharding-strategy.js';
export { javaHashCode } from './java-hash-code.js';
export { planSharding } from './plan-sharding.js';
export { InvalidShardingError, UnknownStrategyError } from './sharding.errors.js';
export type { ShardingStrategy } from './sharding-strategy.js';
export { goesRound, nextIpAfter, nextInstanceOf } from './next-instance.decision.js';
