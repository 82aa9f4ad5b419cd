import type { Clock } from '../../clock/index.js';
import { SharedRegistry } from '../shared-registry.js';
import { ZooKeeperEnsemble } from './zookeeper-ensemble.js';
import { resolveZooKeeperOptions, type ZooKeeperOptions } from './zookeeper-options.js';

/** The registry over a ZooKeeper ensemble, version 3.6 or later. */
export class ZooKeeperRegistryCenter extends SharedRegistry {
  /** @throws {ConfigurationError} for invalid options */
  constructor(options: ZooKeeperOptions, clock: Clock) {
    super(new ZooKeeperEnsemble(resolveZooKeeperOptions(options), clock), clock);
  }
}
