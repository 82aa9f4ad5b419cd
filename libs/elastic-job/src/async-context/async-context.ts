import { AsyncResource } from 'node:async_hooks';

/** The context in which this package was loaded. No function of a user may run directly in it. */
const PACKAGE = new AsyncResource('ElasticJob', { requireManualDestroy: true });

/**
 * Calls a function of this package in the package's context. Timers, sockets and watches that it leaves behind do not
 * keep the caller's stores, and nothing that they call later sees these. The caller's own continuation keeps them.
 */
export function inPackageContext<Result>(call: () => Result): Result {
  return PACKAGE.runInAsyncScope(call);
}

/**
 * Calls a function of a user in a new context below the current one. In Node 20 `AsyncLocalStorage.enterWith` writes
 * into the async resource that runs, which is a timer or a socket of all jobs otherwise.
 */
export function inOwnContext<Result>(call: () => Result): Result {
  return new AsyncResource('ElasticJobCall', { requireManualDestroy: true }).runInAsyncScope(call);
}

type AnyClass = abstract new (...args: never[]) => object;

/**
 * Makes methods of a class run in the package's context, as their callers are users. @see inPackageContext
 * @param names of those that do. @default all methods
 */
export function publicCalls(...names: readonly string[]): (own: AnyClass) => void {
  return (own) => {
    const { constructor: _, ...members } = Object.getOwnPropertyDescriptors(own.prototype);
    for (const [name, descriptor] of Object.entries(members)) {
      const method: unknown = descriptor.value;
      if (typeof method !== 'function' || (names.length > 0 && !names.includes(name))) continue;
      Object.defineProperty(own.prototype, name, { ...descriptor, value: called(method) });
    }
  };
}

function called(method: Function) {
  return function (this: unknown, ...args: unknown[]): unknown {
    return inPackageContext((): unknown => Reflect.apply(method, this, args));
  };
}
