import { describeCloudTree } from './cloud-tree/index.js';
import { startZooKeeperHarness } from './zookeeper-harness.js';

describeCloudTree({ name: 'zookeeper', start: () => startZooKeeperHarness() });
