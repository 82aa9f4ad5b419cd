import type { TaskAllow, TaskBackend } from '../../cloud/index.js';
import type { TaskOptions, TaskResources } from '../../domain/index.js';
import type { CloudRestOptions } from './rest/cloud-rest-options.js';
import type { CloudTreeOptions } from './tree/cloud-tree-options.js';

/** Settings that several jobs share. @see ElasticJob-Cloud, application configuration */
export interface TaskApp {
  /** Program of a task; fields that are not given have the backend's defaults. */
  readonly task?: TaskOptions;
  /** Limits of a task; those that are not given have the backend's defaults. */
  readonly resources?: Partial<TaskResources>;
}

/** Options of `ElasticJobCloudModule.forRoot`. */
export interface ElasticJobCloudModuleOptions {
  /** The backend that runs tasks: `new LocalProcesses()`. It starts before the jobs, and stops after them. */
  readonly backend: TaskBackend;
  /**
   * Name of all schedulers that share these jobs and the backend's machines; their tasks carry it. A text of at most 63
   * letters, digits, `-`, `_` and `.`.
   * @default 'elastic-job'
   */
  readonly cluster?: string;
  /** Settings of every job without its own. @default { resources: { cpu: 1, memoryMb: 128 } } */
  readonly defaults?: TaskApp;
  /**
   * Settings by application name, for jobs that name it as their `appName`. They override `defaults`.
   * @default none
   */
  readonly apps?: Readonly<Record<string, TaskApp>>;
  /**
   * Runs the jobs that are registered in ElasticJob-Cloud's tree on every scheduler, as they come and go, and makes
   * `CloudConfigurations` injectable. @default only the jobs of the code
   */
  readonly tree?: CloudTreeOptions;
  /** Programs that tasks of the registry's jobs may run; jobs of the code need no entry. @default nothing */
  readonly allow?: TaskAllow;
  /** ElasticJob-Cloud's REST interface, under `/api` of the application; needs `tree`. @default none */
  readonly rest?: CloudRestOptions;
}
