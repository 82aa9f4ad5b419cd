import { type Clock, hostMonotonicNow, type Timer } from '../../clock/index.js';
import { isObject, messageOf } from '../../domain/index.js';
import { endOfText } from '../../executor/index.js';
import type { TaskHandle, TaskLink } from '../task-backend.js';
import type { TaskInstruction } from '../task-channel.js';
import type { TaskOrder } from '../task-order.js';
import { readTaskReport, type TaskReport } from '../task-report.js';
import { TaskHistory, type TaskState } from '../task-state.js';
import { parseLine } from './lines.js';
import type { EndCause, Grant, Program, SupervisorOrder, TaskEnding } from './supervisor/supervisor-messages.js';
import { stateOfEnding } from './task-process.js';

/** Longest lease that is passed on, in milliseconds: a number that every reader of JSON can hold. */
const LONGEST_LEASE_MS = 86_400_000;
/**
 * Messages about its lease that a task gets within the span of one, and the longest pause between them, in
 * milliseconds.
 */
const WORDS_PER_LEASE = 4;
const MOST_SILENCE_MS = 1_000;
const LEAST_SILENCE_MS = 50;
const LOST = 'its scheduler has lost the item';

/** The backend, as one task uses it. */
interface LocalTaskHost {
  readonly clock: Clock;
  readonly send: (order: SupervisorOrder) => void;
  /** Called when it has left its place among the running tasks, or never had one. */
  readonly ended: () => void;
}

/**
 * A task in its scheduler's process, from its claim to its release.
 *
 * State: `gated`; `waiting` for room; `running`, from the order to start it on; `ended`.
 */
export class LocalTask {
  readonly history = new TaskHistory({ name: 'STAGING', detail: 'it is not open yet' });
  /** Of its process. */
  pid: number | undefined;
  private phase: 'gated' | 'waiting' | 'running' | 'ended' = 'gated';
  private link: TaskLink | undefined;
  private lease: Timer | undefined;
  private report: TaskReport | undefined;
  private output: string | undefined;
  /** Saves checkpoints in the order of their arrival. */
  private saving: Promise<void> = Promise.resolve();

  constructor(
    readonly order: TaskOrder,
    /** The text of its envelope. */
    readonly envelope: string,
    readonly uid: string,
    private readonly host: LocalTaskHost,
  ) {}

  get handle(): TaskHandle {
    const { key, target, run, token } = this.order;
    return { key, target, run, token, uid: this.uid, isGated: this.phase === 'gated' };
  }

  get isWaiting(): boolean {
    return this.phase === 'waiting';
  }

  get isRunning(): boolean {
    return this.phase === 'running';
  }

  /** Lets it begin once there is room. */
  open(link: TaskLink): void {
    this.link = link;
    if (this.phase === 'gated') this.phase = 'waiting';
  }

  /** Notes that there is no room for it yet. */
  wait(detail: string): void {
    if (this.history.present.name !== 'QUEUED') this.history.add({ name: 'QUEUED', detail });
  }

  /** Starts its process. */
  start(program: Program): void {
    const grant = this.grant();
    if (grant.heldForMs === 0) return this.endWithout({ name: 'LOST', detail: LOST });
    const { graceMs, timeoutMs, resources } = this.order;
    const { memoryMb } = resources;
    this.phase = 'running';
    this.host.send({ kind: 'start', id: this.uid, ...program, graceMs, timeoutMs, memoryMb, ...grant });
    this.scheduleWord(grant);
  }

  /** Called when its process has started. */
  started(pid: number): void {
    this.pid = pid;
    this.history.add({ name: 'RUNNING' });
  }

  /** Called when its process has ended, with all that it had left behind. */
  ended(ending: TaskEnding): void {
    this.output = ending.output;
    this.endWithout(stateOfEnding(ending, this.report));
  }

  /** Ends it for this scheduler: it has no process, or no longer. */
  endWithout(state: TaskState): void {
    this.phase = 'ended';
    this.lease?.cancel();
    this.history.add(state);
    this.host.ended();
  }

  /** Called with lines from its process. The next ones come once the checkpoints among these have their answers. */
  said(lines: readonly string[]): void {
    for (const line of lines) this.receive(line);
    void this.saving.then(() => this.isRunning && this.host.send({ kind: 'heard', id: this.uid }));
  }

  private receive(line: string): void {
    const statement = parseLine(line);
    if (!isObject(statement)) return;
    const { checkpoint, id, report } = statement;
    this.report = readTaskReport(report) ?? this.report;
    if (!('checkpoint' in statement) || typeof id !== 'number') return;
    this.saving = this.saving.then(() => this.save(checkpoint, id));
  }

  cancel(graceMs: number): void {
    const detail = 'it was cancelled by its scheduler';
    if (this.isRunning && this.link?.isLost() === true) this.lose();
    else if (this.isRunning) this.requestEnd('cancel', detail, graceMs);
    else if (this.phase !== 'ended') this.endWithout({ name: 'KILLED', killer: 'scheduler', detail });
  }

  /** Kills it. Resolves once no process of it is left. */
  async kill(): Promise<void> {
    if (this.isRunning) this.host.send({ kind: 'kill', id: this.uid });
    else if (this.phase !== 'ended')
      this.endWithout({ name: 'KILLED', killer: 'scheduler', detail: 'it was released' });
    await this.history.ended;
  }

  /** The end of its output, once it has ended. @param bytes most bytes */
  tail(bytes: number): string | undefined {
    return this.output === undefined ? undefined : endOfText(Buffer.from(this.output), bytes);
  }

  private async save(value: unknown, id: number): Promise<void> {
    try {
      if (this.link === undefined) throw new Error('The task has no scheduler.');
      await this.link.saveCheckpoint(value);
      this.instruct({ saved: id });
    } catch (error) {
      this.instruct({ refused: id, message: messageOf(error) });
    }
  }

  /** Sends it how long its scheduler may still act for it, or that it no longer may, until the task has ended. */
  private speak(): void {
    if (this.link?.isLost() === true) return this.lose();
    const grant = this.grant();
    // Nothing is granted while the registry is asked: the last grant stands.
    if (grant.heldForMs > 0) this.host.send({ kind: 'hold', id: this.uid, ...grant });
    this.scheduleWord(grant);
  }

  private lose(): void {
    this.requestEnd('lost', LOST, this.order.graceMs);
  }

  private requestEnd(cause: EndCause, detail: string, graceMs: number): void {
    this.host.send({ kind: 'end', id: this.uid, cause, detail, graceMs });
  }

  private scheduleWord({ heldForMs }: Grant): void {
    const silenceMs = Math.max(LEAST_SILENCE_MS, Math.min(heldForMs / WORDS_PER_LEASE, MOST_SILENCE_MS));
    this.lease?.cancel();
    this.lease = this.host.clock.setTimer(silenceMs, () => this.speak());
  }

  private grant(): Grant {
    const at = hostMonotonicNow();
    const heldForMs = Math.floor(Math.min(Math.max(this.link?.heldForMs() ?? 0, 0), LONGEST_LEASE_MS));
    return { at, heldForMs, lossGraceMs: this.link?.lossGraceMs ?? 0 };
  }

  private instruct(instruction: TaskInstruction): void {
    if (this.isRunning) this.host.send({ kind: 'tell', id: this.uid, line: JSON.stringify(instruction) });
  }
}
