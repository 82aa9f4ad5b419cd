/** A valid configuration text, with the registry transaction that wrote it. */
export interface WrittenText {
  readonly text: string;
  readonly zxid: bigint;
}

/** The configuration texts that this instance knows for one job. */
export interface KnownTexts {
  /** The last text of `config` that this instance has read and could use. */
  readonly seen: WrittenText | undefined;
  /** The text that the leader has kept, for use after a bad edit. */
  readonly kept: WrittenText | undefined;
  /** True while the kept text is in force because the text of `config` cannot be used. */
  readonly isKeptInForce: boolean;
}

/**
 * Returns the text that the leader has to keep; undefined if it is kept already. While the kept text is in force, only
 * a later one replaces it: a leader that has missed an edit must not overwrite what its predecessor has kept since.
 */
export function findTextToKeep({ seen, kept, isKeptInForce }: KnownTexts): string | undefined {
  if (seen === undefined || seen.text === kept?.text) return undefined;
  return isKeptInForce && kept !== undefined && kept.zxid > seen.zxid ? undefined : seen.text;
}
