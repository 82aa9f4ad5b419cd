import type { AuditEntry, AuditTarget } from '../contract/index.js';
import { isAskedFor, isSwitch, targetKey, withEnd } from './audit-entry.js';
import type { AuditEnd, AuditFilter, AuditStore } from './audit-store.js';

/** Most entries that are kept; the oldest ones are dropped. */
const MOST_ENTRIES = 10_000;

/** An audit that ends with the process: for tests, and for consoles that are given no other. */
export class MemoryAuditStore implements AuditStore {
  /** In the order in which they came. */
  private readonly entries = new Map<string, AuditEntry>();
  private readonly keys = new Set<string>();
  private readonly switches = new Map<string, AuditEntry>();

  constructor(private readonly mostEntries = MOST_ENTRIES) {}

  async open(): Promise<readonly string[]> {
    return [
      `The audit is kept in memory: its last ${this.mostEntries} entries, until this process ends. ` +
        'Give the option audit a store of JSON lines or SQL.',
    ];
  }

  async add(entry: AuditEntry): Promise<void> {
    this.entries.set(entry.id, entry);
    this.noteSwitch(entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.mostEntries && oldest !== undefined) this.entries.delete(oldest);
  }

  async settle(id: string, end: AuditEnd): Promise<void> {
    const entry = this.entries.get(id);
    if (entry?.outcome !== 'intended') return;
    const ended = withEnd(entry, end);
    this.entries.set(id, ended);
    this.noteSwitch(ended);
  }

  async addOnce(key: string, entry?: AuditEntry): Promise<boolean> {
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    if (entry !== undefined) await this.add(entry);
    return true;
  }

  async has(key: string): Promise<boolean> {
    return this.keys.has(key);
  }

  async read(filter: AuditFilter): Promise<readonly AuditEntry[]> {
    const newest = [...this.entries.values()].toReversed();
    const place = filter.after === undefined ? -1 : newest.findIndex(({ id }) => id === filter.after?.id);
    // The entry has been dropped, and so have those behind it.
    if (filter.after !== undefined && place === -1) return [];
    return newest
      .slice(place + 1)
      .filter((entry) => isAskedFor(entry, filter))
      .slice(0, filter.limit);
  }

  async lastSwitches(targets: readonly AuditTarget[]): Promise<readonly (AuditEntry | undefined)[]> {
    return targets.map((target) => this.switches.get(targetKey(target)));
  }

  async close(): Promise<void> {}

  private noteSwitch(entry: AuditEntry): void {
    if (entry.outcome === 'done' && isSwitch(entry)) this.switches.set(targetKey(entry.target), entry);
  }
}
