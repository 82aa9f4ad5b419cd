import type { JobInstance, JobName, RegistryNow } from '../../domain/index.js';
import {
  isRefusal,
  isUnanswered,
  type Operation,
  type RegistryCenter,
  type RegistryNode,
  type RequestOptions,
  type SyncOptions,
  type TransactionOptions,
  type SubtreeEvent,
  type TransactionResult,
  untilServed,
} from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type Clock, type Deadline, waitUntil } from '../../clock/index.js';
import { ConfigOwner, type ConfigTrust, LastRuns, StandingFailures } from './tree-notes.js';
import { isHeld, type OversizedNodeError, TreeBounds } from './tree-bounds.js';
import { ItemNodes, type ItemRecord } from './item-nodes.js';
import { eventOf, type JobNode, type JobTreeEvent, type JobTreeEventKind } from './job-node.js';
import { JobPaths } from './job-paths.js';

/** Records of several items; undefined for an item that has no node. */
type ItemRecords = readonly (ItemRecord | undefined)[];

/** Options of an instance's view of a job's tree. */
interface JobTreeOptions extends RequestOptions {
  /** The registry's clock, if it can be trusted. @default unknown, so that no record counts as in the future */
  readonly now?: () => RegistryNow | undefined;
  /** Most bytes of the job's settings: a longer text is cut, to a length beyond it. @default 262_144 */
  readonly mostConfigBytes?: number;
  /** Called once for each node that is too large to be read. @default not called */
  readonly onOversized?: (error: OversizedNodeError) => void;
}

/**
 * One job's tree as one instance sees it during one session: the only subscription of the job, which turns node events
 * into typed ones, and typed reads of the nodes (`JobNodes`, `ItemNodes`). Reads are answered from memory, as of the
 * last `sync`.
 *
 * The existence of nodes is always known, and so are the values on which every instance decides: members, servers,
 * leader, owners, configuration. Records and holders change with every run and concern few, so they are loaded where
 * they are needed. Values that this instance has written itself are known.
 */
export class JobTree extends ItemNodes {
  private readonly listeners = new Set<(event: JobTreeEvent) => void>();
  private readonly ending = new AbortController();
  readonly lastRuns = new LastRuns();
  /** Requests for the job that the registry refuses in this session. */
  readonly refusals = new StandingFailures();
  /** Work of this instance that fails, other than by the registry's refusal. */
  readonly failures = new StandingFailures();
  private readonly configOwner: ConfigOwner;
  private readonly usableOwner: ConfigOwner;

  private constructor(
    paths: JobPaths,
    self: JobInstance,
    readonly registry: RegistryCenter,
    readonly clock: Clock,
    /** Session of the registry in which the tree is seen. */
    private readonly sessionId: string | undefined,
    now: () => RegistryNow | undefined,
  ) {
    super(paths, self, now);
    this.configOwner = new ConfigOwner(registry.owners, paths.config);
    this.usableOwner = new ConfigOwner(registry.owners, paths.usableConfig);
  }

