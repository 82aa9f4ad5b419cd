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
 * Failures: a request without an answer is repeated until the signal aborts. A task that a dying scheduler leaves
 * behind is either gated, and never runs, or open, and is adopted.
 */
import {
  type BegunItem,
  ExecutorDeathError,
  LeaseLostError,
  triggerIdOf,
  type ShardingContext,
} from '../domain/index.js';
import { isTaskEnd } from './task-history.js';
import { TRACEPARENT } from './task-envelope.rules.js';
import { formatTaskEnvelope } from './task-envelope-text.js';
import { TaskBackendError } from './task-backend.error.js';
import { FollowedTask, type FollowedTaskFacts } from './followed-task.js';
import { describeTask, type TaskHandle, type TaskLink } from './task-backend.js';
import type { TaskEnvelope } from './task-envelope.js';
import type { TaskAnswers, TaskOrder } from './task-order.js';
import { isLeftAlone, relaunchPauseMs, taskFailure } from './task-outcome.decision.js';
import type { TaskScheduling, TaskSettings } from './task-scheduling.js';
import type { TaskState } from './task-state.js';

/** Pause after a request without an answer, in milliseconds. */
const ASK_AGAIN_MS = 1_000;
/** How long an end is awaited beyond the task's grace, in milliseconds. */
const END_MARGIN_MS = 2_000;

export class TaskRun {
  private readonly settings: TaskSettings;
  private readonly begunAt: number;
  private task: FollowedTask | undefined;

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

  /** The task for other readers; undefined before it belongs to this run. */
  get running(): FollowedTaskFacts | undefined {
    return this.task?.facts;
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
      await this.open(handle);
      await this.judge(await this.end(handle, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      if (!isLeftAlone(signal.reason, this.scheduling.backend.adopts)) await this.endTask();
      throw signal.reason;
    } finally {
      this.task?.leave();
    }
  }

  private async claim(): Promise<TaskHandle> {
    const { backend } = this.scheduling;
    const order = await this.order();
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
    if (!hasEnded) {
      await this.answered(() => backend.cancel(by, this.settings.graceMs));
      await this.endOf(by, this.context.signal);
    }
    await this.answered(() => backend.release(by));
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

  private endOf(handle: TaskHandle, signal: AbortSignal, hear = (_state: TaskState): void => {}): Promise<TaskState> {
    return this.answered(async () => {
      for await (const state of this.scheduling.backend.watch(handle, signal)) {
        hear(state);
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
      await clock.sleep(relaunchPauseMs(this.begun.launch), signal);
    }
    throw failure;
  }

  /** Ends the task if it can be reached. For one that cannot, an operator has confirmed that it is gone. */
  private async endTask(): Promise<void> {
    const { handle, task } = this;
    const { backend, clock } = this.scheduling;
    const { graceMs } = this.settings;
    const latest = task?.state;
    if (handle === undefined || latest?.name === 'UNREACHABLE' || (latest && isTaskEnd(latest))) return;
    const deadline = new AbortController();
    const timer = clock.setTimer(graceMs + END_MARGIN_MS, () => deadline.abort());
    try {
      await this.answered(() => backend.cancel(handle, graceMs), deadline.signal);
      await this.end(handle, deadline.signal);
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Repeats a request until it has an answer. */
  private async answered<T>(ask: () => Promise<T>, signal = this.context.signal): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof TaskBackendError) || signal.aborted) throw error;
        await this.scheduling.clock.sleep(ASK_AGAIN_MS, signal);
      }
    }
  }

  private get link(): TaskLink {
    const { checkpoint } = this.context;
    return {
      heldForMs: () => this.begun.heldForMs(),
      saveCheckpoint: (value) => (value === null ? checkpoint.clear() : checkpoint.save(value)), // Null clears it.
    };
  }

  private async order(): Promise<TaskOrder> {
    const { begun, context, settings, token } = this;
    const { graceMs, resources, template, timeoutMs } = settings;
    const { jobName, shardingItem: item } = context;
    const checkpoint = this.scheduling.backend.hasLink ? await context.checkpoint.load() : undefined;
    return {
      key: { cluster: this.scheduling.cluster, jobName, item },
      target: { fireTime: begun.target.fireTime, origin: begun.target.origin, launch: begun.launch },
      run: begun.run,
      token,
      template,
      traceparent: this.traceparent,
      resources,
      envelope: (answers) => formatTaskEnvelope({ ...answers, ...this.envelope, checkpoint }),
      timeoutMs,
      graceMs,
    };
  }

  private get envelope(): Omit<TaskEnvelope, 'checkpoint' | keyof TaskAnswers> {
    const { begun, context, settings, token } = this;
    const { graceMs, knownAs, retries, timeoutMs } = settings;
    const { origin, parameters } = begun.target;
    const id = triggerIdOf(origin);
    return {
      v: 1,
      jobName: context.jobName,
      template: knownAs,
      taskId: context.taskId,
      shardingTotalCount: context.shardingTotalCount,
      jobParameter: context.jobParameter,
      shardingItem: context.shardingItem,
      shardingParameter: context.shardingParameter,
      fireTime: context.fireTime.getTime(),
      source: context.source,
      trigger: id === undefined ? 'schedule' : { id, parameters },
      attempt: context.attempt,
      launch: begun.launch,
      token: `${token}`,
      tokenEpoch: context.tokenEpoch,
      run: begun.run,
      props: context.props,
      retries,
      timeoutMs,
      graceMs,
      traceparent: this.traceparent,
    };
  }

  private get traceparent(): string | undefined {
    const text = this.begun.trace?.traceparent;
    return text !== undefined && TRACEPARENT.test(text) ? text : undefined;
  }

  private lost(): LeaseLostError {
    return new LeaseLostError(this.context.jobName, this.context.shardingItem);
  }
}
