// `nestjs-elastic-job/guards/zookeeper`: a fence for data that jobs keep in ZooKeeper.

export { FencedError, type FencedStore, type FencePosition } from '../domain/index.js';
export {
  FenceAheadError,
  FenceContentionError,
  FenceNodeError,
  type FencedRun,
  MissingTokenError,
  ZooKeeperGuard,
} from '../guards/index.js';
