import { setMaxListeners } from 'node:events';
import type { JobInstance, JobName, RegistryNow } from '../../domain/index.js';
import {
  isRefusal,
  isUnanswered,
  type Operation,
  type RegistryCenter,
  type RegistryNode,
  type RequestOptions,
  type TransactionOptions,
  retry,
  type SubtreeEvent,
  type TransactionResult,
} from '../../registry/index.js';
import { type Clock, waitFor } from '../../clock/index.js';
import { ConfigOwner, type ConfigTrust } from './config-owner.js';
import { isHeld } from './held-values.js';
import { ItemNodes } from './item-nodes.js';
import { type JobNode, JobPaths } from './job-paths.js';
import { eventOf, type JobTreeEvent, type JobTreeEventKind } from './job-tree-event.js';
import { LastRuns } from './last-runs.js';
import { Refusals } from './refusals.js';
import { type OversizedNodeError, TreeBounds } from './tree-bounds.js';

/** How an instance looks at a job's tree. */
interface JobTreeOptions extends RequestOptions {
  /** The registry's clock, if it is to be trusted. @default nobody can say, and no record is from the future */
  readonly now?: () => RegistryNow | undefined;
  /** Told once of each node that is too large to be taken in. @default nobody is told */
  readonly onOversized?: (error: OversizedNodeError) => void;
}

/**
 * One job's tree as one instance sees it during one session: the one subscription per job, which turns node events into
 * typed ones, and typed reads of the nodes (`JobNodes`, `ItemNodes`). Reads answer from memory; they are true as of the
 * last `sync`.
 *
 * Which nodes there are is always known, and so are the values by which everybody decides: members, servers, leader,
 * owners, configuration. Records and holders change with every run and concern few: they are loaded where they are
 * asked for. What this instance has written itself it knows.
 */
export class JobTree extends ItemNodes {
  private readonly listeners = new Set<(event: JobTreeEvent) => void>();
  private readonly ending = new AbortController();
  readonly lastRuns = new LastRuns();
  /** What the registry refuses to do for the job in this session. */
  readonly refusals = new Refusals();
  private readonly configOwner: ConfigOwner;
  private readonly usableOwner: ConfigOwner;

  private constructor(
    paths: JobPaths,
    self: JobInstance,
    readonly registry: RegistryCenter,
    readonly clock: Clock,
    /** The registry's session in which the tree is seen. */
    private readonly sessionId: string | undefined,
    now: () => RegistryNow | undefined,
  ) {
    super(paths, self, now);
    this.configOwner = new ConfigOwner(registry.owners, paths.config);
    this.usableOwner = new ConfigOwner(registry.owners, paths.usableConfig);
    // Every request and every lease of the session listens to it; there is no leak to warn of.
    setMaxListeners(0, this.ending.signal);
  }

  static async open(
    registry: RegistryCenter,
    clock: Clock,
    jobName: JobName,
    self: JobInstance,
    { now = () => undefined, onOversized = () => {}, ...options }: JobTreeOptions = {},
  ): Promise<JobTree> {
    const tree = new JobTree(new JobPaths(jobName), self, registry, clock, registry.session.id, now);
    const holds = (path: string) => isHeld(tree.paths, path);
    const bounds = new TreeBounds(tree.paths, onOversized);
    tree.view = await registry.openSubtree(tree.paths.root, (event) => tree.hear(event), { ...options, holds, bounds });
    try {
      await tree.judgeConfig(options);
      return tree;
    } catch (error) {
      tree.close(error);
      throw error;
    }
  }

  get jobName(): JobName {
    return this.paths.jobName;
  }

  /** Aborts when the tree is closed: nothing of this session may be acted upon any more. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /**
   * How long the session in which this tree is seen may still be believed alive, in milliseconds. 0 once the registry
   * has another session, even before the tree is closed.
   */
  leaseRemainingMs(): number {
    const { registry, sessionId } = this;
    return registry.session.id === sessionId ? registry.leaseRemainingMs() : 0;
  }

  /** Whether the `config` node as it is seen now may be gone by. */
  get configTrust(): ConfigTrust {
    return this.configOwner.trustIn(() => this.node(this.paths.config));
  }

  /** The text that is in force while that of `config` cannot be used; undefined if there is none of our own. */
  get usableConfig(): RegistryNode | undefined {
    return this.usableTrust.kind === 'own' ? this.node(this.paths.usableConfig) : undefined;
  }

  private get usableTrust(): ConfigTrust {
    return this.usableOwner.trustIn(() => this.node(this.paths.usableConfig));
  }

  /**
   * Asks whose the nodes of the settings are, if that is not known, or if they were somebody else's. One request for
   * each, or none.
   */
  async judgeConfig(options?: RequestOptions): Promise<void> {
    const asked = [
      ...(this.configTrust.kind === 'own' ? [] : [this.configOwner.ask(options)]),
      ...(this.usableTrust.kind === 'own' ? [] : [this.usableOwner.ask(options)]),
    ];
    await Promise.all(asked);
  }

