/**
 * Follows one run of an item through its task.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> claiming
 *   claiming --> claiming: another target holds the place: it is ended and released
 *   claiming --> proving: launched or adopted
 *   proving --> opening: the registry says that the run is the latest
 *   opening --> following
 *   following --> [*]: the task has ended
 *   claiming --> [*]: a newer run has it
 *   proving --> [*]: a newer run has it: what was launched is released
 *   opening --> [*]: a newer run has it
 * ```
 *
 * Guarantees: a target is launched once for each launch that the record counts, even if this scheduler is paused
 * between any two steps. If a scheduler sleeps and then launches a task, the task is still gated while the registry is
 * asked, and the record shows the newer run by then. A task that a newer run has adopted cannot be opened.
 *
 * A run that is told to stop ends when its task has: one that cannot be reached may still run. Only an operator's word
 * that it is gone ends the run without that, and the end of the session, after which others adopt the task.
 *
 * Failures: a request without an answer is repeated until the signal aborts. A task that a dying scheduler leaves
 * behind waits to be adopted. If it is gated, it does nothing before that.
 */
import type { Timer } from '../clock/index.js';
import { type BegunItem, ExecutorDeathError, LeaseLostError, type ShardingContext } from '../domain/index.js';
import { BackOff, repeat } from '../repeat/index.js';
import { isTaskEnd, type TaskState } from './task-state.js';
import { describeTask, TaskBackendError, type TaskHandle, type TaskLink } from './task-backend.js';
import { FollowedTask, type FollowedTaskFacts } from './followed-task.js';
import { graceMsFor, isConfirmedLoss, isLeftAlone, relaunchPauseMs, taskFailure } from './task-outcome.decision.js';
import { orderOf, type RunParts, saveCheckpoint } from './task-run-order.js';
import type { TaskScheduling, TaskSettings } from './task-scheduling.js';

/** Pauses after requests without an answer, in milliseconds. */
const ASK_AGAIN = { firstMs: 1_000, longestMs: 15_000 };
/** How long an end is awaited beyond the task's grace, in milliseconds. */
const END_MARGIN_MS = 2_000;

export class TaskRun {
  private readonly settings: TaskSettings;
  private readonly begunAt: number;
  private task: FollowedTask | undefined;
  /** The task of a former run, while it has the place. */
  private former: FollowedTask | undefined;

  constructor(
    private readonly scheduling: TaskScheduling,
    private readonly context: ShardingContext,
    private readonly begun: BegunItem,
    private readonly token: bigint,
  ) {
    this.settings = scheduling.settingsOf(context.jobName);
    this.begunAt = scheduling.clock.monotonicNow();
  }

  /** The task, once it belongs to this run. */
  get handle(): TaskHandle | undefined {
    return this.task?.handle;
  }

  /** The task of this run, else that of a former run which has the place; undefined if there is neither. */
  get running(): FollowedTaskFacts | undefined {
    return this.task?.facts ?? this.former?.facts;
  }

