import type { Clock, Timer } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { isRefusal, RegistryUnavailableError, type SessionInfo, SessionLostError } from '../../registry/index.js';
import type { JobEvents } from '../../tracing/index.js';

/** Returns a function that reports the failure of some work. @param work completes "... failed" in the report */
export type Report = (work: string) => (error: unknown) => void;

/** Milliseconds between two reports of work without an answer, or of refusals in the same words. */
const WINDOW_MS = 60_000;

/**
 * Errors of a process's own work. Each is told, but for two kinds, in which each trigger of a job fails for one reason:
 * - A refusal of the registry is told at once, and in the same words at most once a minute.
 * - Work that had no answer from the registry is counted by job. It is told at once if the session does not tell of the
 *   outage, else each minute, and when the registry is back.
 */
export class WorkErrors {
  private unanswered = new Map<JobName, number>();
  private latest: unknown;
  private window: Timer | undefined;
  private isOver = false;
  /** Refusals that were told in this minute. */
  private refused = { until: -Infinity, told: new Set<string>() };

  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer'>,
    private readonly events: Pick<JobEvents, 'emit'>,
    private readonly registry: { readonly session: Pick<SessionInfo, 'state'> },
  ) {}

  /** @param jobName undefined if the cause is no job, or not a single one */
  tell(jobName: JobName | undefined, message: string, error: unknown): void {
    if (this.isToldRefusal(`${jobName}: ${message}`, error)) return;
    if (!isNoAnswer(error)) return this.events.emit({ kind: 'error', jobName, message, error });
    const name = jobName ?? '';
    this.unanswered.set(name, (this.unanswered.get(name) ?? 0) + 1);
    this.latest = error;
    if (this.window !== undefined) return;
    if (this.isThere || this.isOver) this.tellCounts();
    if (!this.isOver) this.openWindow();
  }

  /** Tells what is counted, if the registry is back. Call it when the state of the session has changed. */
  hearSession(): void {
    if (this.isThere) this.tellCounts();
  }

  /** Tells what is counted. Later failures are told at once. */
  end(): void {
    this.isOver = true;
    this.window?.cancel();
    this.window = undefined;
    this.tellCounts();
  }

  private get isThere(): boolean {
    const { state } = this.registry.session;
    return state === 'CONNECTED' || state === 'RECONNECTED';
  }

  private isToldRefusal(work: string, error: unknown): boolean {
    if (!isRefusal(error) || this.isOver) return false;
    const now = this.clock.monotonicNow();
    if (now >= this.refused.until) this.refused = { until: now + WINDOW_MS, told: new Set() };
    const { told } = this.refused;
    const text = `${work}: ${error.message}`;
    if (told.has(text)) return true;
    told.add(text);
    return false;
  }

  private openWindow(): void {
    this.window = this.clock.setTimer(WINDOW_MS, () => {
      this.window = undefined;
      if (this.unanswered.size === 0) return;
      this.tellCounts();
      this.openWindow();
    });
  }

  private tellCounts(): void {
    if (this.unanswered.size === 0) return;
    const counts = this.unanswered;
    this.unanswered = new Map();
    this.events.emit({ kind: 'unanswered', counts, error: this.latest });
    this.latest = undefined;
  }
}

function isNoAnswer(error: unknown): boolean {
  return error instanceof RegistryUnavailableError || error instanceof SessionLostError;
}
