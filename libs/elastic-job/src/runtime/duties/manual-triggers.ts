import type { Clock } from '../../clock/index.js';
import {
  type CoordinationServices,
  type JobTree,
  type JobTreeEvent,
  parseTriggerRequest,
} from '../../coordination/index.js';
import { findNodeTextFault, manualOrigin, type Trigger } from '../../domain/index.js';
import { isRefusal, isUnanswered, type RegistryNode } from '../../registry/index.js';
import type { JobEvents } from '../../tracing/index.js';
import { type LeaseRunner, type Reaction, registryReaction, type RunningItems } from '../leases/index.js';
import { TriggerInbox } from './trigger-inbox.js';

/** Who asks faster than the job runs is told that this many triggers wait already. */
const MOST_WAITING = 100;

/** What operators' triggers need of a job's session. */
export interface ManualTriggerParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly running: RunningItems;
  readonly leases: LeaseRunner;
  /** The items to run, once the leader has resharded; undefined if the trigger must not run here. */
  assign(trigger: Trigger): Promise<readonly number[] | undefined>;
  /** Of what waits, all has been begun that could be. */
  onBegun(): void;
  /** Tells what has failed. */
  report(work: string): (error: unknown) => void;
}

interface WaitingTrigger {
  readonly trigger: Trigger;
  /** When it was asked for, on the registry's count of transactions. */
  readonly zxid: bigint;
  /** What this instance owned when it took the request. */
  readonly owned: readonly number[];
  /** What has not been begun yet; undefined: not assigned. */
  items?: readonly number[];
}

/**
 * The triggers of operators, for one instance and session: what is free of the items begins at once, what still runs as
 * soon as it is released. None is dropped, one comes after the other, and two triggers are two runs.
 * @see ElasticJob, `TriggerListenerManager`, which drops what comes while the job runs
 */
export class ManualTriggers {
  private readonly inbox: TriggerInbox;
  private readonly begins: Reaction;
  /** In the order in which they were asked for. */
  private waiting: WaitingTrigger[] = [];
  private isStopped = false;

  constructor(private readonly parts: ManualTriggerParts) {
    const { tree, clock } = parts;
    this.inbox = new TriggerInbox(tree, clock, (node) => this.accept(node), parts.report('taking a trigger'));
    this.begins = registryReaction(tree, clock, () => this.beginAll(), parts.report('running a trigger'));
  }

  /** This instance has joined: whoever asks it is heard. */
  start(): void {
    this.inbox.open();
  }

  hear(event: JobTreeEvent): void {
    this.inbox.hear(event);
    if (event.kind === 'ItemReleased') this.beginReleased();
  }

  /** An item may be free again. */
  beginReleased(): void {
    if (this.waiting.length > 0) this.begins.wake();
  }

  /** A trigger is to begin the item as soon as it is free: nothing else should. */
  isAwaited(item: number): boolean {
    return this.waiting.some(({ items }) => items?.includes(item));
  }

  /** Begins nothing more. */
  stop(): void {
    this.isStopped = true;
    this.inbox.close();
    this.begins.stop();
    for (const { trigger, items } of this.waiting.splice(0)) {
      if (items?.length !== 0) this.skip(trigger, 'this instance leaves');
    }
  }

  private accept(node: RegistryNode): void {
    const trigger = triggerOf(this.parts.tree.jobName, node);
    this.parts.events.emit({ kind: 'trigger-requested', trigger });
    if (this.isStopped) return this.skip(trigger, 'this instance leaves');
    const fault = findNodeTextFault(node.data);
    if (fault !== undefined) return this.skip(trigger, `its request cannot be read: ${fault}`);
    if (this.waiting.length >= MOST_WAITING) return this.skip(trigger, `${MOST_WAITING} triggers wait already`);
    const owned = this.parts.services.sharding.ownItems(this.parts.tree);
    this.waiting.push({ trigger, zxid: node.stat.czxid, owned });
    this.begins.wake();
  }

