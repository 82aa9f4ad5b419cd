import { type Clock, SystemClock } from '../../clock/index.js';
import { type OptionRow, OptionTable, rule, wholeFrom } from '../../domain/index.js';
import type { AuditEntry, AuditTarget } from '../contract/index.js';
import { isAskedFor, withEnd } from './audit-entry.js';
import { AuditFile } from './audit-file.js';
import { endLine, entryLine, keyLine, parseLine } from './audit-line.js';
import type { AuditEnd, AuditFilter, AuditStore } from './audit-store.js';
import { LineIndex } from './line-index.js';

/** Options of `JsonLinesAuditStore`. */
export interface JsonLinesAuditStoreOptions {
  /** The file, in a folder that exists. It is created with mode 0600. */
  readonly file: string;
  /**
   * Size in bytes from which on the file is renamed, to its name and the instant, and a new one begins. Renamed files
   * are read as well, and never deleted: compress, move or delete them as you like. @default 67_108_864
   */
  readonly maxBytes?: number;
}

const OPTIONS = {
  file: { rule: rule('the path of a file', (value) => typeof value === 'string' && value !== ''), required: true },
  maxBytes: { rule: wholeFrom(4_096) },
} as const satisfies Readonly<Record<keyof JsonLinesAuditStoreOptions, OptionRow>>;
const TABLE = new OptionTable(OPTIONS, 'the audit');

/** By how much the clocks of processes that write a file may differ, in milliseconds. */
const MOST_SKEW_MS = 3_600_000;

/**
 * An audit in a file of JSON lines: an entry as it begins, and another line as it ends. Each line is on the disk before
 * anything else happens. Several processes of one host may share a file, on a disk of that host. A network's file
 * system does not order their writes: give each host a file of its own there.
 *
 * ```ts
 * new JsonLinesAuditStore({ file: '/var/lib/orders/audit.jsonl' })
 * ```
 */
export class JsonLinesAuditStore implements AuditStore {
  private readonly file: AuditFile;
  private readonly index: LineIndex;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: JsonLinesAuditStoreOptions, clock: Clock = new SystemClock()) {
    const { file, maxBytes = 67_108_864 } = TABLE.checked('JsonLinesAuditStore', options);
    this.file = new AuditFile(file, maxBytes, clock);
    this.index = new LineIndex(this.file);
  }

  async open(): Promise<readonly string[]> {
    // Shows that it can be written, and begins a new line behind one that was cut short.
    await this.file.append('');
    await this.index.catchUp();
    const { brokenLines } = this.index;
    if (brokenLines === 0) return [];
    const lines = brokenLines === 1 ? '1 line' : `${brokenLines} lines`;
    return [`The audit in ${this.file.path} is read without ${lines} that a crash or a full disk has cut short.`];
  }

  add(entry: AuditEntry): Promise<void> {
    return this.file.append(entryLine(entry));
  }

  settle(id: string, end: AuditEnd): Promise<void> {
    return this.file.append(endLine(id, end));
  }

  async addOnce(key: string, entry?: AuditEntry): Promise<boolean> {
    if (await this.has(key)) return false;
    await this.file.append(entry === undefined ? keyLine(key) : entryLine(entry, key));
    await this.index.catchUp();
    // Of two processes that append it at once, the one whose line is first.
    return entry === undefined || this.index.counts(key, entry.id);
  }

  async has(key: string): Promise<boolean> {
    await this.index.catchUp();
    return this.index.has(key);
  }

  /**
   * Reads backwards, as far as it takes: a filter that fits few entries may read all files, in parts.
   * @throws the signal's reason
   */
  async read(filter: AuditFilter, signal?: AbortSignal): Promise<readonly AuditEntry[]> {
    await this.index.catchUp();
    const oldest = filter.from === undefined ? '' : new Date(Date.parse(filter.from) - MOST_SKEW_MS).toISOString();
    const found: AuditEntry[] = [];
    let isBehind = filter.after === undefined;
    for await (const entry of this.newestFirst(signal)) {
      if (isBehind && isAskedFor(entry, filter)) found.push(entry);
      isBehind ||= entry.id === filter.after?.id;
      if (found.length === filter.limit || entry.at < oldest) return found;
    }
    return found;
  }

  async lastSwitches(targets: readonly AuditTarget[]): Promise<readonly (AuditEntry | undefined)[]> {
    await this.index.catchUp();
    return targets.map((target) => this.index.lastSwitch(target));
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async *newestFirst(signal: AbortSignal | undefined): AsyncGenerator<AuditEntry> {
    /** Ends of entries that are still to come. */
    const ends = new Map<string, AuditEnd>();
    for await (const text of this.file.linesBackwards()) {
      signal?.throwIfAborted();
      const line = parseLine(text);
      if (line?.kind === 'end') ends.set(line.id, line.end); // The first one of the file stands.
      if (line?.kind !== 'entry' || !this.index.counts(line.key, line.entry.id)) continue;
      yield withEnd(line.entry, ends.get(line.entry.id));
      ends.delete(line.entry.id);
    }
  }
}
