import { ConfigurationError } from '../errors.js';
import { typeOf } from './options-object.js';

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
