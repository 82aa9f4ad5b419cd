import { waitUntil } from '../clock/index.js';
import { isLiveTaskState, Listeners } from '../domain/index.js';
import type { TaskState } from './task-state.js';

/** True for a state that a task does not leave any more. */
export function isTaskEnd({ name }: Pick<TaskState, 'name'>): boolean {
  return !isLiveTaskState(name);
}

/** States of one task in order, for any number of watchers. An end is the last state. */
export class TaskHistory {
  /** States that a watcher has not read, for each. */
  private readonly unread = new Set<TaskState[]>();
  private readonly changes = new Listeners<() => void>();
  private ending = (): void => {};
  /** Resolves once the task has ended. */
  readonly ended = new Promise<void>((resolve) => (this.ending = resolve));

  constructor(private latest: TaskState) {}

  get present(): TaskState {
    return this.latest;
  }

  get hasEnded(): boolean {
    return isTaskEnd(this.latest);
  }

  /** Adds the next state, unless the task has ended. */
  add(state: TaskState): void {
    if (this.hasEnded) return;
    this.latest = state;
    for (const unread of this.unread) unread.push(state);
    this.changes.forEach((look) => look());
    if (this.hasEnded) this.ending();
  }

  /** @see TaskBackend.watch */
  async *watch(signal: AbortSignal): AsyncGenerator<TaskState, void, undefined> {
    const unread = [this.latest];
    this.unread.add(unread);
    try {
      for (;;) {
        signal.throwIfAborted();
        await waitUntil(
          () => unread.length > 0,
          (look) => this.changes.add(look),
          { signals: [signal] },
        );
        const state = unread.shift()!;
        yield state;
        if (isTaskEnd(state)) return;
      }
    } finally {
      this.unread.delete(unread);
    }
  }
}
