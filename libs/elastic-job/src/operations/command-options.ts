import { flag, number, type OptionRow, OptionTable, text } from '../domain/index.js';

export interface TriggerOptions {
  /** Passed to the handlers of our instances; Java's never see it. @default none */
  readonly parameters?: string;
}

export interface DumpOptions {
  /** Writes `ip1`, `ip2`, ... for IPv4 addresses, as Java does, and for IPv6 addresses. @default true */
  readonly hideAddresses?: boolean;
  /**
   * Shows only what is known to hold no secret, and `hidden` for all else: parameters, props, extra configurations,
   * checkpoints, notes of backends, the contents of operators' triggers, and nodes that this package does not know. The
   * module's `redact` goes over the rest.
   * Java does not.
   * @default true
   */
  readonly hideSecrets?: boolean;
  /**
   * Most bytes of a dump; of a larger tree it has the first nodes, and a last line that says so. A node shows 10,000
   * children at most.
   * @default 5_000_000
   */
  readonly maxBytes?: number;
}

const TRIGGER = { parameters: { rule: text() } } as const satisfies Readonly<Record<keyof TriggerOptions, OptionRow>>;

/** Rows of a dump's options, for the server as well. */
export const DUMP = {
  hideAddresses: { rule: flag() },
  hideSecrets: { rule: flag() },
  maxBytes: { rule: number(1) },
} as const satisfies Readonly<Record<keyof DumpOptions, OptionRow>>;

export const TRIGGER_TABLE = new OptionTable(TRIGGER, 'a trigger');
export const DUMP_TABLE = new OptionTable(DUMP, 'a dump');
