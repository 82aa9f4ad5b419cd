import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type RegistryCenter, SharedRegistry } from '../../libs/elastic-job/src/registry/index.js';
import type { ClientOptions, RegistryHarness } from './registry/index.js';
import { ToyEnsemble } from './toy/toy-ensemble.js';
import { ToyStore } from './toy/toy-store.js';

/** A harness over the smallest store that keeps what an ensemble promises. */
export async function startToyHarness(): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const store = new ToyStore(clock);
  const ensembles = new Map<RegistryCenter, ToyEnsemble>();
  let namespaces = 0;

  const center = ({ namespace, maxRequestBytes }: ClientOptions): RegistryCenter => {
    const ensemble = new ToyEnsemble(store, clock, namespace, maxRequestBytes);
    const made = new SharedRegistry(ensemble, clock);
    ensembles.set(made, ensemble);
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
      ensembles.get(client)!.expire();
    },
    cut: () => Promise.reject(new Error('no connection of the toy can be cut')),
    async stop() {
      await Promise.all(Array.from(ensembles.keys(), (made) => made.close()));
    },
  };
}
