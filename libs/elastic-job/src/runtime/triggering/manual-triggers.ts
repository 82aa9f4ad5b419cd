import { type JobTree, requestedTrigger, untilCommitted } from '../../coordination/index.js';
import { findNodeTextFault, type Trigger } from '../../domain/index.js';
import { isRefusal, isUnanswered, type RegistryNode } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { JobDuty, type News, type NewsEmitter, type Report } from '../news/index.js';
import type { Leases, TriggerGate } from '../runs/index.js';
import type { TriggerPlan } from './trigger-plan.js';

/** Most waiting triggers. Operators that ask faster than the job runs get their further triggers skipped. */
const MOST_WAITING = 100;

interface WaitingTrigger {
  readonly trigger: Trigger;
  /** Registry transaction of the request. */
  readonly zxid: bigint;
  /** Items that this instance owned when it took the request. */
  readonly owned: readonly number[];
  /** Items not begun so far; undefined before the assignment. */
  items?: readonly number[];
}

/**
 * Operators' triggers, for one instance and session. Free items begin at once, running ones as soon as they are
 * released. None is dropped, they run one after the other, and two triggers are two runs.
 * @see ElasticJob, `TriggerListenerManager`, which drops triggers that come while the job runs
 */
export class ManualTriggers extends JobDuty {
  private readonly inbox: TriggerInbox;
  /** In the order of the requests. */
  private waiting: WaitingTrigger[] = [];
  private isLeaving = false;

  constructor(
    tree: JobTree,
    private readonly gate: TriggerGate,
    private readonly plan: TriggerPlan,
    private readonly leases: Leases,
    private readonly events: JobEvents,
    private readonly news: NewsEmitter,
    report: Report,
  ) {
    super(tree, report, 'running a trigger');
    this.inbox = new TriggerInbox(tree, report, (node) => this.accept(node));
  }

  triggerRequested({ instanceId }: News<'TriggerRequested'>): void {
    if (instanceId === this.tree.self.jobInstanceId) this.inbox.wake();
  }

  treeReset(): void {
    this.inbox.wake();
    this.beginReleased();
  }

  workExpected(): void {
    this.beginReleased();
  }

  shardingCompleted(): void {
    this.beginReleased();
  }

  itemReleased(): void {
    this.beginReleased();
  }

  itemEnded(): void {
    this.beginReleased();
  }

  queueClaimed(): void {
    this.beginReleased();
  }

  /** Starts taking requests, once this instance has joined. */
  start(): void {
    this.inbox.open();
  }

  private beginReleased(): void {
    if (this.waiting.length > 0) this.wake();
  }

  /** Items that a trigger will begin as soon as they are free, so that nothing else should. */
  get awaited(): ReadonlySet<number> {
    return new Set(this.waiting.flatMap(({ items }) => items ?? []));
  }

  /** Begins nothing more. */
  override stop(): void {
    super.stop();
    this.isLeaving = true;
    this.inbox.close();
    for (const { trigger, items } of this.waiting.splice(0)) {
      if (items?.length !== 0) this.skip(trigger, 'this instance leaves');
    }
  }

  private accept(node: RegistryNode): void {
    const trigger = requestedTrigger(this.tree.jobName, node);
    this.events.emit({ kind: 'trigger-requested', trigger });
    if (this.isLeaving) return this.skip(trigger, 'this instance leaves');
    const fault = findNodeTextFault(node.data);
    if (fault !== undefined) return this.skip(trigger, `its request cannot be read: ${fault}`);
    if (this.waiting.length >= MOST_WAITING) return this.skip(trigger, `${MOST_WAITING} triggers wait already`);
    const owned = this.plan.ownItems();
    this.waiting.push({ trigger, zxid: node.stat.czxid, owned });
    this.wake();
  }

  protected async work(): Promise<void> {
    const taken = new Set<number>();
    for (const waiting of this.waiting) {
      try {
        await this.beginFree(waiting, taken);
      } catch (error) {
        if (isUnanswered(error) || isRefusal(error) || this.tree.signal.aborted) throw error;
        // It would fail again and block all later triggers.
        this.report(`the trigger ${waiting.trigger.origin}`)(error);
        waiting.items = [];
      }
      if (this.isLeaving) return;
      for (const item of waiting.items ?? []) taken.add(item);
    }
    this.waiting = this.waiting.filter(({ items }) => items?.length !== 0);
    this.news.emit({ kind: 'TriggersBegun' });
  }

  /** Begins the items that are free and that no earlier trigger waits for. */
  private async beginFree(waiting: WaitingTrigger, taken: ReadonlySet<number>): Promise<void> {
    const { trigger } = waiting;
    const isFirst = waiting.items === undefined;
    const items = isFirst ? await this.assign(waiting) : this.stillWanted(waiting);
    waiting.items = items;
    // The first attempt also asks for items that run elsewhere, as that run may be for this same trigger.
    const isFree = (item: number) => !this.leases.running.has(item) && (isFirst || !this.tree.isRunning(item));
    const free = items.filter((item) => !taken.has(item) && isFree(item));
    const busy = free.length === 0 || this.isLeaving ? free : await this.begin(trigger, free);
    waiting.items = items.filter((item) => !free.includes(item) || busy.includes(item));
    if (isFirst && waiting.items.length > 0 && !this.isLeaving) {
      this.events.emit({ kind: 'postponed', trigger, items: waiting.items });
    }
  }

