/** How child processes are run. */
export interface LocalProcessesOptions {
  /**
   * Most tasks that run at the same time. A whole number from 1. Further ones wait as QUEUED; their time limit begins
   * with their process.
   * @default the processors of the host
   */
  readonly maxTasks?: number;
  /**
   * How often the processes and the resident memory of each task are read, in milliseconds, from 1. A task that has
   * more than its `resources.memoryMb` is killed. Where there is no `/proc` nothing limits it.
   * @default 500
   */
  readonly memoryPollMs?: number;
  /**
   * Place of the file behind `nestjs-elastic-job/task-supervisor`, if the application is bundled.
   * @default beside this one
   */
  readonly supervisorUrl?: URL;
}
