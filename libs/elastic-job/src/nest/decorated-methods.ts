import type { ProviderClass } from './found-job.js';

/** Key under which a prototype lists its decorated methods. Text, so that two copies of the package agree. */
const DECORATED_METHODS = 'elastic-job:decorated-methods';

/** A method as it was when a decorator was applied. */
interface DecoratedMethod {
  /** The decorator as it is written in code. */
  readonly what: string;
  readonly method: string | symbol;
  /** Metadata that the decorator has left on the function. */
  readonly key: string;
  readonly value: object;
}

interface NotedMethod extends DecoratedMethod {
  /** The function that the class had when it was complete. Until then, and instead of a test double, the decorated one. */
  complete: unknown;
}

/** Notes a decorated method on its prototype, which stays if the function is replaced. */
export function noteDecorated(prototype: object, decorated: DecoratedMethod): void {
  const noted: NotedMethod = { ...decorated, complete: decorated.value };
  Reflect.defineMetadata(DECORATED_METHODS, [...decoratedMethodsOf(prototype), noted], prototype);
  // All decorators of a class are applied in one turn. What replaces the method later is none of them.
  void Promise.resolve().then(() => noteComplete(prototype, noted));
}

function noteComplete(prototype: object, noted: NotedMethod): void {
  const last = valueOf(prototype, noted.method);
  if (!isTestDouble(last)) noted.complete = last;
}

/**
 * Finds decorators of a class's methods, inherited ones included, whose function was replaced by one without their
 * metadata. A function that has come after the class was complete, as a test replaces a method, gets the metadata.
 * @returns a fault for each, as the end of a sentence that begins with the method's place
 */
export function findReplaced(providerClass: ProviderClass, what: string): [string | symbol, string][] {
  const found = new Map<string | symbol, string>();
  const seen = new Set<PropertyKey>();
  let owner: object | null = providerClass.prototype;
  for (; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const decorated of decoratedMethodsOf(owner)) {
      if (decorated.what !== what || seen.has(decorated.method)) continue;
      if (!keepsMetadata(owner, decorated)) found.set(decorated.method, describe(what));
    }
    for (const name of Reflect.ownKeys(owner)) seen.add(name);
  }
  return [...found];
}

function decoratedMethodsOf(prototype: object): readonly NotedMethod[] {
  const decorated: readonly NotedMethod[] = Reflect.getOwnMetadata(DECORATED_METHODS, prototype) ?? [];
  return decorated;
}

/** True if the present function has the metadata, or gets it since no decorator has replaced the method. */
function keepsMetadata(owner: object, { method, key, complete }: NotedMethod): boolean {
  const present = valueOf(owner, method);
  if (typeof present !== 'function' || Reflect.hasMetadata(key, present)) return true;
  if (typeof complete !== 'function' || !Reflect.hasMetadata(key, complete)) return false;
  for (const each of Reflect.getMetadataKeys(complete))
    Reflect.defineMetadata(each, Reflect.getMetadata(each, complete), present);
  return true;
}

/** True for a function of Jest, Vitest, Sinon or `node:test`, which may come in the turn in which a class is loaded. */
function isTestDouble(value: unknown): boolean {
  return typeof value === 'function' && ('mock' in value || 'isSinonProxy' in value);
}

function valueOf(owner: object, method: string | symbol): unknown {
  return Object.getOwnPropertyDescriptor(owner, method)?.value;
}

function describe(what: string): string {
  return (
    `${what} is lost, since the method was replaced after it, by a decorator above on the method or class; ` +
    `write ${what} above the one of a method, or let it keep the method's metadata`
  );
}
