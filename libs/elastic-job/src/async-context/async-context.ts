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

/** Makes every method of a class run in the package's context, as its callers are users. @see inPackageContext */
export function publicCalls(own: AnyClass): void {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(own.prototype);
  for (const [name, descriptor] of Object.entries(methods)) {
    const method: unknown = descriptor.value;
    if (typeof method === 'function')
      Object.defineProperty(own.prototype, name, { ...descriptor, value: called(method) });
  }
}

// As cheap as a plain call, so internal callers may use the same methods.
function called(method: Function) {
  return function (this: unknown, ...args: unknown[]): unknown {
    return inPackageContext((): unknown => Reflect.apply(method, this, args));
  };
}
