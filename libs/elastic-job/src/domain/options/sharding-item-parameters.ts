import { ElasticJobError } from '../errors.js';
import { findNodeTextFault } from '../node-text.js';
import { GREATEST_INT } from './option-rules.js';

/** Most characters of a long text that a message shows. */
const SHOWN_CHARACTERS = 1_000;
const NONE: ReadonlyMap<number, string> = new Map();

/**
 * A text of item parameters that cannot be read.
 * @remarks Write entries such as `0=Beijing,1=Shanghai`, each item once.
 */
export class ShardingItemParametersError extends ElasticJobError {
  readonly code = 'SHARDING_ITEM_PARAMETERS';

  constructor(
    readonly text: string,
    /** The end of a sentence that begins with the text. */
    readonly fault: string,
  ) {
    super(`The sharding item parameters "${text.slice(0, SHOWN_CHARACTERS)}" ${fault}.`);
  }
}

/**
 * Reads `0=Beijing,1=Shanghai`. An item that is not mentioned has no parameter. Blanks around items and parameters do
 * not count; a parameter holds neither `,` nor `=` and is not empty.
 * @throws {ShardingItemParametersError} for any other form, for an item below 0 or beyond Java's `int`, and for one
 *   that is named twice.
 * @see ElasticJob, `ShardingItemParameters`, which takes the last of two entries for an item.
 */
export function parseShardingItemParameters(text: string): ReadonlyMap<number, string> {
  if (text === '') return NONE;
  const parameters = new Map<number, string>();
  const tooLong = findNodeTextFault(text);
  if (tooLong !== undefined) throw new ShardingItemParametersError(text, `cannot be read: ${tooLong}`);
  for (const piece of text.split(',')) {
    const [itemText = '', parameter = '', ...surplus] = piece.split('=').map((part) => part.trim());
    if (!/^\+?\d+$/.test(itemText) || parameter === '' || surplus.length > 0) {
      throw new ShardingItemParametersError(
        text,
        `must be entries like "0=Beijing", but one is "${piece.trim().slice(0, SHOWN_CHARACTERS)}"`,
      );
    }
    const item = Number(itemText);
    if (item > GREATEST_INT) throw new ShardingItemParametersError(text, `must name items up to ${GREATEST_INT}`);
    if (parameters.has(item)) throw new ShardingItemParametersError(text, `must name item ${item} only once`);
    parameters.set(item, parameter);
  }
  return parameters;
}
