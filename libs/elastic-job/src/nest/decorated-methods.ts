import type { ProviderClass } from './found-job.js';
import { isTestDouble } from './test-doubles.js';

/** Key under which a prototype lists its decorated methods. Text, so that two copies of the package agree. */
const DECORATED_METHODS = 'elastic-job:decorated-methods';

/** A method as it was when a decorator was applied. */
interface DecoratedMethod {
  /** The decorator as it is written in code. */
  readonly what: string;
  readonly method: string | symbol;
  /** Metadata that the decorator has left on the function. */
  readonly key: string;
  /** The function that was decorated. */
  readonly decorated: object;
}

/** Notes a decorated method on its prototype, which stays if the function is replaced. */
export function noteDecorated(prototype: object, decorated: DecoratedMethod): void {
  Reflect.defineMetadata(DECORATED_METHODS, [...decoratedMethodsOf(prototype), decorated], prototype);
}

/**
 * Finds decorators of a class's methods, inherited ones included, whose function was replaced by one without their
 * metadata. A test double takes its place for a while only. @returns a fault for each, as the end of a sentence that
 * begins with the method's place
 */
export function findReplaced(providerClass: ProviderClass, what: string): [string | symbol, string][] {
  const found = new Map<string | symbol, string>();
  const seen = new Set<PropertyKey>();
  let owner: object | null = providerClass.prototype;
  for (; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const decorated of decoratedMethodsOf(owner)) {
      const { method, key } = decorated;
      const present: unknown = Object.getOwnPropertyDescriptor(owner, method)?.value;
      const isLost = typeof present === 'function' && !isTestDouble(present) && !Reflect.hasMetadata(key, present);
      if (decorated.what === what && isLost && !seen.has(method)) found.set(method, describe(what));
    }
    for (const name of Reflect.ownKeys(owner)) seen.add(name);
  }
  return [...found];
}

/** Finds the decorated function in whose place a test double stands. @returns any other value as it is */
export function behindDouble(prototype: object, method: PropertyKey, present: unknown): unknown {
  if (!isTestDouble(present)) return present;
  for (let owner: object | null = prototype; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const found = decoratedMethodsOf(owner).findLast((one) => one.method === method);
    if (found !== undefined) return found.decorated;
  }
  return present;
}

function decoratedMethodsOf(prototype: object): readonly DecoratedMethod[] {
  const decorated: readonly DecoratedMethod[] = Reflect.getOwnMetadata(DECORATED_METHODS, prototype) ?? [];
  return decorated;
}

function describe(what: string): string {
  return (
    `${what} is lost, since the method was replaced after it, by a decorator above on the method or class; ` +
    `write ${what} above the one of a method, or let it keep the method's metadata`
  );
}
