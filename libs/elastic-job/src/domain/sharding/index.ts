// Ownership of items: the strategies, the plan that they make, and the next instance of a job that goes round.
export {
  createShardingStrategy,
  findShardingStrategy,
  isBuiltInStrategyType,
  isJavaStrategyType,
  isShareableStrategyType,
  strategyBesideJava,
  UnknownStrategyError,
} from './create-sharding-strategy.js';
export {
  causeOfMoves,
  type FormerOwnerState,
  type ItemMove,
  type ItemMoves,
  movesBetween,
  type ReshardingCause,
} from './item-moves.js';
export { goesRound, nextInstanceOf, nextIpAfter } from './next-instance.decision.js';
export { InvalidShardingError, planSharding } from './plan-sharding.js';
export { javaHashCode, type ShardingStrategy } from './strategies.js';
