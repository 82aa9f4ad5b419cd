import { setMaxListeners } from 'node:events';
import {
  type GuaranteePhase,
  type JobInstance,
  type JobName,
  inJavaOrder,
  parseRunRecord,
  parseStartLedger,
  serverIpOf,
  type StartLedger,
  type StoredRecord,
} from '../../domain/index.js';
import type {
  NodeStat,
  Operation,
  RegistryCenter,
  RegistryNode,
  RequestOptions,
  Subtree,
  SubtreeEvent,
} from '../../registry/index.js';
import type { Clock } from '../../clock/index.js';
import { DRAINING, parseInstance, type RegisteredInstance } from './instance-text.js';
import { isHeld } from './held-values.js';
import { type JobNode, JobPaths, parseItem } from './job-paths.js';
import { eventOf, type JobTreeEvent, type JobTreeEventKind } from './job-tree-event.js';
import { LastRuns } from './last-runs.js';

/** The item's record as it stands in the tree. */
export interface ItemRecord {
  readonly stored: StoredRecord;
  /** What a write must name; of a node that is missing, the version that it has once it is created. */
  readonly version: number;
  /** Nothing of ours has run the item yet. @see JobTree.recordAsRead */
  readonly isMissing: boolean;
}

/** Java compares a server node with exactly these texts. */
export type ServerStatus = 'ENABLED' | 'DISABLED';

/**
 * One job's tree as one instance sees it during one session: the one subscription per job, which turns node events into
 * typed ones, and typed reads of the nodes. Reads answer from memory; they are true as of the last `sync`.
 *
 * Which nodes there are is always known, and so are the values by which everybody decides: members, servers, leader,
 * owners, configuration. Records and holders change with every run and concern few: they are loaded where they are asked
 * for. What this instance has written itself it knows.
 */
export class JobTree {
  private readonly listeners = new Set<(event: JobTreeEvent) => void>();
  private readonly ending = new AbortController();
  readonly lastRuns = new LastRuns();
  private knownMixed: boolean | undefined;
  private view!: Subtree;

  private constructor(
    readonly paths: JobPaths,
    /** The instance that looks. */
    readonly self: JobInstance,
    readonly registry: RegistryCenter,
    private readonly clock: Clock,
  ) {
    // Every request and every lease of the session listens to it; there is no leak to warn of.
    setMaxListeners(0, this.ending.signal);
  }

  static async open(
    registry: RegistryCenter,
    clock: Clock,
    jobName: JobName,
    self: JobInstance,
    options?: RequestOptions,
  ): Promise<JobTree> {
    const tree = new JobTree(new JobPaths(jobName), self, registry, clock);
    const holds = (path: string) => isHeld(tree.paths, path);
    tree.view = await registry.openSubtree(tree.paths.root, (event) => tree.hear(event), { ...options, holds });
    return tree;
  }

  get jobName(): JobName {
    return this.paths.jobName;
  }

  /** Aborts when the tree is closed: nothing of this session may be acted upon any more. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** One request; afterwards every read shows at least what was committed before the call. */
  sync(options?: RequestOptions): Promise<void> {
    return this.view.sync(options);
  }

  /**
   * Makes values known; asks the registry only for those that are not.
   * @returns false if one has changed again meanwhile: sync, and look anew
   */
  async load(paths: readonly string[], options?: RequestOptions): Promise<boolean> {
    await this.view.load(paths, options);
    return paths.every((path) => !this.view.has(path) || this.view.node(path) !== undefined);
  }

