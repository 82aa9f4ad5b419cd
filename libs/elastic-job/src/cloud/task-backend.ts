/**
 * A backend runs tasks, each in a process of its own. The port knows what every such system can promise, and a
 * scheduler needs nothing else of it.
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
 * - Of several claims of one task the one with the greatest token holds it. Whoever held it before cannot open, cancel
 *   or release it any more.
 * - What has ended stays readable until it is released, so "absent" means "never launched, or released".
 *
 * Failures: every call may throw `TaskBackendError`, and may have had its effect all the same; each can be repeated.
 */
import type { Clock } from '../clock/index.js';
import type { TaskKey, TaskOrder, TaskTarget, TaskTemplate } from './task-order.js';
import type { TaskState } from './task-state.js';

/** A task that exists, as one holder knows it. */
export interface TaskHandle {
  readonly key: TaskKey;
  readonly target: TaskTarget;
  readonly run: string;
  /** Of the holder. */
  readonly token: bigint;
  /** Unique for each launch: a pod's uid, or what stands for it. */
  readonly uid: string;
  /** The machine that it runs on, once that is known. */
  readonly node?: string;
  /** It does nothing yet. */
  readonly isGated: boolean;
}

/** The result of a claim. */
export type Claimed =
  /** The task is made, and is gated. */
  | { readonly kind: 'launched'; readonly handle: TaskHandle }
  /** It was there, for the same target and launch: it is this holder's now. */
  | { readonly kind: 'adopted'; readonly handle: TaskHandle }
  /** A task of another target or launch holds the place. `hasEnded`: it waits for its release alone. */
  | { readonly kind: 'occupied'; readonly by: TaskHandle; readonly hasEnded: boolean }
  /** Somebody has claimed the task with a greater token. */
  | { readonly kind: 'taken' };

/** Services that a backend may use while it runs. */
export interface TaskHost {
  readonly clock: Clock;
  /** The cluster whose tasks `list` names. */
  readonly cluster: string;
  /** Told in the order in which it happens. Must not throw. */
  emit(event: TaskBackendEvent): void;
}

/** News of a backend about itself. */
export type TaskBackendEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly error: unknown }
  | { readonly kind: 'warning'; readonly message: string };

/** The line between an open task and its scheduler, for backends that have one. */
export interface TaskLink {
  /**
   * How long the scheduler may still act for the item without hearing anything new, in milliseconds; 0: not any more.
   */
  heldForMs(): number;
  /** @throws {LeaseLostError} if the item may no longer be acted for */
  saveCheckpoint(value: unknown): Promise<void>;
}

/** Runs tasks. One contract suite in `test/contract/tasks` holds for every adapter. */
export interface TaskBackend {
  /** For people and metrics: `processes`, `kubernetes`. */
  readonly name: string;
  /** Tasks outlive their scheduler, and another one can claim them. */
  readonly adopts: boolean;
  /** An open task and its scheduler can talk: checkpoints are saved while it runs. */
  readonly hasLink: boolean;
  /** Jobs whose fire times come faster than this are better resident. In milliseconds. */
  readonly leastIntervalMs: number;
  /**
   * The most tasks that run for one scheduler at the same time, for people.
   * @default no limit of its own
   */
  readonly mostTasks?: number | undefined;
  /** Says what is wrong with a template; undefined: nothing. Asked when a job is defined. */
  findFault(template: TaskTemplate): string | undefined;
  start(host: TaskHost): Promise<void>;
  /** Idempotent: the same order again finds its own task, as launched or as adopted. */
  claim(order: TaskOrder, signal?: AbortSignal): Promise<Claimed>;
  /** Lets the task begin. `taken`: somebody holds it with a greater token. */
  open(handle: TaskHandle, link: TaskLink, signal?: AbortSignal): Promise<'opened' | 'taken'>;
  /** Starts with the present state; ends after an end was told, or with the signal, by its reason. */
  watch(handle: TaskHandle, signal: AbortSignal): AsyncIterable<TaskState>;
  /** Tells the task to end, and kills it after the grace. Resolves once it was told. @param graceMs milliseconds */
  cancel(handle: TaskHandle, graceMs: number): Promise<void>;
  /** The end of what it has written; undefined: nothing is known. @param bytes the most */
  tail(handle: TaskHandle, bytes: number): Promise<string | undefined>;
  /** Frees the place. Only once the run is settled in the registry. Ends a task that still runs, without grace. */
  release(handle: TaskHandle): Promise<void>;
  /** All tasks of the cluster that exist. */
  list(signal?: AbortSignal): AsyncIterable<TaskHandle>;
  /** Tasks of a backend that does not adopt end with it. */
  stop(): Promise<void>;
}

/** A task, as events name it. */
export function describeTask({ key, node, target, uid }: TaskHandle) {
  const { item, jobName } = key;
  const { fireTime, launch } = target;
  return { jobName, item, task: { fireTime, launch, uid, node } };
}
