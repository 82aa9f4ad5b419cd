/** Key under which Node looks for an object's own form in `console.log`. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Makes `console.log` and `util.inspect` show another value for the object. The object must be extensible. */
export function showAs(object: object, shown: () => unknown): void {
  Object.defineProperty(object, INSPECT, { value: shown, configurable: true });
}
