import { startMemoryHarness } from './memory-harness.js';
import { describeRegistryContract } from './registry/index.js';

describeRegistryContract({ name: 'memory', start: startMemoryHarness });
