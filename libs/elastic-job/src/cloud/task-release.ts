import { describeTask, type TaskHandle } from './task-backend.js';
import type { TaskScheduling } from './task-scheduling.js';

/** Most bytes of a task's output in its release event. */
const TAIL_BYTES = 65_536;

/** Frees the place of a task that is not followed any more, and reports the end of its output. */
export async function releaseTask(scheduling: TaskScheduling, handle: TaskHandle): Promise<void> {
  const { backend } = scheduling;
  const tail = await backend.tail(handle, TAIL_BYTES).catch(() => undefined);
  await backend.release(handle);
  scheduling.emit({ kind: 'task-released', ...describeTask(handle), tail });
}
