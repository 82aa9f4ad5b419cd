import { isLiveTaskState } from '../domain/index.js';
import type { TaskState } from './task-state.js';

/** True for a state that a task does not leave any more. */
export function isTaskEnd({ name }: Pick<TaskState, 'name'>): boolean {
  return !isLiveTaskState(name);
}

interface Watcher {
  readonly unread: TaskState[];
  wake: () => void;
}

/** States of one task in order, for any number of watchers. An end is the last state. */
export class TaskHistory {
  private readonly watchers = new Set<Watcher>();
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
    for (const watcher of this.watchers) {
      watcher.unread.push(state);
      watcher.wake();
    }
    if (this.hasEnded) this.ending();
  }

  /** @see TaskBackend.watch */
  async *watch(signal: AbortSignal): AsyncGenerator<TaskState, void, undefined> {
    const watcher: Watcher = { unread: [this.latest], wake: () => {} };
    this.watchers.add(watcher);
    const wake = (): void => watcher.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const state = watcher.unread.shift();
        if (state === undefined) await new Promise<void>((resolve) => (watcher.wake = resolve));
        else yield state;
        if (state !== undefined && isTaskEnd(state)) return;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.watchers.delete(watcher);
    }
  }
}