  /**
   * Items of this instance, including those being failed over, and items that it has lost since the request to an
   * instance that did not get the request.
   */
  private async assign({ trigger, zxid, owned }: WaitingTrigger): Promise<readonly number[]> {
    const assigned = await this.assignedItems(trigger);
    if (assigned === undefined) return [];
    const { tree } = this;
    const isOrphaned = (item: number) => {
      const newcomer = tree.stat(tree.paths.instance(tree.owner(item) ?? ''));
      return !assigned.includes(item) && newcomer !== undefined && newcomer.czxid > zxid;
    };
    // An item being failed over is in no fire time's assignment. It runs for the trigger once it is released.
    const isTaken = (item: number) => !tree.company.dropsTakenItems && tree.has(tree.paths.mark(item, 'failover'));
    const more = [...owned.filter(isOrphaned), ...tree.itemsOf(tree.self.jobInstanceId).filter(isTaken)];
    return [...new Set([...assigned, ...more.filter((item) => this.isWanted(item))])].toSorted((a, b) => a - b);
  }

  /** @returns undefined if the trigger must not run here. Waits for resharding, as any trigger does */
  private async assignedItems(trigger: Trigger): Promise<readonly number[] | undefined> {
    if (this.gate.refusesResident(trigger)) return undefined;
    if (await this.gate.refuses(trigger)) return undefined;
    const items = await this.plan.assign(trigger);
    if (this.gate.refusesServer(trigger)) return undefined;
    this.plan.reportTaken(trigger, items);
    return items;
  }

  /** @returns the items that turned out to be busy */
  private async begin(trigger: Trigger, items: readonly number[]): Promise<readonly number[]> {
    const { events } = this;
    const refused = await this.leases.beginAndRun(trigger, items, 'a trigger');
    for (const [item, cause] of refused) {
      if (cause !== 'busy') events.emit({ kind: 'refused', trigger, items: [item], cause });
    }
    return items.filter((item) => refused.get(item) === 'busy');
  }

  private stillWanted({ trigger, items = [] }: WaitingTrigger): readonly number[] {
    const unwanted = items.filter((item) => !this.isWanted(item));
    if (unwanted.length > 0) this.events.emit({ kind: 'refused', trigger, items: unwanted, cause: 'disabled' });
    return items.filter((item) => !unwanted.includes(item));
  }

  /** False if an operator has disabled the item or the server since the request. */
  private isWanted(item: number): boolean {
    const { tree } = this;
    return (
      !tree.isDisabled(item) && tree.has(tree.paths.item(item)) && tree.serverStatus(tree.self.serverIp) === 'ENABLED'
    );
  }

  private skip(trigger: Trigger, reason: string): void {
    this.events.emit({ kind: 'skipped', trigger, reason });
  }
}

/**
 * Takes operators' requests from `trigger/{own id}`: reads and removes each one as soon as it appears, so that the next
 * one can follow. Each is handed on once, even if the reply to its removal is lost.
 */
export class TriggerInbox extends JobDuty {
  /** Request that was read, and perhaps removed already. */
  private read: RegistryNode | undefined;
  private isOpen = false;

  /** @param onRequest receives each request, in order; must not throw */
  constructor(
    tree: JobTree,
    report: Report,
    private readonly onRequest: (node: RegistryNode) => void,
  ) {
    super(tree, report, 'taking a trigger');
  }

  /** Starts taking requests, including one that exists already. */
  open(): void {
    this.isOpen = true;
    this.wake();
  }

  /**
   * Takes nothing more. A request whose removal has no answer by the end of the session may be gone, so it is handed
   * on.
   */
  close(): void {
    this.stop();
    void this.reportUnknown();
  }

  private async reportUnknown(): Promise<void> {
    await this.rested();
    if (this.read !== undefined) this.onRequest(this.read);
    this.read = undefined;
  }

  /** Looks for a request. */
  override wake(): void {
    if (this.isOpen) super.wake();
  }

  protected async work(): Promise<void> {
    await repeat(untilCommitted(this.tree, 'taking a trigger'), () => this.tryTake());
  }

  /** @returns undefined if the request has changed meanwhile */
  private async tryTake(): Promise<true | undefined> {
    const { tree } = this;
    const { signal } = tree;
    const path = tree.paths.trigger(tree.self.jobInstanceId);
    if (!(await tree.load([path], { signal }))) return undefined;
    const node = tree.node(path);
    // The node was replaced or removed, so the removal of the request that was read succeeded.
    if (this.read !== undefined && this.read.stat.czxid !== node?.stat.czxid) this.onRequest(this.read);
    this.read = node;
    if (node === undefined) return true;
    const removal = [...tree.descendants(path), path].map((below) => ({ kind: 'delete', path: below }) as const);
    const result = await tree.commit(removal, { signal });
    if (result.kind === 'refused') return undefined;
    this.read = undefined;
    this.onRequest(node);
    return true;
  }
}
