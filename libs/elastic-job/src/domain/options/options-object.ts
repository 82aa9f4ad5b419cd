import { ConfigurationError } from '../errors.js';

/**
 * Checks that options are an object. Without it, what has none of the options by name (a function that was not called,
 * a list, a promise) would give every option its default.
 * @param place the owner of the options
 * @throws {ConfigurationError} that has the value's type, but not the value, which may be a secret
 */
export function assertOptionsObject(place: string, options: unknown): asserts options is object {
  if (typeof options === 'object' && options !== null && !(Symbol.iterator in options) && !('then' in options)) return;
  const type = Object.prototype.toString.call(options).slice('[object '.length, -1);
  const hint = typeof options === 'function' ? '; call the function, and give the options that it returns' : '';
  throw new ConfigurationError(place, [`the options must be an object, but are of type ${type}${hint}`]);
}
