import type { Clock, Timer } from '../../clock/index.js';
import {
  isTaskEnd,
  type TaskHandle,
  TaskHistory,
  type TaskKiller,
  type TaskLink,
  type TaskOrder,
  type TaskReport,
  type TaskState,
} from '../../cloud/index.js';
import { isError, messageOf, nameOf } from '../../domain/index.js';
import type {
  MemoryTaskContext,
  MemoryTaskEvent,
  MemoryTaskRun,
  MemoryTaskScript,
  MemoryTaskStep,
} from './memory-task-script.js';

/** Most bytes that are kept of a task's output. */
const OUTPUT_LIMIT = 65_536;
const LOST: TaskState = { name: 'LOST', detail: 'its scheduler has lost the item' };

/** Environment of a task. */
export interface MemoryTaskWorld {
  readonly clock: Clock;
  readonly adopts: boolean;
  readonly hasLink: boolean;
  readonly script: (jobName: string) => MemoryTaskScript;
  /** False if a task must wait; it begins later then. */
  readonly hasRoom: (task: MemoryTask) => boolean;
  readonly began: (task: MemoryTask) => void;
  readonly emit: (event: MemoryTaskEvent) => void;
}

/**
 * A task and its process. The reported state and the actual work are separate: an unreachable task goes on, and a
 * removed one lives until it has ended.
 */
export class MemoryTask {
  readonly history = new TaskHistory({ name: 'STAGING', detail: 'it is not open yet' });
  /** The holder of the task. */
  holder: Pick<TaskOrder, 'run' | 'token'>;
  /** True while its process does something. */
  isAlive = false;
  private isGated = true;
  private hasStarted = false;
  private isReachable = true;
  private isOver = false;
  /** Latest state that could not be reported. */
  private undelivered: TaskState | undefined;
  private link: TaskLink | undefined;
  private readonly ending = new AbortController();
  private killer: TaskKiller | undefined;
  /** A request to end that waits until the task can be reached. */
  private unread: (() => void) | undefined;
  private readonly timers = new Set<Timer>();
  private output = Buffer.alloc(0);

  constructor(
    readonly order: TaskOrder,
    readonly uid: string,
    /** The last scheduler that launched or adopted it. */
    public scheduler: string,
    private readonly world: MemoryTaskWorld,
  ) {
    this.holder = order;
  }

  get handle(): TaskHandle {
    const { key, target } = this.order;
    const { run, token } = this.holder;
    return { key, target, run, token, uid: this.uid, isGated: this.isGated };
  }

  /** Lets it begin, once. The link belongs to the last caller. */
  open(link: TaskLink): void {
    this.link = link;
    if (!this.isGated || this.history.hasEnded) return;
    this.isGated = false;
    this.world.emit({ kind: 'opened', handle: this.handle });
    if (this.world.hasRoom(this)) this.begin();
    else this.emit({ name: 'QUEUED', detail: 'there is no room' });
  }

  /** Begins its program, unless it has ended meanwhile. */
  begin(): void {
    if (this.history.hasEnded) return;
    this.isAlive = true;
    this.world.began(this);
    void this.live(this.world.script(this.order.key.jobName));
  }

  /** Tells it to end, as soon as it can be reached. @param graceMs milliseconds */
  cancel(graceMs: number): void {
    if (this.isReachable) this.requestEnd('scheduler', graceMs);
    else this.unread ??= () => this.requestEnd('scheduler', graceMs);
  }

  /** Leaves the store. Its process is killed, unless it cannot be reached: then it lives on. */
  release(): void {
    if (this.isReachable) return this.end({ name: 'KILLED', killer: 'scheduler', detail: 'it was released' });
    this.history.add({ name: 'UNKNOWN', detail: 'it was released, and may still run' });
  }

  /** @param graceMs milliseconds */
  private requestEnd(killer: TaskKiller, graceMs: number): void {
    if (this.killer !== undefined || this.isOver) return;
    this.killer = killer;
    if (!this.isAlive) return this.end(this.killed('it has not begun'));
    if (this.isLost) this.after(Math.min(graceMs, this.link!.lossGraceMs), () => this.end(LOST));
    else this.after(graceMs, () => this.end(this.killed('signal SIGKILL')));
    this.ending.abort(new Error('The task is to end.'));
  }

  /** Ends its process now, and reports that if it is reachable. Does nothing if it has ended. */
  end(state: TaskState): void {
    if (this.isOver) return;
    this.isOver = true;
    this.world.emit({ kind: 'ended', handle: this.handle, state });
    this.die();
    this.emit(state);
  }

