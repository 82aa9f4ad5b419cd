import type { ElasticJobError } from '../../libs/elastic-job/src/domain/index.js';

/** A reader of texts that others write, and its promises. */
export interface FuzzedParser<Value = unknown> {
  readonly name: string;
  /** Real texts, from which random ones are made. */
  readonly examples: readonly string[];
  /** Pieces with a meaning for this reader, such as its keys. */
  readonly words?: readonly string[];
  /** @returns undefined for a text without a value */
  read(text: string): Value | undefined;
  /** The errors that `read` may throw; any other one is a bug. */
  readonly refusals: readonly (abstract new (...args: never[]) => ElasticJobError)[];
  /** The text of a value, which reads back as the same value. Undefined if it has none. */
  write?(value: Value): string | undefined;
  /** The part of a value that has to read back the same. @default all of it */
  essence?(value: Value): unknown;
  /** The fault of a value that could be read, if any. */
  findFault?(value: Value): string | undefined;
}
