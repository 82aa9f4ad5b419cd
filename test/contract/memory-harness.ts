import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { MemoryRegistry, type RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { type ClientOptions, cutAll, type RegistryHarness } from './registry/index.js';

/** A harness over a registry of its own in this process. */
export async function startMemoryHarness(): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const registry = new MemoryRegistry(clock);
  const centers: RegistryCenter[] = [];
  let namespaces = 0;

  const center = (options: ClientOptions): RegistryCenter => {
    const made = registry.center({ clock, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000, ...options });
    centers.push(made);
    return made;
  };
  return {
    center,
    async client(options) {
      const made = center(options);
      await made.connect();
      return made;
    },
    newNamespace: () => `contract/n${(namespaces += 1)}`,
    async expire(client) {
      registry.expire(client.session.id!);
    },
    async cut(client) {
      await cutAll([client], () => {
        registry.suspend(client.session.id!);
        registry.resume(client.session.id!);
      });
    },
    async stop() {
      await Promise.all(centers.map((made) => made.close()));
    },
  };
}