  private async beginAll(): Promise<void> {
    const taken = new Set<number>();
    for (const waiting of this.waiting) {
      try {
        await this.beginFree(waiting, taken);
      } catch (error) {
        if (isUnanswered(error) || isRefusal(error) || this.parts.tree.signal.aborted) throw error;
        // It would fail again, and nothing behind it would ever run.
        this.parts.report(`the trigger ${waiting.trigger.origin}`)(error);
        waiting.items = [];
      }
      if (this.isStopped) return;
      for (const item of waiting.items ?? []) taken.add(item);
    }
    this.waiting = this.waiting.filter(({ items }) => items?.length !== 0);
    this.parts.onBegun();
  }

  /** Begins what is free and not waited for by an earlier trigger. */
  private async beginFree(waiting: WaitingTrigger, taken: ReadonlySet<number>): Promise<void> {
    const { trigger } = waiting;
    const isFirst = waiting.items === undefined;
    const items = isFirst ? await this.assign(waiting) : this.stillWanted(waiting);
    waiting.items = items;
    // At first the registry is asked also for what runs elsewhere: that may be this very trigger.
    const isFree = (item: number) => !this.parts.running.has(item) && (isFirst || !this.parts.tree.isRunning(item));
    const free = items.filter((item) => !taken.has(item) && isFree(item));
    const busy = free.length === 0 || this.isStopped ? free : await this.begin(trigger, free);
    waiting.items = items.filter((item) => !free.includes(item) || busy.includes(item));
    if (isFirst && waiting.items.length > 0 && !this.isStopped) {
      this.parts.events.emit({ kind: 'postponed', trigger, items: waiting.items });
    }
  }

  /**
   * This instance's items, also those that are failed over, and those that it has lost since it was asked to an
   * instance which was not.
   */
  private async assign({ trigger, zxid, owned }: WaitingTrigger): Promise<readonly number[]> {
    const assigned = await this.parts.assign(trigger);
    if (assigned === undefined) return [];
    const { tree } = this.parts;
    const isOrphaned = (item: number) => {
      const newcomer = tree.stat(tree.paths.instance(tree.owner(item) ?? ''));
      return !assigned.includes(item) && newcomer !== undefined && newcomer.czxid > zxid;
    };
    // What is failed over just now is in no fire time's assignment; it runs for the trigger once it is released.
    const isTaken = (item: number) => !tree.isMixed() && tree.has(tree.paths.mark(item, 'failover'));
    const more = [...owned.filter(isOrphaned), ...tree.itemsOf(tree.self.jobInstanceId).filter(isTaken)];
    return [...new Set([...assigned, ...more.filter((item) => this.isWanted(item))])].toSorted((a, b) => a - b);
  }

  /** @returns the items that turned out to be busy */
  private async begin(trigger: Trigger, items: readonly number[]): Promise<readonly number[]> {
    const { events, leases } = this.parts;
    const { lease, refused } = await leases.begin(trigger, items);
    if (lease !== undefined) leases.start(lease, 'a trigger');
    for (const [item, cause] of refused) {
      if (cause !== 'busy') events.emit({ kind: 'refused', trigger, items: [item], cause });
    }
    return items.filter((item) => refused.get(item) === 'busy');
  }

  private stillWanted({ trigger, items = [] }: WaitingTrigger): readonly number[] {
    const unwanted = items.filter((item) => !this.isWanted(item));
    if (unwanted.length > 0) this.parts.events.emit({ kind: 'refused', trigger, items: unwanted, cause: 'disabled' });
    return items.filter((item) => !unwanted.includes(item));
  }

  /** An operator may have switched off since what he has asked for. */
  private isWanted(item: number): boolean {
    const { tree } = this.parts;
    const isDisabled = tree.has(tree.paths.mark(item, 'disabled'));
    return !isDisabled && tree.has(tree.paths.item(item)) && tree.serverStatus(tree.self.serverIp) === 'ENABLED';
  }

  private skip(trigger: Trigger, reason: string): void {
    this.parts.events.emit({ kind: 'skipped', trigger, reason });
  }
}

/** Java's request has no text: each instance then has an id of its own. */
function triggerOf(jobName: string, { data, stat }: RegistryNode): Trigger {
  const { id, parameters } = parseTriggerRequest(data) ?? { id: stat.czxid.toString(), parameters: undefined };
  return { jobName, fireTime: stat.ctime, origin: manualOrigin(id), source: 'NORMAL_TRIGGER', parameters };
}
