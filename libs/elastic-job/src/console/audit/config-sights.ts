import type { Clock } from '../../clock/index.js';
import { maskConfiguration } from '../../coordination/index.js';
import { BackOff, repeat } from '../../repeat/index.js';
import type { AuditEntry } from '../contract/index.js';
import type { AuditIntent } from './audit-intent.js';
import type { AuditStore } from './audit-store.js';

/** Pause before another look at a version while a change of the job is open, in milliseconds. */
const PAUSE_MS = 2_000;
/** Longest pause while the store is away, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;
/** Most versions that wait; further ones are not judged. */
const MOST_WAITING = 50_000;

/** Most jobs whose last version is known. */
const MOST_KNOWN = 50_000;

/** A version of a job's settings that was seen in the registry. */
interface Sight {
  readonly job: string;
  readonly version: number;
  readonly text: string;
}

interface ConfigSightsParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Rejects if the store is away. */
  readonly ask: <T>(work: (store: AuditStore) => Promise<T>) => Promise<T>;
  readonly entryOf: (intent: AuditIntent) => AuditEntry;
  /** Called once an entry is written. */
  readonly onEntry: (entry: AuditEntry) => void;
  /** Instant from which on an `intended` entry is open. */
  readonly since: () => string;
  readonly onError: (error: unknown) => void;
}

/**
 * Finds the versions of settings that no entry explains. The store has a key for each job that it has seen, and for
 * each version that is explained: by being the first one, by a change, or by an entry `outside`.
 *
 * A version is seen before the change that wrote it has ended. Its intent is in the store by then, so a version is
 * judged once no change of the job is open. An open change ends within a minute, or counts as unknown.
 *
 * A job that is removed and made anew counts its versions from 0 on again. Those that are explained already are not
 * told again.
 */
export class ConfigSights {
  /** The last version of each job that this process has seen. */
  private readonly last = new Map<string, number>();
  /** One at a time: a console that starts sees the settings of all jobs. */
  private judging: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly parts: ConfigSightsParts) {}

  note(sight: Sight): void {
    const { job, version } = sight;
    if (this.last.get(job) === version) return;
    this.last.delete(job);
    this.last.set(job, version);
    // Jobs may come and go without end. One that is forgotten here is judged once more, which does no harm.
    const [oldest = job] = this.last.keys();
    if (this.last.size > MOST_KNOWN) this.last.delete(oldest);
    this.judge(sight);
  }

  /** Keeps that a change has written a version. */
  async explain(store: AuditStore, job: string, version: number): Promise<void> {
    await store.addOnce(versionKey({ job, version }));
    await store.addOnce(jobKey({ job }));
  }

  private judge(sight: Sight): void {
    if (this.waiting >= MOST_WAITING) return;
    this.waiting += 1;
    this.judging = this.judging.then(() => this.judgeNow(sight)).catch(() => {}); // Stopped.
  }

  /** @throws the signal's reason */
  private async judgeNow(sight: Sight): Promise<void> {
    const { ask, clock, onError, signal } = this.parts;
    this.waiting -= 1;
    const backOff = new BackOff(clock, { firstMs: PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
    const onFailure = (error: unknown, attempt: number) => void (attempt === 1 && onError(error));
    const isJudged = await repeat({ signal, backOff, onFailure }, () => ask((store) => this.isJudged(store, sight)));
    if (isJudged) return;
    void clock.sleep(PAUSE_MS, signal).then(
      () => this.judge(sight),
      () => {},
    ); // Stopped.
  }

  /** @returns false while a change of the job is open */
  private async isJudged(store: AuditStore, sight: Sight): Promise<boolean> {
    const { job, text, version } = sight;
    if (await store.has(versionKey(sight))) return true;
    if (!(await store.has(jobKey(sight)))) {
      await this.explain(store, job, version);
      return true;
    }
    const unknownUntil = this.parts.since();
    const open = await store.read({ job, outcome: 'intended', from: unknownUntil, unknownUntil, limit: 1 });
    if (open.length > 0) return false;
    const after = { version, config: maskConfiguration(text) };
    const nobody = { who: null, role: null, address: null, requestId: null, reason: null };
    const intent = { ...nobody, by: 'outside', action: 'job.config', target: { job }, after } as const;
    const entry = this.parts.entryOf(intent);
    if (await store.addOnce(versionKey(sight), entry)) this.parts.onEntry(entry);
    return true;
  }
}

function jobKey({ job }: Pick<Sight, 'job'>): string {
  return JSON.stringify(['job', job]);
}

function versionKey({ job, version }: Pick<Sight, 'job' | 'version'>): string {
  return JSON.stringify(['config', job, version]);
}
