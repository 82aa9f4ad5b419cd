import { Deadline } from '../../clock/index.js';
import { type JobTree, untilDone } from '../../coordination/index.js';
import {
  DrainDeadlineError,
  failsOver,
  fewNames,
  HandedOverError,
  InstanceRemovedError,
  type JobName,
  LeftJobError,
} from '../../domain/index.js';
import { isRegistryFailure } from '../../registry/index.js';
import type { JobDefinition, JobSettings } from '../settings/index.js';
import type { ProcessContext, RunningItems } from '../runs/index.js';
import { repeat } from '../../repeat/index.js';
import type { JobPresence } from './job-presence.js';
import type { JobEntry } from './job-entry.js';

/**
 * Departure of this process from a job for good: by its own decision, or because an operator has removed its instance.
 */
export class JobDeparture {
  private draining: Promise<void> | undefined;
  /** True if the session ends too, so that nodes that cannot be removed now go with it. */
  private isSessionEnding = false;
  private removedBecause: string | undefined;
  private removing: Promise<void> = Promise.resolve();
  /** True if the instance node is gone, or about to go, for any reason. */
  private isGone = false;
  private hasReportedHandlers = false;

  constructor(
    private readonly shared: Pick<ProcessContext, 'options' | 'services' | 'events'>,
    private readonly definition: Pick<JobDefinition, 'configuration' | 'tasks'>,
    private readonly settings: Pick<JobSettings, 'configuration'>,
    private readonly running: RunningItems,
    private readonly presence: JobPresence,
    private readonly entry: Pick<JobEntry, 'loseSession' | 'stopBeginning'>,
  ) {}

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
    this.running.end(new LeftJobError(this.jobName));
    this.close();
  }

  private async drainOnce(): Promise<void> {
    const { jobName, running } = this;
    const { clock, drainTimeoutMs } = this.shared.options;
    const deadline = Deadline.after(clock, drainTimeoutMs);
    this.end(new LeftJobError(jobName));
    if (this.isAdoptable) running.end(new HandedOverError(jobName, 'leaving'));
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
    const { jobName } = this;
    this.entry.loseSession(new LeftJobError(jobName));
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
    const { jobName, running } = this;
    const { shutdownGraceMs } = services.configurations.current(jobName);
    const error = new InstanceRemovedError(jobName, instanceId, shutdownGraceMs);
    events.emit({ kind: 'error', jobName, message: 'this instance was removed from the job', error });
    if (this.presence.isOver) return running.end(error); // The drain goes on.
    this.removedBecause = error.message;
    this.end(error);
    running.end(this.isAdoptable ? new HandedOverError(jobName, 'leaving') : error);
    await Promise.all([
      Deadline.after(options.clock, shutdownGraceMs).holdsFor(running.ended()),
      this.attempt('resigning', (tree) => this.untilDone('resigning', tree, () => this.abdicate(tree))),
    ]);
    this.warnOfHandlers();
    // Last, since it tells the others that there is nothing more to wait for.
    const work = 'leaving the job';
    await this.attempt(work, (tree) => this.untilDone(work, tree, () => services.instances.leave(tree)));
    this.entry.loseSession(error);
  }

  // Tells others that they should take the items, and the lead, while this instance waits for its handlers. If the
  // registry does not answer, they learn it when the instance is gone.
  private async announce(): Promise<void> {
    const { services } = this.shared;
    // The caller of `join` gets its outcome; here only its end matters.
    await Promise.allSettled([this.presence.joining]);
    await this.attempt('announcing the departure', async (tree) => {
      try {
        await services.instances.announceDrain(tree);
        await services.leader.resign(this.jobName);
      } catch (error) {
        unlessUnavailable()(error);
      }
    });
  }

  // Sets the flag before resigning, since a Java successor sets it only for changes that it sees as leader, and it has
  // not seen this instance go.
  private async abdicate(tree: JobTree): Promise<void> {
    const { leader, sharding } = this.shared.services;
    const term = leader.term(this.jobName);
    try {
      if (term !== undefined) await sharding.announce(tree, term);
    } catch (error) {
      if (!term?.signal.aborted) throw error; // It may have begun another term, from which it resigns next.
    }
    await leader.resign(this.jobName);
  }

  private end(reason: Error): void {
    this.presence.end(reason);
    this.entry.stopBeginning();
  }

  private async leave(tree: JobTree): Promise<void> {
    const { services } = this.shared;
    await services.leader.resign(this.jobName);
    await services.instances.leave(tree);
  }

  /**
   * Warns once of items that have not ended here, although others can have them as soon as this instance has left.
   * @returns true if it has warned now
   */
  private warnOfHandlers(): boolean {
    const { isAdoptable, running } = this;
    const { configuration } = this.settings;
    if (this.hasReportedHandlers || isAdoptable || running.list.length === 0) return false;
    this.hasReportedHandlers = true;
    this.warn(leftBehind(running.list, failsOver(configuration) || configuration.resident));
    return true;
  }

  private warnOfRegistry(): void {
    this.warn("left without the registry's answer: the others learn of it when the session ends");
  }

  private warn(message: string): void {
    this.shared.events.emit({ kind: 'warning', jobName: this.jobName, message });
  }

  private get jobName(): JobName {
    return this.definition.configuration.jobName;
  }

  /** True if the runs here are tasks that others can adopt, so that there is no need to wait for them. */
  private get isAdoptable(): boolean {
    return this.definition.tasks === 'adoptable';
  }

  // Repeats until done, since the session goes on: an instance that stayed would own items or lead, and do nothing. A
  // refusal is reported once.
  private untilDone(work: string, tree: JobTree, act: () => Promise<void>): Promise<void> {
    return repeat(untilDone(tree, this.presence.report(work, tree)), act);
  }

  private async attempt(work: string, act: (tree: JobTree) => Promise<void>): Promise<void> {
    const tree = this.presence.session?.tree;
    if (tree !== undefined) await act(tree).catch(this.presence.report(work, tree));
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
