import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type RegistryCenter, SharedRegistry } from '../../libs/elastic-job/src/registry/index.js';
import { clientsOf, type RegistryHarness } from './registry/index.js';
import { ToyEnsemble } from './toy/toy-ensemble.js';
import { ToyStore } from './toy/toy-store.js';

/** A harness over the smallest store that keeps what an ensemble promises. */
export async function startToyHarness(): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const store = new ToyStore(clock);
  const ensembles = new Map<RegistryCenter, ToyEnsemble>();
  return {
    ...clientsOf(({ namespace, maxRequestBytes }) => {
      const ensemble = new ToyEnsemble(store, clock, namespace, maxRequestBytes);
      const center = new SharedRegistry(ensemble, clock);
      ensembles.set(center, ensemble);
      return center;
    }),
    async expire(client) {
      ensembles.get(client)!.expire();
    },
    cut: () => Promise.reject(new Error('no connection of the toy can be cut')),
  };
}
