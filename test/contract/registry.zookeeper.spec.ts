import { describeClockSteps, describeRegistryContract } from './registry/index.js';
import { startZooKeeperHarness } from './zookeeper-harness.js';

const adapter = { name: 'zookeeper', start: () => startZooKeeperHarness() };
describeRegistryContract(adapter);
describeClockSteps(adapter);
