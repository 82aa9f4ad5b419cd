import { inOwnContext } from '../async-context/index.js';
import { Deadline } from '../clock/index.js';
import { describeTask, type TaskHandle } from './task-backend.js';
import type { TaskScheduling } from './task-scheduling.js';

/** Most bytes of a task's output in its release event. */
const TAIL_BYTES = 65_536;
/** Longest wait for a task's output, in milliseconds. */
const TAIL_LIMIT_MS = 5_000;

/**
 * Frees the place of a task that is not followed any more, and reports the end of its output, if the backend gives it.
 */
export async function releaseTask(scheduling: TaskScheduling, handle: TaskHandle): Promise<void> {
  const tail = await readTail(scheduling, handle);
  await scheduling.backend.release(handle);
  scheduling.emit({ kind: 'task-released', ...describeTask(handle), tail });
}

/** Never rejects: a task without a readable output is released all the same. */
async function readTail({ backend, clock }: TaskScheduling, handle: TaskHandle): Promise<string | undefined> {
  let tail: unknown;
  const read = async (): Promise<void> => {
    tail = await inOwnContext(() => backend.tail(handle, TAIL_BYTES));
  };
  await Deadline.after(clock, TAIL_LIMIT_MS)
    .holdsFor(read())
    .catch(() => {});
  return typeof tail === 'string' ? tail.slice(-TAIL_BYTES) : undefined;
}
