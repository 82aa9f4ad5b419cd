import { describe } from 'vitest';
import { describeChildrenWatches } from './children-watch.contract.js';
import type { RegistryAdapter } from './harness.js';
import { describeLatches } from './latch.contract.js';
import { describeLazySubtrees } from './lazy-subtree.contract.js';
import { describeLosses } from './losses.contract.js';
import { describeNamespaces } from './namespaces.contract.js';
import { describeNodes } from './nodes.contract.js';
import { describeRaces } from './races.contract.js';
import { describeRequests } from './requests.contract.js';
import { describeSequentialNodes } from './sequential.contract.js';
import { describeSessions } from './sessions.contract.js';
import { describeSharedRequests } from './shared.contract.js';
import { describeSizes } from './sizes.contract.js';
import { describeSubtrees } from './subtree.contract.js';
import { describeSync } from './sync.contract.js';
import { describeTransactions } from './transactions.contract.js';

export { describeClockSteps } from './clock-steps.contract.js';
export type { ClientOptions, RegistryAdapter, RegistryHarness } from './harness.js';
export { cutAll } from './support.js';

/** The rules for every adapter of the registry port. A bug found in one adapter becomes a case here. */
export function describeRegistryContract(adapter: RegistryAdapter): void {
  describe(`registry contract, ${adapter.name}`, () => {
    describeNodes(adapter);
    describeSequentialNodes(adapter);
    describeNamespaces(adapter);
    describeTransactions(adapter);
    describeSessions(adapter);
    describeLosses(adapter);
    describeSubtrees(adapter);
    describeLazySubtrees(adapter);
    describeChildrenWatches(adapter);
    describeSync(adapter);
    describeSharedRequests(adapter);
    describeLatches(adapter);
    describeSizes(adapter);
    describeRequests(adapter);
    describeRaces(adapter);
  });
}
