import { type JobTree, untilAnswered } from '../coordination/index.js';
import { DrainDeadlineError, InstanceRemovedError, type JobName } from '../domain/index.js';
import { RegistryUnavailableError } from '../registry/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import type { JobSession } from './job-session.js';
import type { RunningItems } from './running-items.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';

/** After the drain deadline a handler may take this long to heed its signal. */
const ABORT_GRACE_MS = 1_000;

/** What ends a session of a job without any fault: the process leaves. */
class LeftJobError extends Error {}

/** What a departure needs of the job. */
export interface JobDepartureParts {
  readonly jobName: JobName;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly options: ResolvedRuntimeOptions;
  readonly running: RunningItems;
  /** The session as it is then, if any. */
  session(): JobSession | undefined;
  /** Settles when no session is being opened. */
  joined(): Promise<void> | undefined;
  /** Nothing more begins here; what runs goes on. */
  stopBeginning(): void;
  loseSession(reason: unknown): void;
  /** Tells what has failed, unless the session is over. */
  report(work: string, tree: JobTree): (error: unknown) => void;
}

/** How this process leaves a job for good: because it wants to, or because an operator has removed its instance. */
export class JobDeparture {
  private readonly ending = new AbortController();
  private removedBecause: string | undefined;
  /** The instance node is gone, or about to go, for whichever reason. */
  private isGone = false;

  constructor(private readonly parts: JobDepartureParts) {}

  /** Aborts when the job is to run no more in this process. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** What to tell whoever asks; undefined unless an operator has removed the instance. */
  get removal(): string | undefined {
    return this.removedBecause;
  }

  /**
   * No new run from the first moment; others are given the items of this instance at once. What still runs here ends, or is
   * aborted at the deadline; then the instance is removed. A handler that has not returned then leaves its mark behind.
   * Never rejects.
   * @param sessionEnds the session is closed afterwards, so what cannot be removed now goes with it. Else it is removed as
   *   soon as the registry answers.
   */
  async drain({ sessionEnds }: { readonly sessionEnds: boolean }): Promise<void> {
    const { jobName, options, running, services } = this.parts;
    const { clock, drainTimeoutMs } = options;
    this.end(new LeftJobError(`Job "${jobName}": this instance is leaving.`));
    // Whoever has asked for it hears how it ended; here only that it did.
    await Promise.allSettled([this.parts.joined()]);
    // Unheard, the others know it when the instance is gone.
    const announced = this.attempt('announcing the departure', (tree) =>
      this.announce(tree).catch(unlessUnavailable()),
    );
    if (!(await running.endWithin(clock, drainTimeoutMs))) {
      running.end(new DrainDeadlineError(jobName, drainTimeoutMs));
      await running.endWithin(clock, ABORT_GRACE_MS);
    }
    await announced;
    this.isGone = true;
    await this.attempt('leaving the job', (tree) =>
      sessionEnds
        ? this.leave(tree).catch(unlessUnavailable(() => this.warn()))
        : untilAnswered(tree, clock, () => this.leave(tree)),
    );
    this.parts.loseSession(new LeftJobError(`Job "${jobName}": this instance has left.`));
    services.leader.forget(jobName);
  }

  /**
   * An operator's shutdown: what runs is aborted at once, and the others wait for its marks up to `shutdownGraceMs`. To come
   * back, the process must be restarted. The registry's session goes on, for other jobs. Never rejects.
   */
  async obeyRemoval(instanceId: string): Promise<void> {
    if (this.isGone) return;
    this.isGone = true;
    const { events, jobName, options, running, services } = this.parts;
    const error = new InstanceRemovedError(jobName, instanceId);
    events.emit({ kind: 'error', jobName, message: 'this instance was removed from the job', error });
    if (this.signal.aborted) return running.end(error); // The drain goes on.
    const { shutdownGraceMs } = services.configurations.current(jobName);
    this.removedBecause = error.message;
    this.end(error);
    running.end(error);
    await Promise.all([
      running.endWithin(options.clock, shutdownGraceMs),
      this.attempt('resigning', (tree) => untilAnswered(tree, options.clock, () => this.abdicate(tree))),
    ]);
    // Last, since it tells the others that nothing more is to be waited for.
    await this.attempt('leaving the job', (tree) =>
      untilAnswered(tree, options.clock, () => services.instances.leave(tree)),
    );
    this.parts.loseSession(error);
  }

  // Somebody who stays should have the items, and the lead, while this instance waits for its handlers.
  private async announce(tree: JobTree): Promise<void> {
    const { jobName, services } = this.parts;
    await services.instances.announceDrain(tree);
    await services.leader.resign(jobName);
  }

  // A Java successor sets the flag only for what it sees as leader: it has not seen this instance go.
  private async abdicate(tree: JobTree): Promise<void> {
    const { leader, sharding } = this.parts.services;
    const term = leader.term(this.parts.jobName);
    try {
      if (term !== undefined) await sharding.announce(tree, term);
    } catch (error) {
      if (!term?.signal.aborted) throw error; // Another term of its own may have begun: it resigns from that.
    }
    await leader.resign(this.parts.jobName);
  }

  private end(reason: Error): void {
    this.ending.abort(reason);
    this.parts.stopBeginning();
  }

  private async leave(tree: JobTree): Promise<void> {
    const { jobName, services } = this.parts;
    await services.leader.resign(jobName);
    await services.instances.leave(tree);
  }

  private warn(): void {
    const { events, jobName } = this.parts;
    const message = 'left without the registry: the others learn of it when the session ends';
    events.emit({ kind: 'warning', jobName, message });
  }

  private async attempt(work: string, act: (tree: JobTree) => Promise<void>): Promise<void> {
    const tree = this.parts.session()?.tree;
    if (tree !== undefined) await act(tree).catch(this.parts.report(work, tree));
  }
}

/** A registry that does not answer keeps nobody from leaving. */
function unlessUnavailable(onUnavailable = () => {}): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof RegistryUnavailableError)) throw error;
    onUnavailable();
  };
}
