import { shared } from '../copies/index.js';
import { ConfigurationError } from '../domain/index.js';

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
 * Refuses a decorator of a class's method, inherited ones included, whose function was replaced by one without its
 * metadata. A test double takes its place for a while only.
 * @throws {ConfigurationError}
 */
export function assertNotReplaced(decoratedClass: abstract new (...args: never[]) => object, what: string): void {
  const seen = new Set<PropertyKey>();
  let owner: object | null = decoratedClass.prototype;
  for (; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const decorated of decoratedMethodsOf(owner)) {
      const { method, key } = decorated;
      const present: unknown = Object.getOwnPropertyDescriptor(owner, method)?.value;
      const isLost = typeof present === 'function' && !isTestDouble(present) && !Reflect.hasMetadata(key, present);
      if (decorated.what !== what || !isLost || seen.has(method)) continue;
      throw new ConfigurationError(`${decoratedClass.name}.${String(method)}`, [
        `${what} is lost, since the method was replaced after it, by a decorator above on the method or class; ` +
          `write ${what} above the one of a method, or let it keep the method's metadata`,
      ]);
    }
    for (const name of Reflect.ownKeys(owner)) seen.add(name);
  }
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

/**
 * Refuses what a compiler passes to decorators of the ECMAScript proposal: the decorated value, and a context.
 * @param what the decorator as it is written in code
 * @param given the argument in the place of a member's name
 * @throws {ConfigurationError}
 */
export function assertApplied(what: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || !('kind' in given)) return;
  throw new ConfigurationError(`${what} on ${String(Reflect.get(given, 'name'))}`, [
    'the compiler has applied it by the ECMAScript proposal (stage 3), which Nest does not know; set ' +
      '"experimentalDecorators" and "emitDecoratorMetadata" in the tsconfig.json that it reads',
  ]);
}

/** Properties by which libraries of test doubles mark their functions: Jest, Vitest and Node by the first; Sinon. */
const MARKS = ['mock', 'isSinonProxy'];

/** True for a mock or a spy. */
function isTestDouble(value: unknown): boolean {
  // Node's marks are seen by reading only.
  return typeof value === 'function' && MARKS.some((mark) => Reflect.get(value, mark) !== undefined);
}

/** Classes with jobs that this process has loaded. They may be of other applications, or of none. */
const LOADED = shared('ClassesWithJobs', { refs: new Set<WeakRef<object>>(), known: new WeakSet<object>() });

/** Notes the class of a decorated method or class. @param target the class, or its prototype */
export function noteLoaded(target: object): void {
  const loaded: unknown = typeof target === 'function' ? target : target.constructor;
  if (typeof loaded !== 'function' || LOADED.known.has(loaded)) return;
  LOADED.known.add(loaded);
  LOADED.refs.add(new WeakRef(loaded));
}

/**
 * Names of the loaded classes that no provider is made of, the latest first.
 * @param provided classes of the providers; a class is in use by its subclasses too
 */
export function namesOfUnprovided(provided: Iterable<object>): readonly string[] {
  const inUse = new Set<object>();
  for (const providerClass of provided) {
    for (let one: object | null = providerClass; one !== null && !inUse.has(one); one = Object.getPrototypeOf(one))
      inUse.add(one);
  }
  return [...LOADED.refs]
    .flatMap((ref) => {
      const loaded = ref.deref();
      if (loaded === undefined) LOADED.refs.delete(ref);
      return typeof loaded === 'function' && !inUse.has(loaded) ? [loaded.name] : [];
    })
    .toReversed();
}
