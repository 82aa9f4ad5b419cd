import type { TaskHandle, TaskState } from '../../cloud/index.js';

/**
 * An effect on a task. `started`: it is RUNNING for the first time. `ended`: its process does nothing any more, though
 * no watcher may know yet.
 */
export type MemoryTaskEvent =
  | { readonly kind: 'launched' | 'adopted' | 'opened' | 'started' | 'released'; readonly handle: TaskHandle }
  | { readonly kind: 'ended'; readonly handle: TaskHandle; readonly state: TaskState };
