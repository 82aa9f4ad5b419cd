import { isOptionsObject, mustBeUnseen, oneOf, type OptionRow, OptionTable, rule } from '../domain/index.js';
import type { ImportSource } from './import-source.js';

const TEXTS = 'texts by name, such as process.env';

const SOURCE = {
  format: { rule: oneOf(['yaml', 'properties']) },
  // Values may be passwords.
  placeholders: { rule: rule(TEXTS, areTexts, mustBeUnseen(TEXTS)) },
  profiles: { rule: rule('a list of names, such as ["prod"]', areProfiles) },
} as const satisfies Readonly<Record<keyof ImportSource, OptionRow>>;

/** Options of `importElasticJobConfiguration`. */
export const SOURCE_TABLE = new OptionTable(SOURCE, 'the import');

function areTexts(given: unknown): boolean {
  if (!isOptionsObject(given)) return false;
  return Object.values(given).every((value: unknown) => value === undefined || typeof value === 'string');
}

/** No expression can name a profile with another character. */
function areProfiles(given: unknown): boolean {
  return Array.isArray(given) && given.every((name) => typeof name === 'string' && /^[^\s()&|!,]+$/.test(name));
}
