import { describe } from 'vitest';
import type { RegistryAdapter } from '../registry/index.js';
import { describeConfigurations } from './configurations.contract.js';
import { describeFeed } from './feed.contract.js';
import { describeTakeover } from './takeover.contract.js';

/** The rules of ElasticJob-Cloud's tree over any registry. */
export function describeCloudTree(adapter: RegistryAdapter): void {
  describe(`ElasticJob-Cloud's tree over ${adapter.name}`, () => {
    describeConfigurations(adapter);
    describeFeed(adapter);
    describeTakeover(adapter);
  });
}
