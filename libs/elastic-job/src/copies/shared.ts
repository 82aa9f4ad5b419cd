/**
 * One process can load this package twice: as ES modules, and as the CommonJS copy that some resolvers and test runners
 * need. Values that are compared by identity must be the same for both: classes that an application injects or passes,
 * and built-in strategies. Errors need no such care. @see ElasticJobError
 */

/** As in `package.json`: copies of different releases share nothing. */
export const RELEASE = '0.1.0';

const SHARED = Symbol.for(`nestjs-elastic-job@${RELEASE}:shared`);

/**
 * Returns the value of the copy that was loaded first.
 * @param name the same in both copies, even if a bundler shortens the names of classes
 */
export function shared<T extends object>(name: string, own: T): T {
  const known: Map<string, T> = Reflect.get(globalThis, SHARED) ?? new Map();
  Reflect.set(globalThis, SHARED, known);
  const first = known.get(name) ?? own;
  known.set(name, first);
  return first;
}

/** Makes a class the one of both copies of this package. @see shared */
export function sharedClass(name: string): <T extends abstract new (...args: never[]) => object>(own: T) => T {
  return (own) => shared(name, own);
}
