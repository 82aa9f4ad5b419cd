/** The way in which Node asks an object how `console.log` is to show it. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Lets `console.log` and `util.inspect` show this in place of the object. The object must be extensible. */
export function showAs(object: object, shown: () => unknown): void {
  Object.defineProperty(object, INSPECT, { value: shown, configurable: true });
}
