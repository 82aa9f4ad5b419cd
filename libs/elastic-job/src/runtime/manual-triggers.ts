import type { Clock } from '../clock/index.js';
import {
  type ExecutionLease,
  type JobTree,
  type JobTreeEvent,
  parseTriggerRequest,
  untilAnswered,
  untilCommitted,
} from '../coordination/index.js';
import { manualOrigin, type Trigger } from '../domain/index.js';
import { type RegistryNode, RegistryUnavailableError } from '../registry/index.js';
import type { JobEvents } from '../tracing/index.js';
import type { CoordinationServices } from './coordination-services.js';
import { Reaction } from './reaction.js';
import type { RunningItems } from './running-items.js';

/** Who asks faster than the job runs is told that this many triggers wait already. */
const MOST_WAITING = 100;

/** What operators' triggers need of a job's session. */
export interface ManualTriggerParts {
  readonly tree: JobTree;
  readonly services: CoordinationServices;
  readonly events: JobEvents;
  readonly clock: Clock;
  readonly running: RunningItems;
  /** The items to run, once the leader has resharded; empty if the trigger must not run here. */
  assign(trigger: Trigger): Promise<readonly number[]>;
  /** Runs what was begun, to its end. Never rejects. */
  run(lease: ExecutionLease): void;
  onError(message: string, error: unknown): void;
}

interface WaitingTrigger {
  readonly trigger: Trigger;
  /** What has not been begun yet; undefined: not assigned. */
  items?: readonly number[];
}

/**
 * The triggers of operators, for one instance and session: `trigger/{own id}` is taken as soon as it appears, and what is
 * free of the items begins at once. What still runs is begun for it as soon as it is released: none is dropped, one comes
 * after the other, and two triggers are two runs.
 * @see ElasticJob, `TriggerListenerManager`, which drops what comes while the job runs
 */
export class ManualTriggers {
  private readonly intake: Reaction;
  private readonly begins: Reaction;
  /** In the order in which they were asked for. */
  private waiting: WaitingTrigger[] = [];
  /** Read, and perhaps deleted already. */
  private taking: RegistryNode | undefined;
  private isStopped = false;

  constructor(private readonly parts: ManualTriggerParts) {
    const { tree, clock } = parts;
    const react = (work: () => Promise<void>, name: string) =>
      new Reaction(
        () => untilAnswered(tree, clock, work),
        (error) => this.report(`${name} failed`, error),
      );
    this.intake = react(() => this.take(), 'taking a trigger');
    this.begins = react(() => this.beginAll(), 'running a trigger');
  }

  hear(event: JobTreeEvent): void {
    switch (event.kind) {
      case 'TriggerRequested':
        if (event.instanceId === this.parts.tree.self.jobInstanceId) this.intake.wake();
        return;
      case 'ItemReleased':
      case 'ShardingCompleted':
        return this.beginReleased();
      default:
    }
  }

  /** Looks for a trigger of which no event tells. */
  lookAgain(): void {
    this.intake.wake();
    this.beginReleased();
  }

  /** An item may be free again. */
  beginReleased(): void {
    if (this.waiting.length > 0) this.begins.wake();
  }

  /** Begins nothing more. */
  stop(): void {
    this.isStopped = true;
    this.intake.stop();
    this.begins.stop();
    for (const { trigger, items } of this.waiting.splice(0)) {
      if (items?.length !== 0) this.skip(trigger, 'this instance leaves');
    }
  }

  /** Reads the request and removes it; the reply to the removal may be lost, so what was read is kept until it is gone. */
  private async take(): Promise<void> {
    const { tree } = this.parts;
    const path = tree.paths.trigger(tree.self.jobInstanceId);
    await untilCommitted(tree, 'taking a trigger', async () => {
      if (!(await tree.load([path], { signal: tree.signal }))) return undefined;
      const node = tree.node(path);
      if (this.taking !== undefined && this.taking.stat.czxid !== node?.stat.czxid) this.accept(this.taking);
      this.taking = node;
      if (node === undefined) return true;
      const removed = [...tree.descendants(path), path].map((below) => ({ kind: 'delete', path: below }) as const);
      const result = await tree.registry.transaction(removed, { signal: tree.signal });
      if (result.kind === 'refused') return undefined;
      this.taking = undefined;
      this.accept(node);
      return true;
    });
  }