  /**
   * Sees to it that nobody else may create or remove what stands right below the job's root and the namespace. It means
   * something once the root is there: from then on the namespace cannot be replaced.
   * @throws {UntrustedAclError}
   */
  async assertOwn(options?: RequestOptions): Promise<void> {
    const { owners } = this.registry;
    if (owners === undefined) return;
    await Promise.all(['/', this.paths.root].map((path) => owners.assertOwn(path, options)));
  }

  /** One request; afterwards every read shows at least what was committed before the call. */
  sync(options?: RequestOptions): Promise<void> {
    return this.view.sync(options);
  }

  /** One transaction. All that an instance writes of a job goes this way. @see RegistryCenter.transaction */
  commit(
    operations: readonly Operation[],
    options: RequestOptions = { signal: this.signal },
  ): Promise<TransactionResult> {
    return this.registry.transaction(operations, options);
  }

  /**
   * The same, in one request with those of other jobs that come within one turn of the event loop: for what all jobs of
   * a process do at the same instant.
   * @param dueAt those that are due first go first; in milliseconds since the epoch
   * @see TransactionOptions
   */
  commitShared(
    operations: readonly Operation[],
    dueAt = this.clock.wallNow(),
    options: Omit<TransactionOptions, 'dueAt'> = { signal: this.signal },
  ): Promise<TransactionResult> {
    return this.registry.transaction(operations, { ...options, dueAt });
  }

  /**
   * Makes values known; asks the registry only for those that are not.
   * @returns false if one has changed again meanwhile: sync, and look anew
   */
  async load(paths: readonly string[], options?: RequestOptions): Promise<boolean> {
    await this.view.load(paths, options);
    return paths.every((path) => !this.view.has(path) || this.view.node(path) !== undefined);
  }

  /** The records of items. Before one is taken to be from the future, the registry's clock is asked anew. @see load */
  async loadRecords(items: readonly number[], options?: RequestOptions): Promise<boolean> {
    const paths = items.map((item) => this.paths.record(item));
    if (!(await this.load(paths, options))) return false;
    if (!items.some((item) => (this.record(item)?.ahead.length ?? 0) > 0)) return true;
    // Without an answer what is known has to do.
    await this.registry.serverTime(options).catch(() => {});
    return this.load(paths, options);
  }

  close(reason: unknown): void {
    this.ending.abort(reason);
    this.listeners.clear();
    this.view.close();
  }

  /** @returns a function that removes the listener. */
  on(listener: (event: JobTreeEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Waits for one of the events, or for the deadline.
   * @param deadline on the monotonic clock
   * @returns false if the deadline came first. @throws the signal's reason, also that of the tree's own end.
   */
  next(kinds: readonly JobTreeEventKind[], deadline: number, signal?: AbortSignal): Promise<boolean> {
    const arm = (conclude: (isTold: boolean) => void) => {
      const off = this.on(({ kind }) => {
        if (kinds.includes(kind)) conclude(true);
      });
      const timer = this.clock.setTimer(Math.max(0, deadline - this.clock.monotonicNow()), () => conclude(false));
      return () => {
        off();
        timer.cancel();
      };
    };
    return waitFor(arm, this.signal, signal);
  }

  private hear(event: SubtreeEvent): void {
    const typed = event.kind === 'reset' ? this.noteReset() : this.note(event.kind, this.paths.parse(event.path));
    if (typed === undefined) return;
    this.tell(typed);
    if (this.listeners.size === 0) return;
    const isConfig = typed.kind === 'ConfigurationChanged' || typed.kind === 'ConfigurationKept';
    if (isConfig || typed.kind === 'TreeReset') void this.judgeNewConfig();
  }

  /** A node of settings that came while the tree was seen is not gone by before it is known whose it is. */
  private async judgeNewConfig(): Promise<void> {
    if (this.configTrust.kind === 'own' && this.usableTrust.kind === 'own') return;
    const { signal } = this;
    const isRepeated = (error: unknown) => isUnanswered(error) || isRefusal(error);
    const judge = () => this.judgeConfig({ signal });
    await retry(this.registry, this.clock, judge, { signal, isRepeated }).catch(() => {});
    if (!signal.aborted) this.tell({ kind: 'ConfigurationChanged' });
  }

  private tell(event: JobTreeEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private noteReset(): JobTreeEvent {
    this.lastRuns.forget();
    this.forgetInstances();
    return { kind: 'TreeReset' };
  }

  private note(change: 'created' | 'changed' | 'deleted', node: JobNode): JobTreeEvent | undefined {
    if (node.kind === 'instance') this.forgetInstances();
    this.lastRuns.note(change, node, this.clock.wallNow());
    // Before the view is open nobody listens, and nothing can be asked of it.
    if (this.listeners.size === 0) return undefined;
    if (node.kind === 'session' && change === 'changed' && !this.isDraining(node.instanceId)) {
      return { kind: 'ClockReported', instanceId: node.instanceId };
    }
    return eventOf(change, node);
  }
}
