import { describe } from 'vitest';
import { describeChildrenWatches } from './ensemble/children-watch.contract.js';
import { describeLazySubtrees } from './ensemble/lazy-subtree.contract.js';
import { describeLosses } from './ensemble/losses.contract.js';
import { describeNamespaces } from './ensemble/namespaces.contract.js';
import { describeNodes } from './ensemble/nodes.contract.js';
import { describeRaces } from './ensemble/races.contract.js';
import { describeRequests } from './ensemble/requests.contract.js';
import { describeSequentialNodes } from './ensemble/sequential.contract.js';
import { describeSessions } from './ensemble/sessions.contract.js';
import { describeSizes } from './ensemble/sizes.contract.js';
import { describeSubtrees } from './ensemble/subtree.contract.js';
import { describeSync } from './ensemble/sync.contract.js';
import { describeTransactions } from './ensemble/transactions.contract.js';
import { describeWords } from './ensemble/words.contract.js';
import type { RegistryAdapter } from './harness.js';
import { describeCalls } from './shared/calls.contract.js';
import { describeLatches } from './shared/latch.contract.js';
import { describeSharedRequests } from './shared/shared.contract.js';
import { describeSizeLimits } from './shared/sizes.contract.js';

export { describeClockSteps } from './ensemble/clock-steps.contract.js';
export type { ClientOptions, RegistryAdapter, RegistryHarness } from './harness.js';
export { clientsOf, cutAll } from './support.js';

/** The rules for every ensemble below the registry port. A bug found in one adapter becomes a case here. */
export function describeRegistryContract(adapter: RegistryAdapter): void {
  describe(`registry contract, ${adapter.name}`, () => {
    describeEnsemble(adapter);
    describeShared(adapter);
  });
}

/** Rules that an ensemble keeps, seen through the shared registry. */
function describeEnsemble(adapter: RegistryAdapter): void {
  describeNodes(adapter);
  describeSequentialNodes(adapter);
  describeNamespaces(adapter);
  describeTransactions(adapter);
  describeWords(adapter);
  describeSessions(adapter);
  describeLosses(adapter);
  describeSubtrees(adapter);
  describeLazySubtrees(adapter);
  describeChildrenWatches(adapter);
  describeSync(adapter);
  describeSizes(adapter);
  describeRequests(adapter);
  describeRaces(adapter);
}

/** Rules that the shared registry adds, and the recipes on it. */
function describeShared(adapter: RegistryAdapter): void {
  describeCalls(adapter);
  describeSharedRequests(adapter);
  describeSizeLimits(adapter);
  describeLatches(adapter);
}