  /**
   * Resolves when the task has succeeded.
   * @throws {LeaseLostError} if another run has the task
   * @throws {TaskFailedError} if its handler has thrown
   * @throws {ExecutorDeathError} if it has died
   * @throws the reason of the signal; the task has ended by then, unless another scheduler is to follow it
   */
  async follow(): Promise<void> {
    const { signal } = this.context;
    try {
      const handle = await this.claim();
      this.begun.onAdopted();
      await this.open(handle);
      await this.judge(await this.end(handle, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      if (!isLeftAlone(signal.reason, this.scheduling.backend.adopts)) await this.endTask();
      throw signal.reason;
    } finally {
      this.task?.leave();
      this.former?.leave();
    }
  }

  private async claim(): Promise<TaskHandle> {
    const { backend } = this.scheduling;
    const order = await orderOf(this.parts);
    for (;;) {
      const claimed = await this.answered(() => backend.claim(order, this.context.signal));
      if (claimed.kind === 'taken') throw this.lost();
      if (claimed.kind === 'occupied') await this.clear(claimed.by, claimed.hasEnded);
      else {
        const { handle, kind } = claimed;
        // From here on the task ends with the run, in any case.
        const task = (this.task = new FollowedTask(this.scheduling, handle, this.context.source, this.begun.trace));
        if (kind === 'launched') await this.prove(handle);
        task.begin(kind, this.begunAt);
        return handle;
      }
    }
  }

  // Between the begin and the launch a newer run may have launched, settled and released the target.
  private async prove(handle: TaskHandle): Promise<void> {
    if (!(await this.begun.isLatest())) {
      await this.answered(() => this.scheduling.backend.release(handle));
      throw this.lost();
    }
  }

  /** Makes room: another run of the item has begun, so the run of the task in this place is over. */
  private async clear(by: TaskHandle, hasEnded: boolean): Promise<void> {
    const { backend } = this.scheduling;
    if (!(await this.begun.isLatest())) throw this.lost();
    if (!hasEnded) await this.endFormer(by);
    await this.answered(() => backend.release(by));
  }

  /** Ends the task of a former run. If an operator says that it is gone, its place is freed for the next run. */
  private async endFormer(by: TaskHandle): Promise<void> {
    const { backend } = this.scheduling;
    const { signal } = this.context;
    const former = (this.former = new FollowedTask(this.scheduling, by, this.context.source, undefined));
    former.show();
    try {
      await this.answered(() => backend.cancel(by, this.settings.graceMs));
      await this.endOf(by, signal, (state) => former.see(state));
      former.leave();
      this.former = undefined;
    } catch (error) {
      if (signal.aborted && isConfirmedLoss(signal.reason) && former.isUnreachable) await backend.release(by);
      throw error;
    }
  }

  private async open(handle: TaskHandle): Promise<void> {
    const { backend } = this.scheduling;
    const opened = await this.answered(() => backend.open(handle, this.link, this.context.signal));
    if (opened === 'taken') throw this.lost();
  }

  /** Reports every state. @returns the last one */
  private async end(handle: TaskHandle, signal: AbortSignal): Promise<TaskState> {
    return this.endOf(handle, signal, (state) => this.task?.see(state));
  }

  private endOf(
    handle: TaskHandle,
    signal: AbortSignal,
    onState = (_state: TaskState): void => {},
  ): Promise<TaskState> {
    return this.answered(async () => {
      for await (const state of this.scheduling.backend.watch(handle, signal)) {
        onState(state);
        if (isTaskEnd(state)) return state;
      }
      throw new TaskBackendError(this.scheduling.backend.name, 'watch', handle.key, 'it ended before the task');
    }, signal);
  }

  private async judge(state: TaskState): Promise<void> {
    const { backend, clock } = this.scheduling;
    const { jobName, shardingItem, signal } = this.context;
    const { timeoutMs } = this.settings;
    const failure = taskFailure({ jobName, item: shardingItem, timeoutMs, isShared: backend.adopts }, state);
    if (failure === undefined) return;
    if (failure instanceof ExecutorDeathError && failure.isInnocent) {
      const { detail, state: death } = failure;
      this.scheduling.emit({ kind: 'task-lost', ...describeTask(this.handle!), state: death, detail });
      await clock.sleep(relaunchPauseMs(this.begun.launch, clock.random()), signal);
    }
    throw failure;
  }

  /** Tells the task to end. Resolves once it has, or once its end is not to be waited for. */
  private async endTask(): Promise<void> {
    const { task } = this;
    if (task === undefined || task.hasEnded) return;
    const last = this.begun.lastSignal();
    const giveUp = new AbortController();
    const givenUp = new Promise<void>((resolve) => giveUp.signal.addEventListener('abort', () => resolve()));
    let timer: Timer | undefined;
    const isLast = (): void => {
      timer = this.scheduling.clock.setTimer(this.patienceMs(task, last.reason), () => giveUp.abort());
    };
    if (last.aborted) isLast();
    else last.addEventListener('abort', isLast, { once: true });
    try {
      await Promise.race([this.cancel(task, giveUp.signal), givenUp]);
    } finally {
      last.removeEventListener('abort', isLast);
      timer?.cancel();
    }
  }

  /** Never resolves before the task has ended, or the signal aborts. */
  private async cancel({ handle }: FollowedTask, signal: AbortSignal): Promise<void> {
    const { backend } = this.scheduling;
    const graceMs = graceMsFor(this.context.signal.reason, this.settings.graceMs);
    try {
      await this.answered(() => backend.cancel(handle, graceMs), signal);
      await this.end(handle, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** How long the end of a task is still waited for, in milliseconds. @param reason of the last signal */
  private patienceMs(task: FollowedTask, reason: unknown): number {
    const isOver = isConfirmedLoss(reason) ? task.isUnreachable : this.scheduling.backend.adopts;
    return isOver ? 0 : this.settings.graceMs + END_MARGIN_MS;
  }

  /** Repeats a request until it has an answer, after pauses that grow and differ between runs. */
  private answered<T>(ask: () => Promise<T>, signal = this.context.signal): Promise<T> {
    const backOff = new BackOff(this.scheduling.clock, ASK_AGAIN);
    return repeat({ signal, backOff, isRepeated: (error) => error instanceof TaskBackendError }, ask);
  }

  private get link(): TaskLink {
    const { begun } = this;
    return {
      heldForMs: () => begun.heldForMs(),
      lossGraceMs: begun.lossGraceMs,
      isLost: () => begun.isLost(),
      saveCheckpoint: (value) => saveCheckpoint(this.parts, value),
    };
  }

  private get parts(): RunParts {
    const { begun, context, scheduling, settings, token } = this;
    return { scheduling, settings, context, begun, token };
  }

  private lost(): LeaseLostError {
    return new LeaseLostError(this.context.jobName, this.context.shardingItem);
  }
}
