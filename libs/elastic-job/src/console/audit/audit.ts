import { BackOff, repeat } from '../../repeat/index.js';
import { type Clock, Deadline } from '../../clock/index.js';
import { guardRedact, Listeners, messageOf, type Redact } from '../../domain/index.js';
import {
  type AuditAnswer,
  type AuditEntry,
  type AuditQuery,
  type AuditTarget,
  type ConsoleCaller,
  ConsoleProblem,
  type DisabledBy,
} from '../contract/index.js';
import type { AuditIntent, AuditNote } from './audit-intent.js';
import { filterOf, pageOf } from './audit-page.js';
import type { AuditEnd, AuditStore } from './audit-store.js';
import { ConfigSights } from './config-sights.js';
import { MergedNotes } from './merged-notes.js';
import { NewEntries } from './new-entry.js';
import { outcomeOf, type StatusOf } from './outcome.js';

/** Longest wait for the store, in milliseconds. */
const STORE_MS = 5_000;
/** Age at which an entry without an end counts as unknown, in milliseconds: no change takes that long. */
const CHANGE_MS = 60_000;
/** Most ends that wait to be written, and most attempts at each. */
const MOST_WAITING = 1_000;
const MOST_ATTEMPTS = 30;
const NOT_KNOWN: DisabledBy = { by: null, at: null, reason: null };

export interface AuditParts {
  /** Removes secrets from texts. */
  readonly redact: Redact;
  /** The status of an error of the library. */
  readonly statusOf: StatusOf;
  /** A line of the application's log. */
  readonly log: { warn(text: string): void };
}

/** @param signal aborts once nobody waits for it */
type Work<T> = (store: AuditStore, signal: AbortSignal) => Promise<T>;

/** The result of a change, and what the audit keeps of it. */
export interface Made<T> {
  readonly result: T;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A change that was made. */
export interface Recorded<T> {
  readonly result: T;
  /** Id of its entry. */
  readonly audit: string;
  /** False if the entry still is `intended`, since its end could not be written; that is tried again. */
  readonly isSettled: boolean;
}

/**
 * Keeps who has done what, when, why, and how it ended.
 *
 * - States of an entry: `intended`, then one of `done`, `refused`, `failed`, `unknown`, which stays.
 * - Guarantee: a change begins once its intent outlives the process and its host. So there is no change without an
 *   entry. If the intent cannot be written within 5 s, nothing is done, and the answer is 503 AUDIT_AWAY.
 * - Crash between intent and end: the entry stays `intended`, and a minute after its beginning every reader sees it as
 *   `unknown`. No change takes a minute, and a later end would still replace that.
 * - The end cannot be written: the change stands, its answer says so, and the end is tried again with growing pauses,
 *   for about half an hour or until the process stops. Then the entry stays without it.
 * - Nothing secret is kept: fields that may hold secrets stand as `hidden`, and each text is redacted.
 */
export class Audit {
  private readonly entries: NewEntries;
  private readonly changes = new Listeners<(entry: AuditEntry) => void>();
  private readonly ending = new AbortController();
  /** Entries whose ends wait to be written. */
  private readonly waiting = new Set<string>();
  private readonly refusals: MergedNotes;
  private readonly sights: ConfigSights;
  private readonly redact: Redact;
  private opened: Promise<void> | undefined;

  constructor(
    private readonly store: AuditStore,
    private readonly clock: Clock,
    private readonly parts: AuditParts,
  ) {
    this.redact = guardRedact(parts.redact);
    this.entries = new NewEntries(clock, this.redact);
    this.refusals = new MergedNotes(clock, (note) => this.tryToWrite(note));
    this.sights = new ConfigSights({
      clock,
      signal: this.ending.signal,
      ask: (work) => this.ask(work),
      entryOf: (intent) => this.entries.of(intent, 'done'),
      onEntry: (entry) => this.tell(entry),
      since: () => this.unknownUntil,
      onError: (error) => this.warn('changes from outside are not noted at present; trying again', error),
    });
  }

  /**
   * Hears of each entry that this process has written, and again once it has ended.
   * @returns a function that removes the listener
   */
  onChange(listener: (entry: AuditEntry) => void): () => void {
    return this.changes.add(listener);
  }

  /** Opens the store. Without it the console starts all the same; each use tries again. */
  async start(): Promise<void> {
    await this.ready().catch((error: unknown) => this.warn('the audit cannot be opened; trying again', error));
  }

  async stop(): Promise<void> {
    await this.refusals.flush();
    this.ending.abort();
    await this.bounded(this.store.close()).catch((error: unknown) => this.warn('the audit was not closed', error));
  }

  /**
   * Makes a change once its intent is kept, and keeps how it ended.
   * @param change returns what it has changed; a new version of settings as `after.version`
   * @throws {ConsoleProblem} 503 AUDIT_AWAY if the intent cannot be kept; the change was not called
   * @throws the error of the change
   */
  async record<T>(
    intent: AuditIntent,
    change: (entry: { readonly id: string }) => Promise<Made<T>>,
  ): Promise<Recorded<T>> {
    const entry = this.entries.of(intent, 'intended');
    await this.keepIntent(entry);
    const { id } = entry;
    const making = (async () => change({ id }))();
    const made = await making.catch(async (error: unknown) => {
      const end = outcomeOf(error, this.parts.statusOf);
      await this.settle(entry, { ...end, ...this.entries.shown(end) });
      throw error;
    });
    const isSettled = await this.settle(entry, { outcome: 'done', code: null, ...this.entries.shown(made) });
    return { result: made.result, audit: id, isSettled };
  }

