import { afterAll, beforeAll, beforeEach } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { CloudConfigurations, type CloudAppOptions } from '../../../libs/elastic-job/src/cloud/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter, RegistryHarness } from '../registry/index.js';

export const clock = new SystemClock();

export const APP: CloudAppOptions = { appName: 'shop', appURL: 'registry/shop:1', bootstrapScript: 'node main.js' };

/** A namespace, one client of it, and as many other clients as a test needs. */
export class CloudStage {
  private constructor(
    private readonly harness: RegistryHarness,
    private readonly namespace: string,
    readonly registry: RegistryCenter,
  ) {}

  static async open(harness: RegistryHarness): Promise<CloudStage> {
    const namespace = harness.newNamespace();
    return new CloudStage(harness, namespace, await harness.client({ namespace }));
  }

  get configurations(): CloudConfigurations {
    return new CloudConfigurations(this.registry, clock);
  }

  client(): Promise<RegistryCenter> {
    return this.harness.client({ namespace: this.namespace });
  }

  expire(client: RegistryCenter): Promise<void> {
    return this.harness.expire(client);
  }

  /** Nodes as others have left them, by path. */
  async write(nodes: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, data] of Object.entries(nodes)) {
      await this.registry.ensurePath(path);
      await this.registry.set(path, data);
    }
  }

  async data(path: string): Promise<string | undefined> {
    return (await this.registry.read(path))?.data;
  }
}

/** A stage of its own for every test. */
export function useCloudStage(adapter: RegistryAdapter): () => CloudStage {
  let harness: RegistryHarness;
  let stage: CloudStage;
  beforeAll(async () => {
    harness = await adapter.start();
  });
  afterAll(() => harness.stop());
  beforeEach(async () => {
    stage = await CloudStage.open(harness);
  });
  return () => stage;
}
