import { describeTask, type TaskHandle } from './task-backend.js';
import type { TaskScheduling } from './task-scheduling.js';

/** The bytes of a task's output that are told as it is released. */
const TAIL_BYTES = 65_536;

/** Frees the place of a task that nobody follows any more, and tells the end of its output. */
export async function releaseTask(scheduling: TaskScheduling, handle: TaskHandle): Promise<void> {
  const { backend } = scheduling;
  const tail = await backend.tail(handle, TAIL_BYTES).catch(() => undefined);
  await backend.release(handle);
  scheduling.emit({ kind: 'task-released', ...describeTask(handle), tail });
}
