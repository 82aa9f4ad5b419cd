/** A value of a YAML text. Nothing is copied for an alias: it is the node that it stands for. */
export type YamlNode =
  | YamlScalar
  | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly YamlEntry[] };

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly text: string;
  /** Without quotes and not a block, so that the text may stand for a number or for nothing. */
  readonly isPlain: boolean;
}

export interface YamlEntry {
  readonly key: string;
  readonly value: YamlNode;
  /** Where the key stands in the text, with its tag and its anchor. */
  readonly at: number;
  /** The end of the key, quotes included. */
  readonly keyEnd: number;
  /** The end of the value's own text: comments and blank lines behind it are not part of it. */
  readonly valueEnd: number;
  /** It is written `{key: value}`. */
  readonly isFlow: boolean;
}

/** A key without a value. */
export const NOTHING: YamlNode = { kind: 'scalar', text: '', isPlain: true };
