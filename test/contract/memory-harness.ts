import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { MemoryRegistry } from '../../libs/elastic-job/src/registry/index.js';
import { clientsOf, cutAll, type RegistryHarness } from './registry/index.js';

/** A harness over a registry of its own in this process. */
export async function startMemoryHarness(): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const registry = new MemoryRegistry(clock);
  const limits = { sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 };
  return {
    ...clientsOf((options) => registry.center({ clock, ...limits, ...options })),
    async expire(client) {
      registry.expire(client.session.id!);
    },
    async cut(client) {
      await cutAll([client], () => {
        registry.suspend(client.session.id!);
        registry.resume(client.session.id!);
      });
    },
  };
}
