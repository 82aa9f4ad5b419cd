// Covered by test/scenario/leaving.spec.ts
import { Deadline } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';
import {
  DrainDeadlineError,
  HandedOverError,
  InstanceRemovedError,
  type JobName,
  LeftJobError,
  SparseSet,
} from '../../domain/index.js';
import { isRegistryFailure } from '../../registry/index.js';
import type { ProcessContext, RunningItems } from '../leases/index.js';
import type { JobSession } from '../session/index.js';

/** After the drain deadline a handler may take this long to heed its signal. */
const ABORT_GRACE_MS = 1_000;

/** What a departure needs of the job. */
interface JobDepartureParts {
  readonly jobName: JobName;
  readonly running: RunningItems;
  /** What runs here are tasks that others can adopt: nobody has to wait for them. @default false */
  readonly isAdoptable?: boolean;
  readonly currentSession: JobSession | undefined;
  /** Resolves when no session is being opened. */
  readonly joining: Promise<void> | undefined;
  /** Nothing more begins here; what runs goes on. */
  stopBeginning(): void;
  loseSession(reason: unknown): void;
  /** Tells what has failed, unless the session is over. */
  report(work: string, tree: JobTree): (error: unknown) => void;
}

/** How this process leaves a job for good: because it wants to, or because an operator has removed its instance. */
export class JobDeparture {
  /** Why the job is to run no more in this process. */
  private reason: Error | undefined;
  private readonly stays = new SparseSet<AbortController>();
  private draining: Promise<void> | undefined;
  /** What cannot be removed from the registry now goes with the session. */
  private isSessionEnding = false;
  private removedBecause: string | undefined;
  private removing: Promise<void> = Promise.resolve();
  /** The instance node is gone, or about to go, for whichever reason. */
  private isGone = false;

  constructor(
    private readonly shared: Pick<ProcessContext, 'options' | 'services' | 'events'>,
    private readonly parts: JobDepartureParts,
  ) {}

  /** The job is to run no more in this process. */
  get isDecided(): boolean {
    return this.reason !== undefined;
  }

  /** @param work is given up when the session is lost, or when the job is to run no more in this process */
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

  /** Gives up the entry into the job that is under way: the session is lost. */
  interruptStay(reason: unknown): void {
    for (const stay of this.stays) stay.abort(reason);
  }

  /** This process wants to leave, or has left. */
  get isLeaving(): boolean {
    return this.draining !== undefined;
  }

  /** What to tell whoever asks; undefined unless an operator has removed the instance. */
  get removal(): string | undefined {
    return this.removedBecause;
  }

  /**
   * No new run from the first moment; others are given the items of this instance at once. What still runs here ends,
   * or is aborted at the deadline; then the instance is removed. A handler that has not returned then leaves its mark
   * behind. Never rejects. A second call joins the first.
   * @param until the session is closed then, so what has not been removed by that time goes with it. Undefined: the
   *   session goes on, and it is removed as soon as the registry does that
   */
  async drain(until?: Deadline): Promise<void> {
    this.isSessionEnding ||= until !== undefined;
    this.draining ??= this.drainOnce();
    if (until === undefined || (await until.holdsFor(this.draining))) return this.draining;
    this.isGone = true;
    this.warn();
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
      running.end(new DrainDeadlineError(jobName, drainTimeoutMs));
      await Deadline.after(clock, ABORT_GRACE_MS).holdsFor(running.ended());
    }
    await announced;
    this.isGone = true;
    const work = 'leaving the job';
    await this.attempt(work, (tree) =>
      this.isSessionEnding
        ? this.leave(tree).catch(unlessUnavailable(() => this.warn()))
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
   * An operator's shutdown: what runs is aborted at once, and the others wait for its marks up to `shutdownGraceMs`. To
   * come back, the process must be restarted, or the job resumed. The registry's session goes on, for other jobs. Never
   * rejects.
   */
  obeyRemoval(instanceId: string): Promise<void> {
    if (this.isGone) return this.removing;
    this.isGone = true;
    return (this.removing = this.removeAs(instanceId));
  }

  /** Resolves when what an operator has removed here is gone. */
  removed(): Promise<void> {
    return this.removing;
  }

  private async removeAs(instanceId: string): Promise<void> {
    const { events, options, services } = this.shared;
    const { jobName, running } = this.parts;
    const error = new InstanceRemovedError(jobName, instanceId);
    events.emit({ kind: 'error', jobName, message: 'this instance was removed from the job', error });
    if (this.isDecided) return running.end(error); // The drain goes on.
    const { shutdownGraceMs } = services.configurations.current(jobName);
    this.removedBecause = error.message;
    this.end(error);
    running.end(this.parts.isAdoptable ? new HandedOverError(jobName, 'leaving') : error);
    await Promise.all([
      Deadline.after(options.clock, shutdownGraceMs).holdsFor(running.ended()),
      this.attempt('resigning', (tree) => this.untilDone('resigning', tree, () => this.abdicate(tree))),
    ]);
    // Last, since it tells the others that nothing more is to be waited for.
    const work = 'leaving the job';
    await this.attempt(work, (tree) => this.untilDone(work, tree, () => services.instances.leave(tree)));
    this.parts.loseSession(error);
  }

  // Others should have the items, and the lead, while this instance waits for its handlers. Unheard, they know it when
  // the instance is gone.
  private async announce(): Promise<void> {
    const { services } = this.shared;
    // The caller of `join` hears how it ended; here only that it did.
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

  // A Java successor sets the flag only for what it sees as leader: it has not seen this instance go.
  private async abdicate(tree: JobTree): Promise<void> {
    const { leader, sharding } = this.shared.services;
    const term = leader.term(this.parts.jobName);
    try {
      if (term !== undefined) await sharding.announce(tree, term);
    } catch (error) {
      if (!term?.signal.aborted) throw error; // Another term of its own may have begun: it resigns from that.
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

  private warn(): void {
    const { jobName } = this.parts;
    const message = 'left without the registry: the others learn of it when the session ends';
    this.shared.events.emit({ kind: 'warning', jobName, message });
  }

  // The session goes on: an instance that stayed would own items, or lead, and do nothing. A refusal is told once.
  private untilDone(work: string, tree: JobTree, act: () => Promise<void>): Promise<void> {
    return untilDone(tree, this.shared.options.clock, act, this.parts.report(work, tree));
  }

  private async attempt(work: string, act: (tree: JobTree) => Promise<void>): Promise<void> {
    const tree = this.parts.currentSession?.tree;
    if (tree !== undefined) await act(tree).catch(this.parts.report(work, tree));
  }
}

/** A registry that does not answer keeps nobody from leaving. */
function unlessUnavailable(onUnavailable = () => {}): (error: unknown) => void {
  return (error) => {
    if (!isRegistryFailure(error)) throw error;
    onUnavailable();
  };
}
