import type { TaskHandle } from './task-backend.js';
import type { TaskState } from './task-state.js';

/** What a scheduler tells of one task. */
export type TaskRunEvent =
  /** It was made, and will be opened. */
  | { readonly kind: 'task-launched'; readonly handle: TaskHandle }
  /** Another scheduler has launched it; this one follows it from now on. */
  | { readonly kind: 'task-adopted'; readonly handle: TaskHandle }
  /** The backend has no room for it yet. */
  | { readonly kind: 'task-queued'; readonly handle: TaskHandle; readonly detail: string | undefined }
  | { readonly kind: 'task-state'; readonly handle: TaskHandle; readonly state: TaskState }
  /** It is settled and gone. `tail`: the end of what it has written. */
  | { readonly kind: 'task-released'; readonly handle: TaskHandle; readonly tail: string | undefined };