  /** The records of items. @see load */
  loadRecords(items: readonly number[], options?: RequestOptions): Promise<boolean> {
    return this.load(
      items.map((item) => this.paths.record(item)),
      options,
    );
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
    // No AbortSignal.any: Node 20 keeps something of each as long as any of its signals lives, and the tree's is a session's.
    const ends = signal === undefined ? [this.signal] : [this.signal, signal];
    for (const end of ends) end.throwIfAborted();
    return new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        off();
        timer.cancel();
        for (const end of ends) end.removeEventListener('abort', onAbort);
        act();
      };
      const onAbort = () => finish(() => reject(ends.find(({ aborted }) => aborted)?.reason));
      const off = this.on((event) => {
        if (kinds.includes(event.kind)) finish(() => resolve(true));
      });
      const timer = this.clock.setTimer(Math.max(0, deadline - this.clock.monotonicNow()), () =>
        finish(() => resolve(false)),
      );
      for (const end of ends) end.addEventListener('abort', onAbort);
    });
  }

  node(path: string): RegistryNode | undefined {
    return this.view.node(path);
  }

  has(path: string): boolean {
    return this.view.has(path);
  }

  /** Every registered instance, in Java's order. */
  instances(): RegisteredInstance[] {
    return inJavaOrder(this.view.children(this.paths.instances)).flatMap((id) => {
      const node = this.view.node(this.paths.instance(id));
      // One that has just come is known when its value is: until then nobody can say whether it is a Java peer.
      return node === undefined ? [] : [parseInstance(id, serverIpOf(id), node.data)];
    });
  }

  hasInstance(instanceId: string): boolean {
    return this.has(this.paths.instance(instanceId));
  }

  /** Its session lasts, and it is not done with the job: without its instance node, an operator has shut it down. */
  hasSession(instanceId: string): boolean {
    return this.has(this.paths.session(instanceId));
  }

  /** The instances that may be given items: their server is enabled, and they are not on their way out. In Java's order. */
  availableInstances(): RegisteredInstance[] {
    return this.instances().filter(
      ({ jobInstanceId, serverIp }) => this.serverStatus(serverIp) === 'ENABLED' && !this.isDraining(jobInstanceId),
    );
  }

  private isDraining(instanceId: string): boolean {
    return this.view.node(this.paths.session(instanceId))?.data === DRAINING;
  }

  /** Instances without our label: the job is shared with Java. */
  peers(): string[] {
    return this.instances()
      .filter(({ isOurs }) => !isOurs)
      .map(({ jobInstanceId }) => jobInstanceId);
  }

  serverStatus(serverIp: string): ServerStatus | undefined {
    const text = this.view.node(this.paths.server(serverIp))?.data;
    return text === 'ENABLED' || text === 'DISABLED' ? text : undefined;
  }

  servers(): string[] {
    return inJavaOrder(this.view.children(this.paths.servers));
  }

  /** The addresses that are known to have no instance any more, in no particular order. */
  departures(): readonly string[] {
    return this.view.children(this.paths.departures);
  }

  /** An instance of this address is registered. */
  hasInstanceAt(serverIp: string): boolean {
    return this.view.children(this.paths.instances).some((id) => serverIpOf(id) === serverIp);
  }

  leader(): string | undefined {
    return this.view.node(this.paths.leader)?.data;
  }

  /** The job has Java peers: what only our instances understand decides nothing then. */
  isMixed(): boolean {
    return (this.knownMixed ??= this.peers().length > 0);
  }

  /** The owners are out of date, or are being replaced: a trigger waits. */
  isReshardingPending(): boolean {
    return this.isReshardingNecessary() || this.has(this.paths.reshardingProcessing);
  }

  isReshardingNecessary(): boolean {
    return this.has(this.paths.reshardingFlag);
  }

  /** The items that have a node, ascending. */
  items(): number[] {
    return numbers(this.view.children(this.paths.items));
  }

  owner(item: number): string | undefined {
    return this.view.node(this.paths.mark(item, 'instance'))?.data;
  }

  /** The items that are assigned to an instance, ascending. */
  itemsOf(instanceId: string): number[] {
    return this.items().filter((item) => this.owner(item) === instanceId);
  }

  isRunning(item: number): boolean {
    return this.view.has(this.paths.mark(item, 'running'));
  }

  /** The record of an item that has a node, if its value is loaded. */
  record(item: number): ItemRecord | undefined {
    const path = this.paths.record(item);
    const node = this.view.node(path);
    if (node !== undefined) return { stored: parseRunRecord(node.data), version: node.stat.version, isMissing: false };
    if (this.has(path) || !this.has(this.paths.item(item))) return undefined;
    return { stored: { kind: 'none' }, version: 0, isMissing: true };
  }

  /** Refused if somebody has written the item's record since it was read: that it is missing is proved by creating it. */
  recordAsRead(item: number): Operation {
    const { isMissing, version } = this.record(item) ?? {};
    return isMissing ? recordCreation(this.paths, item) : { kind: 'check', path: this.paths.record(item), version };
  }

  /** The items that wait for failover, ascending. */
  queue(): number[] {
    return numbers(this.view.children(this.paths.queue));
  }

  /** The items of which an operator has cancelled a run, ascending. */
  cancels(): number[] {
    return numbers(this.view.children(this.paths.cancels));
  }

  /** The jobs that are started after this one, in no particular order. */
  dependents(): readonly JobName[] {
    return this.view.children(this.paths.dependents);
  }

  /** What this job has been started after, and waits for; undefined if for nothing, or if nobody here can judge it. */
  startLedger(): StartLedger | undefined {
    const node = this.view.node(this.paths.after);
    return node && parseStartLedger(node.data);
  }

  /** The items that have arrived where all wait for each other, ascending. */
  arrived(phase: GuaranteePhase): number[] {
    return numbers(this.view.children(this.paths.guarantee(phase)));
  }

  stat(path: string): NodeStat | undefined {
    return this.view.node(path)?.stat;
  }

  /** The paths of every node below a path, deepest first: the order in which they can be deleted. */
  descendants(path: string): string[] {
    return this.view.children(path).flatMap((name) => [...this.descendants(`${path}/${name}`), `${path}/${name}`]);
  }

  private hear(event: SubtreeEvent): void {
    const typed = event.kind === 'reset' ? this.noteReset() : this.note(event.kind, this.paths.parse(event.path));
    if (typed === undefined) return;
    for (const listener of this.listeners) listener(typed);
  }

  private noteReset(): JobTreeEvent {
    this.lastRuns.forget();
    this.knownMixed = undefined;
    return { kind: 'TreeReset' };
  }

  private note(change: 'created' | 'changed' | 'deleted', node: JobNode): JobTreeEvent | undefined {
    if (node.kind === 'instance') this.knownMixed = undefined;
    this.lastRuns.note(change, node, this.clock.wallNow());
    return eventOf(change, node);
  }
}

/** An empty record: that of an item which none of ours has run yet. */
export function recordCreation(paths: JobPaths, item: number): Operation {
  return { kind: 'create', path: paths.record(item), data: '', mode: 'PERSISTENT' };
}

function numbers(names: readonly string[]): number[] {
  return names.flatMap((name) => parseItem(name) ?? []).toSorted((a, b) => a - b);
}
