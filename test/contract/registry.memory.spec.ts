import { startMemoryHarness } from './memory-harness.js';
import { describeClockSteps, describeRegistryContract } from './registry/index.js';

const adapter = { name: 'memory', start: startMemoryHarness };
describeRegistryContract(adapter);
describeClockSteps(adapter);