  private accept(node: RegistryNode): void {
    const trigger = triggerOf(this.parts.tree.jobName, node);
    this.parts.events.emit({ kind: 'trigger-requested', trigger });
    if (this.isStopped) return this.skip(trigger, 'this instance leaves');
    if (this.waiting.length >= MOST_WAITING) return this.skip(trigger, `${MOST_WAITING} triggers wait already`);
    this.waiting.push({ trigger });
    this.begins.wake();
  }

  private async beginAll(): Promise<void> {
    const taken = new Set<number>();
    for (const waiting of this.waiting) {
      try {
        await this.beginFree(waiting, taken);
      } catch (error) {
        if (error instanceof RegistryUnavailableError || this.parts.tree.signal.aborted) throw error;
        // It would fail again, and nothing behind it would ever run.
        this.report(`the trigger ${waiting.trigger.origin} failed`, error);
        waiting.items = [];
      }
      if (this.isStopped) return;
      for (const item of waiting.items ?? []) taken.add(item);
    }
    this.waiting = this.waiting.filter(({ items }) => items?.length !== 0);
  }

  /** Begins what is free and not waited for by an earlier trigger. */
  private async beginFree(waiting: WaitingTrigger, taken: ReadonlySet<number>): Promise<void> {
    const { trigger } = waiting;
    const isFirst = waiting.items === undefined;
    const items = waiting.items === undefined ? await this.parts.assign(trigger) : this.stillWanted(waiting);
    waiting.items = items;
    const free = items.filter((item) => !taken.has(item) && this.isFree(item));
    const busy = free.length === 0 || this.isStopped ? free : await this.begin(trigger, free);
    waiting.items = items.filter((item) => !free.includes(item) || busy.includes(item));
    if (isFirst && waiting.items.length > 0)
      this.parts.events.emit({ kind: 'postponed', trigger, items: waiting.items });
  }

  /** @returns the items that turned out to be busy */
  private async begin(trigger: Trigger, items: readonly number[]): Promise<readonly number[]> {
    const { events, running, services } = this.parts;
    const { lease, refused } = await running.expect(async () => {
      const begun = await services.executions.begin({ trigger, items });
      if (begun.lease !== undefined) running.add(begun.lease);
      return begun;
    });
    if (lease !== undefined) this.parts.run(lease);
    for (const [item, cause] of refused) {
      if (cause !== 'busy') events.emit({ kind: 'refused', trigger, items: [item], cause });
    }
    return items.filter((item) => refused.get(item) === 'busy');
  }

  private isFree(item: number): boolean {
    return !this.parts.running.has(item) && !this.parts.tree.isRunning(item);
  }

  /** An operator may have switched off since what he has asked for. */
  private stillWanted({ trigger, items = [] }: WaitingTrigger): readonly number[] {
    const { tree, events } = this.parts;
    const isServerOn = tree.serverStatus(tree.self.serverIp) === 'ENABLED';
    const isWanted = (item: number) =>
      isServerOn && tree.has(tree.paths.item(item)) && !tree.has(tree.paths.mark(item, 'disabled'));
    const unwanted = items.filter((item) => !isWanted(item));
    if (unwanted.length > 0) events.emit({ kind: 'refused', trigger, items: unwanted, cause: 'disabled' });
    return items.filter(isWanted);
  }

  private skip(trigger: Trigger, reason: string): void {
    this.parts.events.emit({ kind: 'skipped', trigger, reason });
  }

  private report(message: string, error: unknown): void {
    if (!this.parts.tree.signal.aborted) this.parts.onError(message, error);
  }
}

/** Java's request has no text: each instance then has an id of its own. */
function triggerOf(jobName: string, { data, stat }: RegistryNode): Trigger {
  const { id, parameters } = parseTriggerRequest(data) ?? { id: stat.czxid.toString(), parameters: undefined };
  return { jobName, fireTime: stat.ctime, origin: manualOrigin(id), source: 'NORMAL_TRIGGER', parameters };
}
