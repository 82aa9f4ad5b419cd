import { Deadline } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';
import {
  DrainDeadlineError,
  failsOver,
  fewNames,
  HandedOverError,
  InstanceRemovedError,
  type JobConfiguration,
  type JobName,
  LeftJobError,
  SparseSet,
} from '../../domain/index.js';
import { isRegistryFailure } from '../../registry/index.js';
import type { ProcessContext, RunningItems } from '../leases/index.js';
import type { JobSession } from '../session/index.js';
import { repeat } from '../../repeat/index.js';

/** Parts of the job that a departure needs. */
interface JobDepartureParts {
  readonly jobName: JobName;
  /** Settings in force, also without a session. */
  readonly configuration: JobConfiguration;
  readonly running: RunningItems;
  /**
   * True if the runs here are tasks that others can adopt, so that there is no need to wait for them. @default false
   */
  readonly isAdoptable?: boolean;
  readonly currentSession: JobSession | undefined;
  /** Resolves when no session is being opened. */
  readonly joining: Promise<void> | undefined;
  /** Begins nothing more; running items go on. */
  stopBeginning(): void;
  loseSession(reason: unknown): void;
  /** Reports a failure, unless the session is over. */
  report(work: string, tree: JobTree): (error: unknown) => void;
}

/**
 * Departure of this process from a job for good: by its own decision, or because an operator has removed its instance.
 */
export class JobDeparture {
  /** Reason why the job must not run any more in this process. */
  private reason: Error | undefined;
  private readonly stays = new SparseSet<AbortController>();
  private draining: Promise<void> | undefined;
  /** True if the session ends too, so that nodes that cannot be removed now go with it. */
  private isSessionEnding = false;
  private removedBecause: string | undefined;
  private removing: Promise<void> = Promise.resolve();
  /** True if the instance node is gone, or about to go, for any reason. */
  private isGone = false;
  private hasToldOfHandlers = false;

  constructor(
    private readonly shared: Pick<ProcessContext, 'options' | 'services' | 'events'>,
    private readonly parts: JobDepartureParts,
  ) {}

