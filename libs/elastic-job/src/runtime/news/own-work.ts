// Work that a process does on its own, not for a trigger: the duties that news wake, and the reports of failures.
import type { Clock, Timer } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';
import type { JobName } from '../../domain/index.js';
import { isRefusal, RegistryUnavailableError, type SessionInfo, SessionLostError } from '../../registry/index.js';
import { repeat, WokenWork } from '../../repeat/index.js';
import type { JobEvents } from '../../tracing/index.js';

/** Milliseconds between two reports of work without an answer, or of refusals in the same words. */
const WINDOW_MS = 60_000;

/** Returns a function that reports the failure of some work. @param work completes "... failed" in the report */
export type Report = (work: string) => (error: unknown) => void;

/**
 * Work on the registry for a job during one session, which news wake. Without an answer it starts again as soon as the
 * registry answers; after a refusal or another error it starts again after a pause, and reports that once. The tree
 * shows what fails.
 */
export abstract class JobDuty extends WokenWork {
  // A job has a dozen of these, most of them idle, so the objects of a run are created when it runs.
  /** @param what completes "... failed" in reports */
  constructor(
    protected readonly tree: JobTree,
    protected readonly report: Report,
    private readonly what: string,
  ) {
    super();
  }

  /** Reads the state, and does what is to do. */
  protected abstract work(): Promise<void>;

  protected get clock(): Clock {
    return this.tree.clock;
  }

  protected attempt(): Promise<void> {
    return repeat(
      untilDone(this.tree, (error) => this.fail(error)),
      () => this.work(),
    );
  }

  protected fail(error: unknown): void {
    this.report(this.what)(error);
  }

  protected override ended(failure: { readonly error: unknown } | undefined): boolean {
    const { tree } = this;
    if (failure === undefined || tree.signal.aborted) {
      tree.failures.end(this);
      return false;
    }
    tree.failures.note(this, this.what, failure.error, tree.clock.wallNow());
    return true;
  }
}

/** A duty as a part of another object, which may have several. */
export class JobReconciler extends JobDuty {
  constructor(
    tree: JobTree,
    report: Report,
    what: string,
    private readonly given: () => Promise<void>,
  ) {
    super(tree, report, what);
  }

  protected work(): Promise<void> {
    return this.given();
  }
}

/**
 * Reports the errors of a process's own work, each at once. Two kinds are held back, since one cause can make every
 * trigger of a job fail:
 * - A refusal of the registry is reported at once, and in the same words at most once a minute.
 * - Work without an answer from the registry is counted by job. The counts are reported each minute, and when the
 *   registry is back. The first failure is reported at once if the session is connected, since nothing else shows an
 *   outage then.
 */
export class WorkErrors {
  private unanswered = new Map<JobName, number>();
  private latest: unknown;
  private window: Timer | undefined;
  private isOver = false;
  /** Refusals that were reported in this minute. */
  private refused = { until: -Infinity, reported: new Set<string>() };

  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer'>,
    private readonly events: Pick<JobEvents, 'emit'>,
    private readonly registry: { readonly session: Pick<SessionInfo, 'state'> },
  ) {}

  /** @param jobName undefined if the cause is no job, or not a single one */
  report(jobName: JobName | undefined, message: string, error: unknown): void {
    if (this.isReportedRefusal(`${jobName}: ${message}`, error)) return;
    if (!isNoAnswer(error)) return this.events.emit({ kind: 'error', jobName, message, error });
    const name = jobName ?? '';
    this.unanswered.set(name, (this.unanswered.get(name) ?? 0) + 1);
    this.latest = error;
    if (this.window !== undefined) return;
    if (this.isThere || this.isOver) this.reportCounts();
    if (!this.isOver) this.openWindow();
  }

  /** Reports the counts, if the registry is back. Call it when the state of the session has changed. */
  sessionChanged(): void {
    if (this.isThere) this.reportCounts();
  }

  /** Reports the counts. Later failures are reported at once. */
  end(): void {
    this.isOver = true;
    this.window?.cancel();
    this.window = undefined;
    this.reportCounts();
  }

  private get isThere(): boolean {
    const { state } = this.registry.session;
    return state === 'CONNECTED' || state === 'RECONNECTED';
  }

  private isReportedRefusal(work: string, error: unknown): boolean {
    if (!isRefusal(error) || this.isOver) return false;
    const now = this.clock.monotonicNow();
    if (now >= this.refused.until) this.refused = { until: now + WINDOW_MS, reported: new Set() };
    const { reported } = this.refused;
    const text = `${work}: ${error.message}`;
    if (reported.has(text)) return true;
    reported.add(text);
    return false;
  }

  private openWindow(): void {
    this.window = this.clock.setTimer(WINDOW_MS, () => {
      this.window = undefined;
      if (this.unanswered.size === 0) return;
      this.reportCounts();
      this.openWindow();
    });
  }

  private reportCounts(): void {
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
