import type { ExecutionSource, ItemTrace, RunningTask, TaskBackendStatus } from '../domain/index.js';
import { describeTask, type TaskHandle } from './task-backend.js';
import { isTaskEnd, type TaskState } from './task-state.js';
import type { TaskDisplay, TaskScheduling } from './task-scheduling.js';

/** A task that this scheduler follows, and its item. */
export type FollowedTaskFacts = TaskBackendStatus['tasks'][number];

/** The task of a run while a scheduler follows it: its states become events, and are shown to operators. */
export class FollowedTask {
  private latest: TaskState | undefined;
  private since = 0;
  private isBegun = false;
  private isAdopted = false;
  private display: TaskDisplay | undefined;
  /** On the monotonic clock; undefined once it has run, or if another scheduler has launched it. */
  private awaitedSince: number | undefined;

  constructor(
    private readonly scheduling: TaskScheduling,
    readonly handle: TaskHandle,
    private readonly source: ExecutionSource,
    private readonly trace: ItemTrace | undefined,
  ) {}

  get hasEnded(): boolean {
    return this.latest !== undefined && isTaskEnd(this.latest);
  }

  /** True while its state is unknown: it may still run. */
  get isUnreachable(): boolean {
    return this.latest?.name === 'UNREACHABLE';
  }

  /** Undefined before the begin. */
  get facts(): FollowedTaskFacts | undefined {
    const { jobName, item } = this.handle.key;
    return this.isBegun ? { jobName, item, ...this.shown } : undefined;
  }

  /** Starts to follow the task. @param begunAt begin of its run, on the monotonic clock */
  begin(how: 'launched' | 'adopted', begunAt: number): void {
    const { handle, scheduling } = this;
    this.isAdopted = how === 'adopted';
    if (how === 'launched') this.awaitedSince = begunAt;
    scheduling.emit({ kind: `task-${how}`, ...describeTask(handle) });
    this.show();
    this.reportTrace();
  }

  /** Shows it to operators. */
  show(): void {
    const { handle, scheduling } = this;
    this.isBegun = true;
    this.since = scheduling.clock.wallNow();
    this.display = scheduling.displayOf?.(handle.key);
    this.display?.show(this.shown);
  }

  /** Reports a state, unless it is known. */
  see(state: TaskState): void {
    const former = this.latest;
    this.latest = state;
    if (former?.name === state.name && former.detail === state.detail) return;
    const { clock } = this.scheduling;
    if ((former?.name ?? 'STAGING') !== state.name) this.since = clock.wallNow();
    this.report(state);
    if (isTaskEnd(state)) this.reportTrace();
    this.display?.show(this.shown);
  }

  /** Stops to follow it: it has ended, or belongs to another scheduler. */
  leave(): void {
    this.display?.hide();
  }

  private report({ detail, name }: TaskState): void {
    const { awaitedSince, scheduling } = this;
    const task = describeTask(this.handle);
    if (name === 'QUEUED') return scheduling.emit({ kind: 'task-queued', ...task, detail });
    const isStart = name === 'RUNNING' && awaitedSince !== undefined;
    if (isStart) this.awaitedSince = undefined;
    const startedAfterMs = isStart ? scheduling.clock.monotonicNow() - awaitedSince : undefined;
    scheduling.emit({ kind: 'task-state', ...task, state: name, detail, ...(isStart && { startedAfterMs }) });
  }

  private reportTrace(): void {
    const { node } = this.handle;
    const { backend, id, launch, state } = this.shown;
    const exitCode = this.latest?.exitCode;
    this.trace?.task({ id, backend, launch, isAdopted: this.isAdopted, node, state, exitCode });
  }

  private get shown(): RunningTask {
    const { node, run, target, uid } = this.handle;
    const { detail, name = 'STAGING' } = this.latest ?? {};
    return {
      id: uid,
      backend: this.scheduling.backend.name,
      run,
      launch: target.launch,
      source: this.source,
      state: name,
      since: this.since,
      ...(detail !== undefined && { detail }),
      ...(node !== undefined && { node }),
    };
  }
}
