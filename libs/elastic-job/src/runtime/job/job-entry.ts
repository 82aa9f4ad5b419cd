import { inOwnContext } from '../../async-context/index.js';
import { type Clock, Deadline } from '../../clock/index.js';
import { JobTree, type OwnSweep, untilAnswered } from '../../coordination/index.js';
import {
  ConfigurationError,
  type FencedStore,
  findEndFault,
  type JobConfiguration,
  type JobInstance,
  type JobName,
  SparseMap,
  timetableOf,
} from '../../domain/index.js';
import { SessionLostError } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { ProcessContext, RunningItems } from '../runs/index.js';
import type { JobDefinition, JobSchedule, JobSettings, MixedJob } from '../settings/index.js';
import type { JobPresence } from './job-presence.js';
import type { JobSession } from './job-session.js';

/**
 * Way of a job into a session and out of it: its tree is opened and judged, the instance is registered in it, settings
 * and peers are followed as the tree shows them, and the end of the session undoes it.
 */
export class JobEntry {
  /** Sessions that this process has lost, by its instance ids in them. Their nodes may still exist. */
  private readonly former = new SparseMap<string, string>();
  private hasEntered = false;

  /** @throws {ConfigurationError} if the job cannot run with its own settings */
  constructor(
    private readonly shared: ProcessContext,
    private readonly definition: JobDefinition,
    private readonly settings: JobSettings,
    private readonly schedule: JobSchedule,
    private readonly running: RunningItems,
    private readonly mixed: MixedJob,
    private readonly presence: JobPresence,
  ) {
    this.assertUsable(definition.configuration);
  }

  /**
   * Opens the tree in a new session and applies its settings.
   * @param signal aborts when the job must end here
   * @throws the reason why the job cannot run here, or why it ends meanwhile
   */
  async open(self: JobInstance, signal: AbortSignal): Promise<JobTree> {
    const { options, scheduleClock, services } = this.shared;
    const { definition, mixed, settings } = this;
    const { clock, connectionTimeoutMs, fences, registry, tokenEpoch } = options;
    const now = scheduleClock.referenceNow;
    const treeOptions = {
      signal,
      now,
      mostConfigBytes: definition.limits?.maxConfigBytes,
      onOversized: this.presence.report('reading the job'),
    };
    const tree = await JobTree.open(registry, clock, this.jobName, self, treeOptions);
    try {
      if (!this.hasEntered) this.assertFires(tree);
      // A job that has run before waits for its parents, whatever happens to them.
      if (!this.hasEntered)
        await repeat(untilAnswered(tree, signal), () => services.dependencies.assertPossible(tree, definition));
      await this.install(tree, signal);
      const limit = { clock, timeoutMs: connectionTimeoutMs };
      await repeat(untilAnswered(tree, signal), () => assertFencesNotAhead(tree, fences, tokenEpoch, limit));
      signal.throwIfAborted();
      settings.apply(tree);
      // A job that has run before waits for the peer to leave or the settings to change.
      if (!this.hasEntered) mixed.assertShareable(tree);
      if (!this.hasEntered) this.assertUsable(settings.configuration);
      return tree;
    } catch (error) {
      tree.close(error);
      throw error;
    }
  }

  /**
   * Registers the instance of a session that waits, and starts the session. An instance whose settings are unusable
   * waits on, since it would get items that it does not begin.
   * @returns `removed` if an operator has removed the instance meanwhile
   */
  async enter(): Promise<'removed' | undefined> {
    const { presence, schedule, settings } = this;
    if (settings.problem !== undefined) return undefined;
    const session = presence.enter();
    if (session === undefined) return undefined;
    const { tree } = session;
    await presence.whileStaying((wanted) => this.register(session, wanted));
    if (!tree.hasInstance(tree.self.jobInstanceId)) return 'removed';
    await session.start();
    schedule.start();
    return undefined;
  }

  /**
   * Registers the instance, and removes its nodes of former sessions in the same transaction.
   * @param signal aborts when the session is lost, or the job must end here
   */
  private async register(session: JobSession, signal: AbortSignal): Promise<void> {
    const { events, options, scheduleClock, services } = this.shared;
    const { presence, running } = this;
    const { tree } = session;
    const { configurations, instances, orphans } = services;
    // A tree that was not a job of ours was left unchanged; it may have become one since.
    if (!tree.has(tree.paths.sessions)) await repeat(untilAnswered(tree, signal), () => configurations.install(tree));
    let swept: OwnSweep | undefined;
    await repeat(untilAnswered(tree, signal), () =>
      instances.join(tree, {
        isDisabled: () => configurations.current(tree.jobName).disabled,
        clockOffsetMs: scheduleClock.offsetMs,
        // A handler that still runs keeps its item from others until its session has ended.
        former: running.size === 0 ? this.former : undefined,
        alongside: async () => {
          await tree.judgeConfig({ signal });
          return (swept = await orphans.sweepOfOwn(tree))?.operations;
        },
        signal,
      }),
    );
    this.former.clear();
    this.hasEntered = true;
    presence.register(session, options.registry.session.id);
    events.emit({ kind: 'joined', jobName: this.jobName, instanceId: tree.self.jobInstanceId });
    if (swept !== undefined) this.reportSwept(swept);
  }