  /**
   * Keeps a log-in, a log-out, or what somebody was not let do. Refused ones are merged, and never throw.
   * @throws {ConsoleProblem} 503 AUDIT_AWAY
   */
  async note(note: AuditNote): Promise<void> {
    if (note.outcome === 'refused') return this.refusals.add(note);
    await this.write(this.entries.of(note, note.outcome, note.code));
  }

  /**
   * A page of what the caller may see, the newest first.
   * @throws {ConsoleProblem} 400 for a wrong query, 503 AUDIT_AWAY
   */
  async read(query: AuditQuery, caller: Pick<ConsoleCaller, 'jobPrefix' | 'name'>): Promise<AuditAnswer> {
    const filter = filterOf(query, caller, this.unknownUntil);
    return pageOf(query, filter, await this.use('read', (store, signal) => store.read(filter, signal)));
  }

  /** For each target the last one who has disabled it, unless somebody has enabled it since. Never throws. */
  async disabledBy(targets: readonly AuditTarget[]): Promise<readonly DisabledBy[]> {
    const last = await this.ask((store) => store.lastSwitches(targets)).catch(() => []);
    return targets.map((_, index) => {
      const entry = last[index];
      return entry?.action.endsWith('disable') ? { by: entry.who, at: entry.at, reason: entry.reason } : NOT_KNOWN;
    });
  }

  /**
   * Notes a version of a job's settings. One that no entry explains becomes an entry `outside`, once for all consoles
   * of the store. The first version that the store sees of a job is none.
   */
  seenConfig(job: string, version: number, text: string): void {
    this.sights.note({ job, version, text });
  }

  private get unknownUntil(): string {
    return new Date(this.clock.wallNow() - CHANGE_MS).toISOString();
  }

  private async keepIntent(entry: AuditEntry): Promise<void> {
    let adding: Promise<void> | undefined;
    try {
      await this.use('written', (store) => (adding = store.add(entry)));
      this.tell(entry);
    } catch (error) {
      // It may be there all the same, or come late, and would count as unknown.
      const refuse = () => this.settleLater(entry, { outcome: 'refused', code: 'AUDIT_AWAY' });
      void adding?.then(refuse, refuse);
      throw error;
    }
  }

  private async write(entry: AuditEntry): Promise<void> {
    await this.use('written', (store) => store.add(entry));
    this.tell(entry);
  }

  private tell(entry: AuditEntry): void {
    this.changes.forEach((listener) => listener(entry));
  }

  private async tryToWrite(note: AuditNote): Promise<void> {
    await this.write(this.entries.of(note, note.outcome, note.code)).catch(() => {}); // Told by `use`.
  }

  /** @returns false if the end could not be written yet */
  private async settle(entry: AuditEntry, end: AuditEnd): Promise<boolean> {
    try {
      await this.ask((store) => this.writeEnd(store, entry, end));
      return true;
    } catch (error) {
      this.warn(`the end of entry ${entry.id}, ${end.outcome}, cannot be written; trying again`, error);
      this.settleLater(entry, end);
      return false;
    }
  }

  private async writeEnd(store: AuditStore, entry: AuditEntry, end: AuditEnd): Promise<void> {
    const { id, target } = entry;
    const version: unknown = Reflect.get(Object(end.after), 'version');
    const isExplained = target.job !== undefined && typeof version === 'number';
    // First, so that a version is explained by the time that no change of the job is open.
    if (isExplained) await this.sights.explain(store, target.job, version);
    await store.settle(id, end);
    this.tell(entry);
  }

  private settleLater(entry: AuditEntry, end: AuditEnd): void {
    if (this.waiting.size >= MOST_WAITING) return this.warn(`entry ${entry.id} stays without its end, ${end.outcome}`);
    this.waiting.add(entry.id);
    const backOff = new BackOff(this.clock, { firstMs: 1_000, longestMs: CHANGE_MS });
    const { signal } = this.ending;
    const onEnd = () => void this.waiting.delete(entry.id);
    const work = () => this.ask((store) => this.writeEnd(store, entry, end));
    repeat({ signal, backOff, mostAttempts: MOST_ATTEMPTS, onEnd }, work).catch((error: unknown) =>
      this.warn(`entry ${entry.id} stays without its end, ${end.outcome}`, error),
    );
  }

  /** @throws {ConsoleProblem} 503 AUDIT_AWAY */
  private async use<T>(what: 'read' | 'written', work: Work<T>): Promise<T> {
    try {
      return await this.ask(work);
    } catch (error) {
      this.warn(`the audit cannot be ${what}`, error);
      const detail = what === 'read' ? 'The audit cannot be read' : 'The audit cannot be written, so nothing was done';
      throw new ConsoleProblem(503, 'AUDIT_AWAY', `${detail}; try again once its store answers.`);
    }
  }

  /** Rejects if the store has not done it in time; it may be done all the same. */
  private async ask<T>(work: Work<T>): Promise<T> {
    const waiting = new AbortController();
    try {
      return await this.bounded(this.ready().then((store) => work(store, waiting.signal)));
    } finally {
      waiting.abort();
    }
  }

  private async ready(): Promise<AuditStore> {
    // Bounded by itself: an opening that never ends would keep all later ones from being tried.
    this.opened ??= this.bounded(this.store.open()).then((lines) => lines.forEach((line) => this.parts.log.warn(line)));
    try {
      await this.opened;
    } catch (error) {
      this.opened = undefined;
      throw error;
    }
    return this.store;
  }

  private bounded<T>(work: Promise<T>): Promise<T> {
    return Deadline.after(this.clock, STORE_MS).bounds(work, () => {
      throw new Error(`its store has not answered within ${STORE_MS} ms`);
    });
  }

  private warn(text: string, error?: unknown): void {
    this.parts.log.warn(error === undefined ? text : `${text}: ${this.redact(messageOf(error))}`);
  }
}
