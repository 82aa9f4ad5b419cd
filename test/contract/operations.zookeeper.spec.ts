import { describeOperations } from './operations/index.js';
import { startZooKeeperHarness } from './zookeeper-harness.js';

describeOperations({ name: 'zookeeper', start: () => startZooKeeperHarness() });
