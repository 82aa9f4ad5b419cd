import { describeRegistryContract } from './registry/index.js';
import { startToyHarness } from './toy-harness.js';

// The proof that the port is small: an array of nodes and a mutex are enough for an ensemble.
describeRegistryContract({ name: 'toy', start: startToyHarness, lacks: ['cuts'] });
