import type { DiscoveryService } from '@nestjs/core';
import type { JobOptions } from '../domain/index.js';

/** What Nest knows about one provider. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A decorated method of a provider, or a decorated class. */
export interface FoundJob {
  /** As decorated; the name is there. */
  readonly options: JobOptions & { readonly name: string };
  /** `OrderJobs.settle`, or `OrderJobs` for a class. */
  readonly place: string;
  readonly provider: ProviderWrapper;
  readonly providerClass: ProviderClass;
  readonly methodName: string | symbol;
  readonly method: JobMethod;
  /** A class with `fetchData` and `processData`, which are one job together. */
  readonly isDataflow: boolean;
}

export type ProviderClass = abstract new (...args: never[]) => object;

export type JobMethod = (...args: unknown[]) => unknown;
