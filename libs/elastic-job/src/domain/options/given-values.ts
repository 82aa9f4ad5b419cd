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
function typeOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/**
 * Checks that the text of a file is one, and not its bytes, or a promise of it.
 * @param place the file, for the error
 * @throws {ConfigurationError} with the way to read it
 */
export function assertText(place: string, given: unknown): asserts given is string {
  if (typeof given === 'string') return;
  const remedy = "read the file as one, such as by readFileSync(path, 'utf8')";
  throw new ConfigurationError(place, [`it must be a text, but is of type ${typeOf(given)}; ${remedy}`]);
}

/** Quotes that a shell removes from a value. */
const QUOTE = /['"`]/;
const QUOTES_AROUND = /^(['"`]).*\1$/s;

/** Reason why a value may have quotes, or blanks at its ends, that nobody meant. */
export const QUOTES_ARE_KEPT = "Docker's --env-file keeps quotes and blanks";

/** The first quote in a text; undefined if it has none. */
export function findQuote(given: string): string | undefined {
  return QUOTE.exec(given)?.[0];
}

/** The quote with which a text begins and ends; undefined if there is no such one. */
export function findQuotesAround(given: string): string | undefined {
  return QUOTES_AROUND.exec(given)?.[1];
}
