import type { DiscoveryService } from '@nestjs/core';
import { providerClassOf } from './class-members.js';
import type { ProviderClass, ProviderWrapper } from './found-job.js';

/**
 * The application's providers that have a class, each once, whatever number of tokens it has. Nest's own entry of each
 * provider comes first: if a factory passes an instance on, its enhancers are there.
 */
export function findProviders(discovery: DiscoveryService): [ProviderWrapper, ProviderClass][] {
  const seen = new Set<unknown>();
  const providers = discovery
    .getProviders()
    .filter((provider) => !provider.isAlias)
    .toSorted((a, b) => Number(a.isNotMetatype) - Number(b.isNotMetatype));
  return providers.flatMap((provider): [ProviderWrapper, ProviderClass][] => {
    const providerClass = providerClassOf(provider);
    const instance: unknown = provider.instance;
    if (!providerClass || (instance && seen.has(instance))) return [];
    seen.add(instance);
    return [[provider, providerClass]];
  });
}
