import type { JobTree } from '../../coordination/index.js';
import { type JobName, SparseSet } from '../../domain/index.js';
import type { TickListener } from '../../scheduling/index.js';
import type { ProcessContext } from '../runs/index.js';
import type { JobSession } from './job-session.js';

/**
 * Relation of this process to a job.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> outside
 *   outside --> waiting: the tree is read, and the job may run here
 *   waiting --> entering: the settings can be used
 *   entering --> registered: the instance node exists
 *   registered --> outside: the session is lost, the drain is over, or an operator has removed the instance
 *   entering --> outside: the session is lost
 *   waiting --> outside: the session is lost
 * ```
 */
export type JobMode =
  /** It has no session of the job, or is still reading its tree. */
  | { readonly kind: 'outside'; readonly session?: undefined }
  /** It watches the tree but is not registered, since nothing may begin with the present settings. */
  | { readonly kind: 'waiting'; readonly session: JobSession }
  | { readonly kind: 'entering'; readonly session: JobSession }
  /** It is registered, in the registry's session of that id. */
  | { readonly kind: 'registered'; readonly session: JobSession; readonly sessionId: string | undefined };

const OUTSIDE: JobMode = { kind: 'outside' };

/** Presence of this process in a job: its mode, and the work in the job that ends with it. */
export class JobPresence implements TickListener {
  private present: JobMode = OUTSIDE;
  private lastJoin: Promise<void> | undefined;
  private missed = 0;
  /** Reason why the job must not run any more in this process. */
  private reason: Error | undefined;
  private readonly stays = new SparseSet<AbortController>();

  constructor(
    private readonly jobName: JobName,
    private readonly shared: Pick<ProcessContext, 'errors' | 'scheduleClock'>,
  ) {}

  get mode(): JobMode {
    return this.present;
  }

  get session(): JobSession | undefined {
    return this.present.session;
  }

  /** The latest opening of a session, which may have ended; undefined before the first. */
  get joining(): Promise<void> | undefined {
    return this.lastJoin;
  }

  /** Fire times, times items, that were reported as missed. */
  get missedRuns(): number {
    return this.missed;
  }

  noteMissed(runs: number): void {
    this.missed += runs;
  }

  /** Notes that a session is being opened. */
  join(opening: Promise<void>): Promise<void> {
    return (this.lastJoin = opening);
  }

  /** @throws if there is a session: one in its place would leave it registered and never closed */
  assertOutside(): void {
    if (this.session !== undefined) throw new Error(`Job "${this.jobName}" has joined meanwhile.`);
  }

  /** A session has been opened. */
  wait(session: JobSession): void {
    this.assertOutside();
    this.present = { kind: 'waiting', session };
  }

  /** The settings can be used. @returns the session that is entered; undefined if none waits for that */
  enter(): JobSession | undefined {
    if (this.present.kind !== 'waiting') return undefined;
    const { session } = this.present;
    this.present = { kind: 'entering', session };
    return session;
  }

  /** The instance node exists. @param sessionId id of the registry's session */
  register(session: JobSession, sessionId: string | undefined): void {
    this.present = { kind: 'registered', session, sessionId };
  }

  /** The session is over. @returns the mode before */
  leave(): JobMode {
    const { present } = this;
    this.present = OUTSIDE;
    return present;
  }

  /** True if the job must not run any more in this process. */
  get isOver(): boolean {
    return this.reason !== undefined;
  }

  /**
   * Does work in the job. @param work its signal aborts if the session is lost, or the job must not run any more here
   */
  async whileStaying<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stay = new AbortController();
    if (this.reason !== undefined) stay.abort(this.reason);
    this.stays.add(stay);
    try {
      return await work(stay.signal);
    } finally {
      this.stays.delete(stay);
    }
  }

  /** Aborts the entry into the job that is under way, since the session is lost. */
  interruptStay(reason: unknown): void {
    for (const stay of this.stays) stay.abort(reason);
  }

  /** Ends the job in this process. The first reason stands. */
  end(reason: Error): void {
    this.reason ??= reason;
    this.interruptStay(this.reason);
  }

  /** Lets the job run again after `end`. */
  reopen(): void {
    this.reason = undefined;
  }

  /** A fire time has come by the host's clock. @returns false if it is still to come by the registry's */
  onFire(fireTime: number, timerAt: number): Promise<boolean> | undefined {
    return this.session?.tick(fireTime, this.shared.scheduleClock.came.of(fireTime, timerAt));
  }

  /** A fire time comes again, and items that this instance has received since may owe it. */
  onAgain(): void {
    this.session?.expectWork();
  }

  onError(error: unknown): void {
    this.report('a trigger')(error);
  }

  /** Reports a failure. @param tree if given, failures after the end of its session are ignored */
  report(work: string, tree?: JobTree): (error: unknown) => void {
    return (error) => {
      if (!tree?.signal.aborted) this.shared.errors.report(this.jobName, `${work} failed`, error);
    };
  }
}
