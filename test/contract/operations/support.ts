import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { RegistryAdapter, RegistryHarness } from '../registry/index.js';
import { Stage } from './stage.js';

/** A stage of its own for every test. */
export function useStage(adapter: RegistryAdapter) {
  let harness: RegistryHarness;
  let stage: Stage;
  beforeAll(async () => {
    harness = await adapter.start();
  });
  afterAll(() => harness.stop());
  beforeEach(async () => {
    stage = await Stage.open(harness);
  });
  afterEach(() => stage.stop());
  return { stage: () => stage, harness: () => harness };
}