  static async open(
    registry: RegistryCenter,
    clock: Clock,
    jobName: JobName,
    self: JobInstance,
    { now = () => undefined, mostConfigBytes, onOversized = () => {}, ...options }: JobTreeOptions = {},
  ): Promise<JobTree> {
    const tree = new JobTree(new JobPaths(jobName), self, registry, clock, registry.session.id, now);
    const holds = (path: string) => isHeld(tree.paths, path);
    const bounds = new TreeBounds(tree.paths, onOversized, mostConfigBytes);
    tree.view = await registry.openSubtree(tree.paths.root, (event) => tree.receive(event), {
      ...options,
      holds,
      bounds,
    });
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
   * Milliseconds for which this process may still believe in the session of this tree. 0 once the registry has another
   * session, even before the tree is closed.
   */
  leaseRemainingMs(): number {
    const { registry, sessionId } = this;
    return registry.session.id === sessionId ? registry.leaseRemainingMs() : 0;
  }

  /** Trust in the present `config` node. */
  get configTrust(): ConfigTrust {
    return this.configOwner.trustIn(() => this.node(this.paths.config));
  }

  /** Text in force while that of `config` is not usable; undefined if there is none that is our own. */
  get usableConfig(): RegistryNode | undefined {
    return this.usableTrust.kind === 'own' ? this.node(this.paths.usableConfig) : undefined;
  }

  private get usableTrust(): ConfigTrust {
    return this.usableOwner.trustIn(() => this.node(this.paths.usableConfig));
  }

  /** Asks for the owners of the settings' nodes if they are unknown or were foreign. One request per node, or none. */
  async judgeConfig(options?: RequestOptions): Promise<void> {
    const asked = [
      ...(this.configTrust.kind === 'own' ? [] : [this.configOwner.ask(options)]),
      ...(this.usableTrust.kind === 'own' ? [] : [this.usableOwner.ask(options)]),
    ];
    await Promise.all(asked);
  }

  /**
   * Checks that no other user may create or remove nodes right below the job's root and the namespace. The check is
   * meaningful once the root exists, since the namespace cannot be replaced from then on.
   * @throws {UntrustedAclError}
   */
  async assertOwn(options?: RequestOptions): Promise<void> {
    const { owners } = this.registry;
    if (owners === undefined) return;
    await Promise.all(['/', this.paths.root].map((path) => owners.assertOwn(path, options)));
  }

  /**
   * Brings the tree up to date with one request: afterwards every read shows at least what was committed before the
   * call, or before `asOf`.
   */
  sync(options?: SyncOptions): Promise<void> {
    return this.view.sync(options);
  }

  /** Commits one transaction. All writes of an instance to a job go this way. @see RegistryCenter.transaction */
  commit(
    operations: readonly Operation[],
    options: RequestOptions = { signal: this.signal },
  ): Promise<TransactionResult> {
    return this.registry.transaction(operations, options);
  }

  /**
   * Commits one transaction in a request shared with those of other jobs in the same turn of the event loop. For writes
   * that all jobs of a process make at the same instant.
   * @param dueAt those due first go first; in milliseconds since the epoch
   * @see TransactionOptions
   */
  commitShared(
    operations: readonly Operation[],
    dueAt = this.clock.wallNow(),
    { signal, timeoutMs, isPatient }: Omit<TransactionOptions, 'dueAt'> = { signal: this.signal },
  ): Promise<TransactionResult> {
    return this.registry.transaction(operations, { dueAt, signal, timeoutMs, isPatient });
  }

  /**
   * Loads values, with a request only for those that are not known.
   * @returns false if one has changed again meanwhile: sync and read again
   */
  async load(paths: readonly string[], options?: RequestOptions): Promise<boolean> {
    await this.view.load(paths, options);
    return paths.every((path) => !this.view.has(path) || this.view.node(path) !== undefined);
  }

  /**
   * Loads the records of items, with a request only if some are not known. Before one counts as in the future, the
   * registry's clock is asked again.
   * @returns the records in the order of the items; undefined if one has changed again meanwhile: sync and read again
   */
  async loadRecords(items: readonly number[], options?: RequestOptions): Promise<ItemRecords | undefined> {
    options?.signal?.throwIfAborted();
    const known = this.records(items);
    if (known.every((record) => record?.ahead.length === 0)) return known;
    const paths = items.map((item) => this.paths.record(item));
    if (!(await this.load(paths, options))) return undefined;
    const records = this.records(items);
    if (!records.some((record) => record !== undefined && record.ahead.length > 0)) return records;
    // Without an answer the known time must do.
    await this.registry.serverTime(options).catch(() => {});
    return (await this.load(paths, options)) ? this.records(items) : undefined;
  }

  private records(items: readonly number[]): ItemRecords {
    const now = this.now();
    return items.map((item) => this.record(item, now));
  }

  close(reason: unknown): void {
    this.ending.abort(reason);
    this.listeners.clear();
    this.view.close();
  }

  /** @returns a function that removes the listener */
  on(listener: (event: JobTreeEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Waits until a condition is met. It is looked at now, and after each of the events.
   * @returns false if the deadline came first @throws the signal's reason, including that of the tree's own end
   */
  until(
    isMet: () => boolean,
    kinds: readonly JobTreeEventKind[],
    deadline: Deadline,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const onChange = (look: () => void) => this.on(({ kind }) => kinds.includes(kind) && look());
    return waitUntil(isMet, onChange, { deadline, signals: [this.signal, signal] });
  }

  private receive(event: SubtreeEvent): void {
    const typed = event.kind === 'reset' ? this.noteReset() : this.note(event.kind, this.paths.parse(event.path));
    if (typed === undefined) return;
    this.emit(typed);
    if (this.listeners.size === 0) return;
    const isConfig = typed.kind === 'ConfigurationChanged' || typed.kind === 'ConfigurationKept';
    if (isConfig || typed.kind === 'TreeReset') void this.judgeNewConfig();
  }

  /**
   * Judges a node of settings that was created while the tree was open, since it is not followed before its owner is
   * known.
   */
  private async judgeNewConfig(): Promise<void> {
    if (this.configTrust.kind === 'own' && this.usableTrust.kind === 'own') return;
    const { signal } = this;
    const isRepeated = (error: unknown) => isUnanswered(error) || isRefusal(error);
    const judge = () => this.judgeConfig({ signal });
    await repeat(untilServed(this.registry, this.clock, { signal, isRepeated }), judge).catch(() => {});
    if (!signal.aborted) this.emit({ kind: 'ConfigurationChanged' });
  }

  private emit(event: JobTreeEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private noteReset(): JobTreeEvent {
    this.lastRuns.forget();
    this.forgetInstances();
    this.forgetItems();
    this.forgetReruns();
    return { kind: 'TreeReset' };
  }

  private follow(change: 'created' | 'changed' | 'deleted', node: JobNode): void {
    switch (node.kind) {
      case 'instance':
        return this.noteInstance(node.instanceId);
      case 'item':
        if (change !== 'changed') this.forgetItems();
        return;
      case 'item-instance':
      case 'item-disabled':
      case 'item-failover':
        return this.forgetOwnItems();
      case 'rerun':
        return this.forgetReruns();
      default:
    }
  }

  private note(change: 'created' | 'changed' | 'deleted', node: JobNode): JobTreeEvent | undefined {
    this.follow(change, node);
    this.lastRuns.note(change, node, this.clock);
    // Before the view is open there are no listeners, and it cannot be read.
    if (this.listeners.size === 0) return undefined;
    if (node.kind === 'session' && change === 'changed' && !this.isDraining(node.instanceId)) {
      return { kind: 'ClockReported', instanceId: node.instanceId };
    }
    return eventOf(change, node);
  }
}
