import type { ElasticJobError } from '../../libs/elastic-job/src/domain/index.js';

/** A reader of texts that others write, and what it promises. */
export interface FuzzedParser<Value = unknown> {
  readonly name: string;
  /** Real texts, from which random ones are made. */
  readonly examples: readonly string[];
  /** Pieces that mean something to this reader, such as its keys. */
  readonly words?: readonly string[];
  /** @returns undefined for what is none */
  read(text: string): Value | undefined;
  /** The errors that `read` may throw; any other one is a bug. */
  readonly refusals: readonly (abstract new (...args: never[]) => ElasticJobError)[];
  /** The text of a value, which reads back as the same value. Undefined: there is none. */
  write?(value: Value): string | undefined;
  /** What of a value has to come again when its text is read; all of it, unless this is given. */
  essence?(value: Value): unknown;
  /** What is wrong with a value although it could be read, if so. */
  findFault?(value: Value): string | undefined;
}
