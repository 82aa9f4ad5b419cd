import { placeOf, type TaskEndName, type TaskKey, type TaskState } from '../../cloud/index.js';
import type { MemoryTask } from './memory-task.js';
import type { MemoryTaskScript } from './memory-task-script.js';
import { type MemoryTaskClusterOptions, type MemoryTaskLaunch, MemoryTaskStore } from './memory-task-store.js';
import { MemoryTasks } from './memory-tasks.js';
import type { TaskHold, TaskHoldOptions, TaskRequest } from './task-holds.js';

/**
 * The tasks of a cluster, which outlive its schedulers. Each scheduler gets a backend of its own from `backend`.
 *
 * It records what has begun, and violations: two tasks of one key that both do something, and a second beginning of one
 * launch of a target.
 *
 * ```ts
 * const tasks = new MemoryTaskCluster({ clock });
 * tasks.script('settle-orders', async ({ clock, signal }) => clock.sleep(5_000, signal));
 * const held = tasks.holdNext('open', { at: 'after' });
 * // ... a scheduler that uses tasks.backend() begins an item
 * await held.reached;
 * held.fail(); // the task runs, and its scheduler does not know
 * ```
 */
export class MemoryTaskCluster {
  private readonly store: MemoryTaskStore;
  private backends = 0;

  constructor(options: MemoryTaskClusterOptions) {
    this.store = new MemoryTaskStore(options);
  }

  /** Tasks that have begun, in order. */
  get launches(): readonly MemoryTaskLaunch[] {
    return this.store.launches;
  }

  /** Violations, as sentences. */
  get violations(): readonly string[] {
    return this.store.violations;
  }

  /** A backend for one more scheduler. @param scheduler its name, for holds @default s1, s2 ... */
  backend(scheduler = `s${(this.backends += 1)}`): MemoryTasks {
    return new MemoryTasks(this.store, scheduler);
  }

  /** Sets the program of a job's tasks that are opened from now on. */
  script(jobName: string, script: MemoryTaskScript): void {
    this.store.scripts.set(jobName, script);
  }

  /** Holds the next request of the kind. */
  holdNext(request: TaskRequest, options?: TaskHoldOptions): TaskHold {
    return this.store.holds.hold(request, options);
  }

  /** From now on there is no room: tasks that are opened wait as QUEUED. */
  noRoom(): void {
    this.store.setRoom(false);
  }

  /** There is room again: the tasks that have waited begin, in the order in which they were opened. */
  makeRoom(): void {
    this.store.setRoom(true);
  }

  /** Ends a task from outside, for example by the loss of its machine. */
  end(key: TaskKey, state: TaskState & { readonly name: TaskEndName }): void {
    this.taskAt(key).endFor(state);
  }

  /** From now on the task's state is unknown, and no request reaches its process, which goes on. */
  unreachable(key: TaskKey): void {
    this.taskAt(key).hide();
  }

  /** The process of a task that is unreachable ends. Nobody sees that until it is reachable again. */
  endUnseen(key: TaskKey, state: TaskState & { readonly name: TaskEndName }): void {
    this.taskAt(key).end(state);
  }

  /** The task's present state can be seen again. */
  reachable(key: TaskKey): void {
    this.taskAt(key).show();
  }

  /** Removes a task from the store by force: its place is free, and its process lives for at most its grace. */
  remove(key: TaskKey): void {
    const task = this.taskAt(key);
    this.store.places.delete(placeOf(key));
    task.vanish();
  }

  /** True while a task of the key does something, in the store or outside of it. */
  isAlive(key: TaskKey): boolean {
    return this.store.isAlive(key);
  }

  /** @throws if there was a violation */
  assertSound(): void {
    if (this.violations.length > 0) throw new Error(this.violations.join('\n'));
  }

  private taskAt(key: TaskKey): MemoryTask {
    const task = this.store.places.get(placeOf(key));
    if (task === undefined) throw new Error(`There is no task of item ${key.item} of job "${key.jobName}".`);
    return task;
  }
}