  /** True if the present `config` node is in force. */
  get isSound(): boolean {
    return this.settings.isSound;
  }

  notifyRoot(): void {
    this.definition.onRootChanged?.();
  }

  notifyConfiguration(tree: JobTree): void {
    this.definition.onConfigurationChanged?.(tree.node(tree.paths.config)?.data);
  }

  /** Follows settings that have changed, or may have. */
  follow(tree: JobTree): void {
    this.notifyConfiguration(tree);
    this.applySettings(tree);
  }

  /** Follows peers that have come or gone. */
  checkPeers(tree: JobTree): void {
    if (!this.mixed.reportPeers(tree)) return;
    // Beside Java, fire times at clock changes follow Quartz's rule.
    this.applySettings(tree);
    // Fire times that came while the job was mixed were for the peers to run.
    if (tree.company.runsUnrecorded) this.presence.session?.leaveToPeers();
    else this.schedule.excludePast();
  }

  private applySettings(tree: JobTree): void {
    const { presence, schedule, settings } = this;
    const wasUsable = settings.problem === undefined;
    settings.apply(tree);
    schedule.follow();
    if (!wasUsable && schedule.isStarted) presence.session?.expectWork();
  }

  /** Begins nothing more; running items go on. */
  stopBeginning(): void {
    const { session } = this.presence;
    this.schedule.stop();
    session?.close();
    session?.endResidents();
  }

  /** Ends the session, and with it everything that it held. The schedule continues with the next session. */
  loseSession(reason: unknown): void {
    const { presence, schedule } = this;
    const { events, services } = this.shared;
    const mode = presence.leave();
    if (mode.kind === 'outside') return;
    const { session } = mode;
    const { tree } = session;
    const { jobName, self } = tree;
    // Its nodes may still exist.
    if (mode.kind === 'registered' && mode.sessionId !== undefined) this.former.set(self.jobInstanceId, mode.sessionId);
    schedule.stop();
    session.close();
    services.leader.endTerm(jobName, reason);
    services.trees.unset(tree);
    tree.close(reason);
    presence.interruptStay(reason);
    const isSessionLost = reason instanceof SessionLostError;
    events.emit({ kind: 'left', jobName, instanceId: self.jobInstanceId, isSessionLost });
  }

  /** Forgets lost sessions, whose nodes are all gone. */
  forgetLost(): void {
    this.former.clear();
  }

  private get jobName(): JobName {
    return this.definition.configuration.jobName;
  }

  private assertUsable(configuration: JobConfiguration): void {
    this.shared.errorHandlers.assertUsable(configuration, `job "${this.jobName}" (${this.definition.place})`);
  }

  // A schedule that is over is a mistake only where it is new: a job that has run to its end may start again.
  private assertFires(tree: JobTree): void {
    const { options, schedules, services } = this.shared;
    const { configuration, createdAs, place } = this.definition;
    if (createdAs !== undefined || !services.configurations.bringsCron(tree)) return;
    const schedule = schedules.of(timetableOf(configuration, false));
    const fault = schedule && findEndFault(schedule, options.clock.wallNow());
    if (fault !== undefined) throw new ConfigurationError(`job "${this.jobName}" (${place})`, [fault]);
  }

  // Writes nothing into a tree that others may change. A tree created here is judged after its creation.
  private async install(tree: JobTree, signal: AbortSignal): Promise<void> {
    const assertOwn = () => repeat(untilAnswered(tree, signal), () => tree.assertOwn({ signal }));
    const wasThere = tree.has(tree.paths.root);
    if (wasThere) await assertOwn();
    await repeat(untilAnswered(tree, signal), () => this.shared.services.configurations.install(tree));
    if (!wasThere) await assertOwn();
    await repeat(untilAnswered(tree, signal), () => tree.judgeConfig({ signal }));
  }

  /** Reports the last sweep decided, which is the one that the registration has committed. */
  private reportSwept({ queued, overflowed, stopped }: OwnSweep): void {
    const { jobName } = this;
    const { events } = this.shared;
    if (queued.length > 0) events.emit({ kind: 'orphaned', jobName, items: queued });
    if (overflowed.length > 0) events.emit({ kind: 'failover-overflow', jobName, items: overflowed });
    for (const runs of stopped) events.emit({ kind: 'cut-short', jobName, ...runs });
  }
}

/**
 * Refuses to run a job whose guarded stores have seen tokens above those of the registry. Makes no request if there are
 * no stores.
 * @throws {FenceAheadError}
 * @throws {ConfigurationError} if a store has not answered within the limit
 */
async function assertFencesNotAhead(
  { jobName, paths, registry, signal }: JobTree,
  fences: readonly FencedStore[],
  tokenEpoch: number,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<void> {
  if (fences.length === 0) return;
  await registry.ensurePath(paths.systemTime, { signal });
  const { mzxid: token } = await registry.set(paths.systemTime, '', undefined, { signal });
  const checks = fences.map((fence) => inOwnContext(() => fence.assertNotAhead(jobName, { tokenEpoch, token })));
  await Deadline.after(clock, timeoutMs).bounds(Promise.all(checks), () => {
    throw new ConfigurationError(`job "${jobName}"`, [`fences: a store has not answered within ${timeoutMs} ms`]);
  });
}
