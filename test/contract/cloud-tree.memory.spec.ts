import { describeCloudTree } from './cloud-tree/index.js';
import { startMemoryHarness } from './memory-harness.js';

describeCloudTree({ name: 'memory', start: startMemoryHarness });
