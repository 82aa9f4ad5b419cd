import type { DiscoveryService } from '@nestjs/core';
import type { JobOptions } from '../domain/index.js';

/** A provider, as Nest describes it. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A decorated method of a provider, or a decorated class. */
export interface FoundJob {
  /** Options of the decorator, with a name. */
  readonly options: JobOptions & { readonly name: string };
  /** `OrderJobs.settle`, or `OrderJobs` for a class. */
  readonly place: string;
  readonly provider: ProviderWrapper;
  readonly providerClass: ProviderClass;
  readonly methodName: string | symbol;
  readonly method: JobMethod;
  /** True for a class with `fetchData` and `processData`, which are one job together. */
  readonly isDataflow: boolean;
}

export type ProviderClass = abstract new (...args: never[]) => object;

export type JobMethod = (...args: unknown[]) => unknown;
