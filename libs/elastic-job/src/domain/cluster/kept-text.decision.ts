/** A text that could be used, and the registry's transaction that wrote it. */
export interface WrittenText {
  readonly text: string;
  readonly zxid: bigint;
}

/** What is known of a job's settings. */
export interface KnownTexts {
  /** The last text of `config` that this instance has seen and could use. */
  readonly seen: WrittenText | undefined;
  /** The text that is kept for the time after a bad edit. */
  readonly kept: WrittenText | undefined;
  /** The kept text is in force, since that of `config` cannot be used. */
  readonly isKeptInForce: boolean;
}

/**
 * The text that the leader is to keep; undefined if it is kept already. A leader that has missed an edit must not
 * replace what its predecessor has kept since: while the kept text is in force, only a later one replaces it.
 */
export function findTextToKeep({ seen, kept, isKeptInForce }: KnownTexts): string | undefined {
  if (seen === undefined || seen.text === kept?.text) return undefined;
  return isKeptInForce && kept !== undefined && kept.zxid > seen.zxid ? undefined : seen.text;
}
