/** Tasks in memory only, on the clock of a test, for several schedulers of one cluster. */
export type {
  MemoryTaskContext,
  MemoryTaskRun,
  MemoryTaskScript,
  MemoryTaskStep,
  MemoryTaskEvent,
} from './memory-task-script.js';
export { MemoryTaskCluster } from './memory-task-cluster.js';
export type { MemoryTaskClusterOptions, MemoryTaskLaunch } from './memory-task-store.js';
export type { MemoryTasks } from './memory-tasks.js';
export type { TaskHold, TaskHoldOptions, TaskRequest } from './task-holds.js';