  /** True if the job must not run any more in this process. */
  get isDecided(): boolean {
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

  /** True if this process wants to leave, or has left. */
  get isLeaving(): boolean {
    return this.draining !== undefined;
  }

  /** Message for the status, if an operator has removed the instance. */
  get removal(): string | undefined {
    return this.removedBecause;
  }

  /**
   * Drains the job. Nothing begins from the first moment, and others get the items of this instance at once. Running
   * items end, or are aborted at the deadline; then the instance is removed. A handler that has not returned by then
   * leaves its mark behind. Never rejects. A second call joins the first.
   * @param deadline moment after which the session is closed, so that remaining nodes go with it. If undefined, the
   * session goes on and nodes are removed as soon as the registry allows
   */
  async drain(deadline?: Deadline): Promise<void> {
    this.isSessionEnding ||= deadline !== undefined;
    this.draining ??= this.drainOnce();
    if (deadline === undefined || (await deadline.holdsFor(this.draining))) return this.draining;
    this.isGone = true;
    if (!this.warnOfHandlers()) this.warnOfRegistry();
    this.parts.running.end(new LeftJobError(this.parts.jobName));
    this.close();
  }

  private async drainOnce(): Promise<void> {
    const { jobName, running } = this.parts;
    const { clock, drainTimeoutMs } = this.shared.options;
    const deadline = Deadline.after(clock, drainTimeoutMs);
    this.end(new LeftJobError(jobName));
    if (this.parts.isAdoptable) running.end(new HandedOverError(jobName, 'leaving'));
    const announced = this.announce();
    if (!(await deadline.holdsFor(running.ended()))) {
      const error = new DrainDeadlineError(jobName, drainTimeoutMs);
      running.end(error);
      await Deadline.after(clock, error.graceMs).holdsFor(running.ended());
      this.warnOfHandlers();
    }
    await announced;
    this.isGone = true;
    const work = 'leaving the job';
    await this.attempt(work, (tree) =>
      this.isSessionEnding
        ? this.leave(tree).catch(unlessUnavailable(() => this.warnOfRegistry()))
        : this.untilDone(work, tree, () => this.leave(tree)),
    );
    this.close();
  }

  private close(): void {
    const { jobName } = this.parts;
    this.parts.loseSession(new LeftJobError(jobName));
    this.shared.services.leader.forget(jobName);
  }

  /**
   * Obeys an operator's shutdown: running items are aborted at once, and others wait for their marks up to
   * `shutdownGraceMs`. To come back, the process must be restarted or the job resumed. The registry's session goes on
   * for other jobs. Never rejects.
   */
  obeyRemoval(instanceId: string): Promise<void> {
    if (this.isGone) return this.removing;
    this.isGone = true;
    return (this.removing = this.removeAs(instanceId));
  }

  /** Resolves when a removal by an operator is complete here. */
  removed(): Promise<void> {
    return this.removing;
  }

  private async removeAs(instanceId: string): Promise<void> {
    const { events, options, services } = this.shared;
    const { jobName, running } = this.parts;
    const { shutdownGraceMs } = services.configurations.current(jobName);
    const error = new InstanceRemovedError(jobName, instanceId, shutdownGraceMs);
    events.emit({ kind: 'error', jobName, message: 'this instance was removed from the job', error });
    if (this.isDecided) return running.end(error); // The drain goes on.
    this.removedBecause = error.message;
    this.end(error);
    running.end(this.parts.isAdoptable ? new HandedOverError(jobName, 'leaving') : error);
    await Promise.all([
      Deadline.after(options.clock, shutdownGraceMs).holdsFor(running.ended()),
      this.attempt('resigning', (tree) => this.untilDone('resigning', tree, () => this.abdicate(tree))),
    ]);
    this.warnOfHandlers();
    // Last, since it tells the others that there is nothing more to wait for.
    const work = 'leaving the job';
    await this.attempt(work, (tree) => this.untilDone(work, tree, () => services.instances.leave(tree)));
    this.parts.loseSession(error);
  }

  // Tells others that they should take the items, and the lead, while this instance waits for its handlers. If the
  // registry does not answer, they learn it when the instance is gone.
  private async announce(): Promise<void> {
    const { services } = this.shared;
    // The caller of `join` gets its outcome; here only its end matters.
    await Promise.allSettled([this.parts.joining]);
    await this.attempt('announcing the departure', async (tree) => {
      try {
        await services.instances.announceDrain(tree);
        await services.leader.resign(this.parts.jobName);
      } catch (error) {
        unlessUnavailable()(error);
      }
    });
  }

  // Sets the flag before resigning, since a Java successor sets it only for changes that it sees as leader, and it has
  // not seen this instance go.
  private async abdicate(tree: JobTree): Promise<void> {
    const { leader, sharding } = this.shared.services;
    const term = leader.term(this.parts.jobName);
    try {
      if (term !== undefined) await sharding.announce(tree, term);
    } catch (error) {
      if (!term?.signal.aborted) throw error; // It may have begun another term, from which it resigns next.
    }
    await leader.resign(this.parts.jobName);
  }

  private end(reason: Error): void {
    this.reason ??= reason;
    this.interruptStay(this.reason);
    this.parts.stopBeginning();
  }

  private async leave(tree: JobTree): Promise<void> {
    const { services } = this.shared;
    await services.leader.resign(this.parts.jobName);
    await services.instances.leave(tree);
  }

  /**
   * Tells once of items that have not ended here, although others can have them as soon as this instance has left.
   * @returns true if it has told now
   */
  private warnOfHandlers(): boolean {
    const { configuration, isAdoptable, running } = this.parts;
    if (this.hasToldOfHandlers || isAdoptable || running.list.length === 0) return false;
    this.hasToldOfHandlers = true;
    this.warn(leftBehind(running.list, failsOver(configuration) || configuration.resident));
    return true;
  }

  private warnOfRegistry(): void {
    this.warn("left without the registry's answer: the others learn of it when the session ends");
  }

  private warn(message: string): void {
    this.shared.events.emit({ kind: 'warning', jobName: this.parts.jobName, message });
  }

  // Repeats until done, since the session goes on: an instance that stayed would own items or lead, and do nothing. A
  // refusal is reported once.
  private untilDone(work: string, tree: JobTree, act: () => Promise<void>): Promise<void> {
    return repeat(untilDone(tree, this.parts.report(work, tree)), act);
  }

  private async attempt(work: string, act: (tree: JobTree) => Promise<void>): Promise<void> {
    const tree = this.parts.currentSession?.tree;
    if (tree !== undefined) await act(tree).catch(this.parts.report(work, tree));
  }
}

/** @param isRepeated true if others begin the items again, not only for their next fire times */
function leftBehind(items: readonly number[], isRepeated: boolean): string {
  const [noun, run] = items.length === 1 ? ['item', 'its run is'] : ['items', 'their runs are'];
  const consequence = isRepeated
    ? `, and others may run the ${noun} meanwhile`
    : `; ${run} not repeated, but others may run the next fire times meanwhile`;
  return (
    `left before the end of ${noun} ${fewNames(items.map(String))}: a handler that does not heed its signal ` +
    `goes on until it returns or this process ends${consequence}`
  );
}

/** Lets an instance leave although the registry does not answer. */
function unlessUnavailable(onUnavailable = () => {}): (error: unknown) => void {
  return (error) => {
    if (!isRegistryFailure(error)) throw error;
    onUnavailable();
  };
}
