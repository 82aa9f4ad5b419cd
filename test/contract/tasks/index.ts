import { describe } from 'vitest';
import { describeAdoptions } from './adoptions.contract.js';
import { describeClaims } from './claims.contract.js';
import { describeEnds } from './ends.contract.js';
import type { TaskAdapter } from './harness.js';

export { type Behaviour, type TaskAdapter, type TaskHarness, WRITTEN } from './harness.js';

/** The rules for every backend of tasks. A bug found in one adapter becomes a case here. */
export function describeTaskBackendContract(adapter: TaskAdapter): void {
  describe(`task backend contract, ${adapter.name}`, () => {
    describeClaims(adapter);
    describeAdoptions(adapter);
    describeEnds(adapter);
  });
}
