import type { TaskBackend } from '../../cloud/index.js';
import type { TaskOptions, TaskResources } from '../../domain/index.js';

/** What jobs share that name it. @see ElasticJob-Cloud, application configuration */
export interface TaskApp {
  /** What is not given here is as the backend has it. */
  readonly task?: TaskOptions;
  readonly resources?: Partial<TaskResources>;
}

/** Options of `ElasticJobCloudModule.forRoot`. */
export interface ElasticJobCloudModuleOptions {
  /** What runs tasks: `new LocalProcesses()`. It starts before the jobs, and stops after them. */
  readonly backend: TaskBackend;
  /**
   * Names all schedulers that share these jobs and the backend's machines: their tasks carry it. A text of at most 63
   * letters, digits, `-`, `_` and `.`.
   * @default 'elastic-job'
   */
  readonly cluster?: string;
  /** What holds for every job that does not say it itself. @default { resources: { cpu: 1, memoryMb: 128 } } */
  readonly defaults?: TaskApp;
}
