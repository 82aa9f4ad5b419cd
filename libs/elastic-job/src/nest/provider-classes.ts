import type { DiscoveryService } from '@nestjs/core';
import type { JobOptions } from '../domain/index.js';
import { behindDouble } from './decorated-methods.js';

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

/**
 * The class of a provider's object; undefined for a plain value, and for an object that exists only during a request.
 */
export function providerClassOf(provider: ProviderWrapper): ProviderClass | undefined {
  if (!provider.isNotMetatype && isClass(provider.metatype)) return provider.metatype;
  const instance: unknown = provider.instance;
  if (typeof instance !== 'object' || instance === null) return undefined;
  const prototype: object | null = Object.getPrototypeOf(instance);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return isClass(prototype.constructor) ? prototype.constructor : undefined;
}

/**
 * Finds a provider of an optional package, which is not loaded, by the name of its class. A user's value may have any
 * `constructor`, or none.
 */
export function findOfClassNamed(discovery: DiscoveryService, name: string): object | undefined {
  const instances = discovery.getProviders().map(({ instance }): unknown => instance);
  return instances.find((instance): instance is object => {
    const made: unknown = instance instanceof Object ? Reflect.get(instance, 'constructor') : undefined;
    return typeof made === 'function' && made.name === name;
  });
}

/**
 * Methods of a class's instances, inherited ones included, the nearest of each name. Behind a test double it is the
 * decorated one. Getters are not called.
 */
export function methodsOf(providerClass: ProviderClass): ReadonlyMap<string | symbol, JobMethod> {
  return members(providerClass.prototype, Object.prototype);
}

/** The static methods of a class, inherited ones included. */
export function staticMethodsOf(providerClass: ProviderClass): ReadonlyMap<string | symbol, JobMethod> {
  return members(providerClass, Function.prototype);
}

/**
 * Calls a method of a provider's instance as the instance has it now: a stub or a spy may be in the place of the
 * class's own. @throws {TypeError} if it has no such method
 */
export function callMethod(
  instance: object,
  methodName: string | symbol,
  place: string,
  given: readonly unknown[],
): unknown {
  const method: unknown = Reflect.get(instance, methodName);
  if (typeof method === 'function') return Reflect.apply(method, instance, given);
  throw new TypeError(`${place}: the instance of the provider has no such method.`);
}

function members(from: object, end: object): ReadonlyMap<string | symbol, JobMethod> {
  const nearest = new Map<string | symbol, unknown>();
  for (let owner: object | null = from; owner !== null && owner !== end; owner = Object.getPrototypeOf(owner)) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === 'constructor' || nearest.has(key)) continue;
      nearest.set(key, behindDouble(owner, key, Object.getOwnPropertyDescriptor(owner, key)?.value));
    }
  }
  return new Map([...nearest].filter((entry): entry is [string | symbol, JobMethod] => typeof entry[1] === 'function'));
}

function isClass(value: unknown): value is ProviderClass {
  return typeof value === 'function' && typeof value.prototype === 'object';
}
