/**
 * A backend runs tasks, each in a process of its own. The port promises only what every such system can, and a
 * scheduler needs nothing else.
 *
 * ```mermaid
 * stateDiagram-v2
 *   [*] --> gated: claim, launched
 *   gated --> open: open
 *   open --> ended: it ends by itself, or by cancel
 *   gated --> ended: cancel
 *   ended --> [*]: release
 *   gated --> gated: claim with a newer token, adopted
 *   open --> open: claim with a newer token, adopted
 * ```
 *
 * Guarantees:
 * - At most one task of a key exists at a time. It exists from `claim` until `release`, ended or not.
 * - A task does nothing before it was opened.
 * - Of several claims of one task the one with the greatest token holds it. Former holders cannot open, cancel or
 *   release it any more.
 * - An ended task stays readable until it is released, so "absent" means "never launched, or released".
 *
 * Failures: every call may throw `TaskBackendError`, and may have had its effect all the same; each can be repeated.
 */
import type { Clock } from '../clock/index.js';
import { ElasticJobError } from '../domain/index.js';
import type { TaskKey, TaskOrder, TaskTarget, TaskTemplate } from './task-order.js';
import type { TaskState } from './task-state.js';

/** An existing task, as one holder knows it. */
export interface TaskHandle {
  readonly key: TaskKey;
  readonly target: TaskTarget;
  readonly run: string;
  /** Of the holder. */
  readonly token: bigint;
  /** Unique for each launch: a pod's uid, or its counterpart. */
  readonly uid: string;
  /** Its machine, once known. */
  readonly node?: string;
  /** True if it does nothing yet. */
  readonly isGated: boolean;
}

/** The result of a claim. */
export type Claimed =
  /** The task was created, and is gated. */
  | { readonly kind: 'launched'; readonly handle: TaskHandle }
  /** The task existed, for the same target and launch; this holder has it now. */
  | { readonly kind: 'adopted'; readonly handle: TaskHandle }
  /** A task of another target or launch has the place. `hasEnded`: it only waits for its release. */
  | { readonly kind: 'occupied'; readonly by: TaskHandle; readonly hasEnded: boolean }
  /** Another claim with a greater token has the task. */
  | { readonly kind: 'taken' };

/** Services that a backend may use while it runs. */
export interface TaskHost {
  readonly clock: Clock;
  /** The cluster whose tasks `list` returns. */
  readonly cluster: string;
  /** Reports an event, in order. Must not throw. */
  emit(event: TaskBackendEvent): void;
}

/** Events of a backend itself. */
export type TaskBackendEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly error: unknown }
  | { readonly kind: 'warning'; readonly message: string };

/** Connection between an open task and its scheduler, for backends that have one. */
export interface TaskLink {
  /**
   * How long the scheduler may still act for the item without further news, in milliseconds; 0: not now, or no longer.
   * It goes on after a cancel: the item is the scheduler's until the task has ended.
   */
  heldForMs(): number;
  /**
   * How long others leave the item alone after that, in milliseconds. A backend that does not adopt has killed the task
   * by then, whatever its grace.
   */
  readonly lossGraceMs: number;
  /** True once others may have the item: the task must end, within `lossGraceMs` after the last grant. */
  isLost(): boolean;
  /** @throws {LeaseLostError} if this run may no longer act for the item */
  saveCheckpoint(value: unknown): Promise<void>;
}

/** Runs tasks. One contract suite in `test/contract/tasks` holds for every adapter. */
export interface TaskBackend {
  /** For people and metrics: `processes`, `kubernetes`. */
  readonly name: string;
  /** True if tasks outlive their scheduler, and another one can claim them. */
  readonly adopts: boolean;
  /** True if an open task and its scheduler can talk, so that checkpoints are saved while it runs. */
  readonly hasLink: boolean;
  /** Shortest useful distance of fire times, in milliseconds; faster jobs should be resident. */
  readonly leastIntervalMs: number;
  /**
   * Most tasks that run for one scheduler at the same time, for people.
   * @default no limit of its own
   */
  readonly mostTasks?: number | undefined;
  /** Finds the fault of a template, when a job is defined; undefined if there is none. */
  findFault(template: TaskTemplate): string | undefined;
  /** Starts it, once until it is stopped. Rejects if it cannot be started, or is stopped meanwhile. */
  start(host: TaskHost): Promise<void>;
  /** Claims a task. Idempotent: the same order again finds its own task, as launched or as adopted. */
  claim(order: TaskOrder, signal?: AbortSignal): Promise<Claimed>;
  /** Lets the task begin. `taken`: another claim with a greater token holds it. */
  open(handle: TaskHandle, link: TaskLink, signal?: AbortSignal): Promise<'opened' | 'taken'>;
  /** Yields the states from the present one on. Returns after an end, or throws the signal's reason. */
  watch(handle: TaskHandle, signal: AbortSignal): AsyncIterable<TaskState>;
  /**
   * Tells the task to end, and kills it after the grace. Resolves once the task was told, or once it will be as soon as
   * it can be reached. @param graceMs milliseconds
   */
  cancel(handle: TaskHandle, graceMs: number): Promise<void>;
  /** The end of its output; undefined if it is unknown. @param bytes most bytes */
  tail(handle: TaskHandle, bytes: number): Promise<string | undefined>;
  /**
   * Frees the place. Call it only after the run is settled in the registry. A task that still runs is ended without
   * grace, and one that is UNREACHABLE may live on: release it only if an operator says that it is gone.
   */
  release(handle: TaskHandle): Promise<void>;
  /** All existing tasks of the cluster. */
  list(signal?: AbortSignal): AsyncIterable<TaskHandle>;
  /** Stops the backend, also while it starts. Tasks of a backend that does not adopt end with it. */
  stop(): Promise<void>;
}

/** A task in the form of events. */
export function describeTask({ key, node, target, uid }: TaskHandle) {
  const { item, jobName } = key;
  const { fireTime, launch } = target;
  return { jobName, item, task: { fireTime, launch, uid, node } };
}

/**
 * A backend failed to do what it was asked for, or did not answer: the request may have had its effect all the same.
 * @remarks Check the backend. The request may have had its effect, and may be repeated.
 */
export class TaskBackendError extends ElasticJobError {
  readonly code = 'TASK_BACKEND';

  /**
   * @param backend its name
   * @param request the request: `claim`
   * @param key of the task; undefined if the request was for no single one
   */
  constructor(
    readonly backend: string,
    readonly request: string,
    readonly key: TaskKey | undefined,
    detail: string,
    options?: ErrorOptions,
  ) {
    const of = key === undefined ? '' : ` of item ${key.item} of job "${key.jobName}"`;
    super(`${backend}: ${request}${of} had no answer: ${detail}; it can be repeated.`, options);
  }
}
