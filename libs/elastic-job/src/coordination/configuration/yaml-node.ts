/** A value of a YAML text. An alias is not copied: it is the same node as its anchor. */
export type YamlNode =
  | YamlScalar
  | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly YamlEntry[] };

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly text: string;
  /** True without quotes and not in a block, so that the text may stand for a number or for null. */
  readonly isPlain: boolean;
}

export interface YamlEntry {
  readonly key: string;
  readonly value: YamlNode;
  /** Position of the key in the text, including its tag and anchor. */
  readonly at: number;
  /** End of the key, including quotes. */
  readonly keyEnd: number;
  /** End of the value's own text; comments and blank lines after it are not part of it. */
  readonly valueEnd: number;
  /** True if it is written as `{key: value}`. */
  readonly isFlow: boolean;
}

/** Value of a key without a value. */
export const NOTHING: YamlNode = { kind: 'scalar', text: '', isPlain: true };