  /** Ends it now, and reports that in any case. */
  endFor(state: TaskState): void {
    this.isReachable = true;
    this.end(state);
    this.emit(state);
  }

  /** Hides it: its states are not reported. */
  hide(): void {
    if (this.history.hasEnded || !this.isReachable) return;
    this.undelivered = this.history.present;
    this.history.add({ name: 'UNREACHABLE' });
    this.isReachable = false;
  }

  /** Makes its state visible again. */
  show(): void {
    if (this.isReachable) return;
    this.isReachable = true;
    if (this.undelivered !== undefined) this.emit(this.undelivered);
    this.unread?.();
  }

  /** Removes it from the store, and tells it to end. Its process has its grace. */
  vanish(): void {
    this.isReachable = true;
    if (this.isAlive) this.requestEnd('other', this.order.graceMs);
    this.history.add({ name: 'UNKNOWN', detail: 'it was removed' });
  }

  tail(bytes: number): string {
    const end = this.output.subarray(Math.max(0, this.output.length - bytes)).toString();
    return end.replace(/^\uFFFD+/, ''); // A broken character.
  }

  private async live(script: MemoryTaskScript): Promise<void> {
    if (typeof script !== 'function') return this.goThrough(script);
    this.emit({ name: 'RUNNING' });
    const startedAt = this.world.clock.monotonicNow();
    const said = await this.run(script, () => this.world.clock.monotonicNow() - startedAt);
    const isLate = this.killer === 'timeout' && said.name === 'FINISHED';
    if (this.isAlive) this.end(isLate ? this.killed('it ran for too long') : said);
  }

  private async run(script: MemoryTaskRun, ms: () => number): Promise<TaskState> {
    try {
      const end = await script(this.context());
      return end ?? { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: ms() } };
    } catch (error) {
      const report: TaskReport = {
        v: 1,
        outcome: this.killer === undefined ? 'failed' : 'aborted',
        error: { name: isError(error) ? nameOf(error) : 'Error', message: messageOf(error) },
        ms: ms(),
      };
      return this.killer === undefined ? { name: 'FINISHED', report } : { ...this.killed('exit code 143'), report };
    }
  }

  /** A program of mere states reacts to requests to end. */
  private goThrough(steps: readonly MemoryTaskStep[]): void {
    const obey = (): void => (this.isAlive ? this.end(this.killed('exit code 143')) : undefined);
    this.ending.signal.addEventListener('abort', obey, { once: true });
    this.go(steps);
  }

  private go([step, ...rest]: readonly MemoryTaskStep[]): void {
    if (step === undefined) return;
    if (isTaskEnd(step.state)) return this.end(step.state);
    this.emit(step.state);
    this.after(step.ms ?? 0, () => this.go(rest));
  }

  private context(): MemoryTaskContext {
    const { clock, hasLink } = this.world;
    return {
      order: this.order,
      envelope: this.order.envelope({}),
      clock,
      signal: this.ending.signal,
      heldForMs: () => (hasLink ? (this.link?.heldForMs() ?? 0) : 0),
      saveCheckpoint: async (value) => {
        if (!hasLink || this.link === undefined) throw new Error('This backend has no link.');
        if (!this.isAlive) throw new Error('The task has ended.');
        await this.link.saveCheckpoint(value);
      },
      write: (text) => {
        this.output = Buffer.concat([this.output, Buffer.from(text)]).subarray(-OUTPUT_LIMIT);
      },
    };
  }

  /** True if others may have its item, and cannot adopt it. */
  private get isLost(): boolean {
    return !this.world.adopts && this.link?.isLost() === true;
  }

  private killed(detail: string): TaskState {
    return { name: 'KILLED', killer: this.killer ?? 'other', detail };
  }

  private emit(state: TaskState): void {
    if (state.name === 'RUNNING') this.start();
    if (this.isReachable) this.history.add(state);
    else this.undelivered = state;
  }

  /** Starts its time limit, once. */
  private start(): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    this.world.emit({ kind: 'started', handle: this.handle });
    const { graceMs, timeoutMs } = this.order;
    if (timeoutMs !== undefined) this.after(timeoutMs, () => this.requestEnd('timeout', graceMs));
  }

  private after(ms: number, callback: () => void): void {
    const timer = this.world.clock.setTimer(ms, () => {
      this.timers.delete(timer);
      callback();
    });
    this.timers.add(timer);
  }

  private die(): void {
    this.isAlive = false;
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    this.ending.abort(new Error('The task has ended.'));
  }
}
