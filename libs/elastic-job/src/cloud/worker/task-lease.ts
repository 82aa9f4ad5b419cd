import { type Abortable, AbortState } from '../../clock/index.js';
import type { ExecutionLease } from '../../coordination/index.js';
import {
  type Checkpoint,
  confirmedLoss,
  formatCheckpoint,
  type JobName,
  LeaseLostError,
  manualOrigin,
  type SettledOutcome,
  type ShardOutcome,
  type Trigger,
} from '../../domain/index.js';
import { MissingRegistryError } from '../../registry/index.js';
import type { TaskEnvelope } from '../task-envelope.js';

/** The right to run the one item of a task: the worker's part of its scheduler's lease. */
export class TaskLease implements ExecutionLease {
  readonly jobName: JobName;
  readonly trigger: Trigger;
  readonly run: string;
  readonly taskId: string;
  readonly items: readonly [number];
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  private readonly fencingToken: bigint;
  private readonly ending = new AbortState();
  private outcome: SettledOutcome | undefined;
  private listener: (item: number, outcome: SettledOutcome) => void = () => {};

  /**
   * @param holder for people; the scheduler holds the lease
   * @param mayAct false once the scheduler may no longer act for the item
   */
  constructor(
    envelope: TaskEnvelope,
    readonly holder: string,
    private readonly itemCheckpoint: Checkpoint,
    private readonly mayAct: () => boolean,
  ) {
    this.jobName = envelope.jobName;
    this.trigger = triggerOf(envelope);
    this.run = envelope.run;
    this.taskId = envelope.taskId;
    this.items = [envelope.shardingItem];
    this.graceMs = envelope.graceMs;
    this.fencingToken = BigInt(envelope.token);
  }

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Synchronous, so exact also right after a pause of the process. */
  get isHeld(): boolean {
    return this.mayAct() && !this.ending.aborted && this.outcome === undefined;
  }

  get mayStart(): boolean {
    return this.isHeld;
  }

  token(): bigint {
    return this.fencingToken;
  }

  // Only the scheduler knows the written begin.
  begun(): undefined {
    return undefined;
  }

  signalOf(): AbortSignal {
    return this.signal;
  }

  endingOf(): Abortable {
    return this.ending;
  }

  // A lost lease is aborted, and does not come back.
  onMayStart(): () => void {
    return () => {};
  }

  assertHeld(): void {
    if (this.isHeld) return;
    const options = this.ending.aborted ? { cause: this.ending.reason } : {};
    throw new LeaseLostError(this.jobName, this.items[0], options);
  }

  checkpoint(): Checkpoint {
    return this.itemCheckpoint;
  }

  // The item may move to another scheduler; the task goes on all the same.
  isMoving(): boolean {
    return false;
  }

  abort(reason: unknown): void {
    if (this.outcome === undefined) this.ending.abort(reason);
  }

  abortItem(_item: number, reason: unknown): void {
    this.abort(reason);
  }

  confirmLost(item: number): void {
    this.abortItem(item, confirmedLoss());
  }

  settle(item: number, outcome: ShardOutcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.listener(item, outcome);
  }

  // The scheduler decides that when it settles the outcome.
  requeueOf(): 'none' {
    return 'none';
  }

  onSettled(listener: (item: number, outcome: SettledOutcome) => void): void {
    this.listener = listener;
  }

  async settled(): Promise<ReadonlyMap<number, SettledOutcome>> {
    const outcome =
      this.outcome ??
      (await new Promise<SettledOutcome>((resolve) => this.onSettled((_, settled) => resolve(settled))));
    return new Map([[this.items[0], outcome]]);
  }
}

function triggerOf({ jobName, fireTime, source, trigger }: TaskEnvelope): Trigger {
  if (trigger === 'schedule') return { jobName, fireTime, source, origin: 'schedule' };
  return { jobName, fireTime, source, origin: manualOrigin(trigger.id), parameters: trigger.parameters };
}

/** Saves a checkpoint through the scheduler. @throws if it is not saved */
type SaveCheckpoint = (value: unknown) => Promise<void>;

/**
 * The checkpoint of a task's item. It starts with the envelope's value, and the scheduler saves it under its lease.
 * Clearing saves null, which counts as none.
 */
export class TaskCheckpoint implements Checkpoint {
  /** Kept as JSON, so that a loaded object can be changed without effect on it. */
  private text: string | undefined;
  private previous: Promise<unknown> = Promise.resolve();

  /**
   * @param save undefined if the scheduler cannot be reached
   * @param isStanding false once the run is over, or may not act any more
   */
  constructor(
    private readonly envelope: TaskEnvelope,
    private readonly saveThere: SaveCheckpoint | undefined,
    private readonly isStanding: () => boolean,
  ) {
    this.text = textOf(envelope.checkpoint);
  }

  async save(value: unknown): Promise<void> {
    const { jobName, shardingItem } = this.envelope;
    // Serialized at once: a later change of the object must not change what is saved.
    await this.write('save', formatCheckpoint(jobName, shardingItem, value));
  }

  async clear(): Promise<void> {
    await this.write('clear', 'null');
  }

  async load<Value>(): Promise<Value | undefined> {
    await this.previous;
    this.assertStanding();
    if (this.text === undefined) return undefined;
    const value: Value = JSON.parse(this.text);
    return value;
  }

  /** One write after the other, so that no save undoes a later one. */
  private async write(call: string, text: string): Promise<void> {
    const save = this.saveThere;
    if (save === undefined) throw new MissingRegistryError(`checkpoint.${call} without a channel to the scheduler`);
    const written = this.writeAfter(this.previous, save, JSON.parse(text));
    this.previous = written.catch(() => {});
    await written;
  }

  private async writeAfter(previous: Promise<unknown>, save: SaveCheckpoint, value: unknown): Promise<void> {
    await previous;
    this.assertStanding();
    await save(value);
    this.text = textOf(value);
  }

  private assertStanding(): void {
    const { jobName, shardingItem } = this.envelope;
    if (!this.isStanding()) throw new LeaseLostError(jobName, shardingItem);
  }
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}
