import { ElasticJobError } from '../errors.js';

/** A text of item parameters that cannot be read. */
export class ShardingItemParametersError extends ElasticJobError {
  readonly code = 'SHARDING_ITEM_PARAMETERS';

  constructor(
    readonly text: string,
    /** The end of a sentence that begins with the text. */
    readonly fault: string,
  ) {
    super(`The sharding item parameters "${text}" ${fault}.`);
  }
}

/**
 * Reads `0=Beijing,1=Shanghai`. An item that is not mentioned has no parameter. Blanks around items and parameters do not
 * count; a parameter holds neither `,` nor `=` and is not empty.
 * @throws {ShardingItemParametersError} for any other form, for an item below 0 and for one that is named twice.
 * @see ElasticJob, `ShardingItemParameters`, which takes the last of two entries for an item.
 */
export function parseShardingItemParameters(text: string): ReadonlyMap<number, string> {
  const parameters = new Map<number, string>();
  if (text === '') return parameters;
  for (const piece of text.split(',')) {
    const entry = /^\s*(?<item>\+?\d+)\s*=\s*(?<parameter>[^=]*[^=\s])\s*$/.exec(piece)?.groups;
    if (entry === undefined) {
      throw new ShardingItemParametersError(text, `must be entries like "0=Beijing", but one is "${piece.trim()}"`);
    }
    const item = Number(entry['item']);
    if (parameters.has(item)) throw new ShardingItemParametersError(text, `must name item ${item} only once`);
    parameters.set(item, entry['parameter']!);
  }
  return parameters;
}
