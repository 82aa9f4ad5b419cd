// Which instance owns which item: the strategies, the plan that is made with them, and whose turn it is.
export { avgAllocation } from './avg-allocation.strategy.js';
export {
  createShardingStrategy,
  findShardingStrategy,
  isBuiltInStrategyType,
  isJavaStrategyType,
} from './create-sharding-strategy.js';
export { javaHashCode } from './java-hash-code.js';
export { odevity } from './odevity.strategy.js';
export { planSharding } from './plan-sharding.js';
export { roundRobin } from './round-robin.strategy.js';
export { InvalidShardingError, UnknownStrategyError } from './sharding.errors.js';
export type { ShardingStrategy } from './sharding-strategy.js';
export { singleShardingBalance } from './single-sharding-balance.strategy.js';
export { sticky } from './sticky.strategy.js';
export { goesRound, turnAfter, turnOf } from './turn.decision.js';
