import { describeRegistryContract } from './registry/index.js';
import { startZooKeeperHarness } from './zookeeper-harness.js';

describeRegistryContract({ name: 'zookeeper', start: () => startZooKeeperHarness() });
