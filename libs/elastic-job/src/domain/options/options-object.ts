import { ConfigurationError } from '../errors.js';

/** Types whose values are objects and have no named options. A class of options may have any other tag. */
const NO_OPTIONS =
  /^(?:Boolean|DataView|Date|Error|Number|RegExp|(?:Shared)?ArrayBuffer|String|URL|Weak(?:Map|Ref|Set))$/;

/** False for what has no named options, such as a list, a promise or a date. */
export function isOptionsObject(options: unknown): options is object {
  if (typeof options !== 'object' || options === null) return false;
  return !(Symbol.iterator in options) && !('then' in options) && !NO_OPTIONS.test(typeOf(options));
}

/**
 * Checks that options are an object. Without it, what has none of the options by name (a function that was not called,
 * a list, a promise) would give every option its default.
 * @param place the owner of the options @param remedy what to do where nothing is given
 * @throws {ConfigurationError} that has the value's type, but not the value, which may be a secret
 */
export function assertOptionsObject(place: string, options: unknown, remedy = ''): asserts options is object {
  if (isOptionsObject(options)) return;
  const hint = hintFor(options, remedy);
  throw new ConfigurationError(place, [
    `the options must be an object, but are of type ${typeOf(options)}${hint && `; ${hint}`}`,
  ]);
}

function hintFor(options: unknown, remedy: string): string {
  if (typeof options === 'function') return 'call the function, and give the options that it returns';
  return options === undefined || options === null ? remedy : '';
}

/** The type of a value, as its tag says: `Undefined`, `Date`, `Uint8Array`. */
export function typeOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
