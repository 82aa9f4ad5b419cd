import type { CodeOption } from './job-options.js';
import { CODE_OPTIONS, SETTING_NAMES } from './job-settings.js';
import { byName, describeUnknown } from './option-table.js';
import { assertOptionsObject } from './given-values.js';

/** Options that no edit of a job's settings changes, each with the reason. */
const FIXED: ReadonlyMap<string, string> = new Map<'name' | 'overwrite' | CodeOption, string>([
  ['name', 'a job keeps its name; add or create one of the other name, and remove this one'],
  ...['overwrite' as const, ...CODE_OPTIONS].map(
    (option) => [option, 'it belongs to the code; change it where the job or its template is declared'] as const,
  ),
]);
const EDITABLE = SETTING_NAMES.filter((name) => !FIXED.has(name));

/** Settings of a job as somebody has given them. */
interface TakenSettings<Given> {
  /** The settings alone, and what else is accepted. */
  readonly settings: Given;
  /** One text for everything that must not be given. Undefined counts as not given. */
  readonly problems: readonly string[];
}

/**
 * Takes the settings out of what an operator has given, which may be the body of a request: TypeScript's types say
 * nothing about that.
 * @param besides other names that are accepted
 * @throws {ConfigurationError} if it is no object
 */
export function takeSettings<Given extends object>(
  place: string,
  given: Given,
  besides: readonly (keyof Given & string)[] = [],
): TakenSettings<Given> {
  assertOptionsObject(place, given);
  const known = [...EDITABLE, ...besides];
  const isTaken = (key: string | symbol): key is keyof Given & string =>
    known.some((name) => name === key) && Object.hasOwn(given, key);
  const keys = keysOf(given).filter((key) => Reflect.get(given, key) !== undefined || isTaken(key));
  return {
    settings: byName<Given>(keys.filter(isTaken), (key) => given[key]),
    problems: keys.filter((key) => !isTaken(key)).map((key) => describe(key, known)),
  };
}

/** True for an option that no edit changes. */
export function isFixed(option: string): boolean {
  return FIXED.has(option);
}

function describe(key: string | symbol, known: readonly string[]): string {
  if (typeof key === 'symbol') return `${String(key)} is not an option of a job; its options have texts as names`;
  if (known.includes(key)) return `${key} is inherited; give it as a property of the object itself`;
  const reason = FIXED.get(key);
  return reason === undefined ? describeUnknown(key, known, 'a job') : `${key} must be left out: ${reason}`;
}

/** All keys that count for a `for` loop or a spread, inherited ones included. */
function keysOf(given: object): readonly (string | symbol)[] {
  const names: string[] = [];
  for (const name in given) names.push(name);
  const symbols = Object.getOwnPropertySymbols(given);
  return [...names, ...symbols.filter((symbol) => Object.prototype.propertyIsEnumerable.call(given, symbol))];
}
