import { startMemoryHarness } from './memory-harness.js';
import { describeOperations } from './operations/index.js';

describeOperations({ name: 'memory', start: startMemoryHarness });
