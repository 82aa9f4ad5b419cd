import type { TaskAllow, TaskBackend } from '../../cloud/index.js';
import type { TaskOptions, TaskResources } from '../../domain/index.js';
import type { CloudRestOptions } from './rest/cloud-rest-options.js';
import type { CloudTreeOptions } from './tree/cloud-tree-options.js';

/** Settings that several jobs share. @see ElasticJob-Cloud, application configuration */
export interface TaskApp {
  /** Fields that are not given have the backend's defaults. */
  readonly task?: TaskOptions;
  readonly resources?: Partial<TaskResources>;
}

/** Options of `ElasticJobCloudModule.forRoot`. */
export interface ElasticJobCloudModuleOptions {
  /** The backend that runs tasks: `new LocalProcesses()`. It starts before the jobs, and stops after them. */
  readonly backend: TaskBackend;
  /**
   * Names all schedulers that share these jobs and the backend's machines: their tasks carry it. A text of at most 63
   * letters, digits, `-`, `_` and `.`.
   * @default 'elastic-job'
   */
  readonly cluster?: string;
  /** Settings of every job that has none of its own. @default { resources: { cpu: 1, memoryMb: 128 } } */
  readonly defaults?: TaskApp;
  /**
   * By name: what jobs share that name it as their `appName`. It goes over `defaults`.
   * @default none
   */
  readonly apps?: Readonly<Record<string, TaskApp>>;
  /**
   * With it, jobs that are registered in ElasticJob-Cloud's tree come and go on every scheduler, and
   * `CloudConfigurations` can be injected. @default only the jobs of the code
   */
  readonly tree?: CloudTreeOptions;
  /** Programs that jobs of the registry may have tasks run; jobs of the code need no entry. @default nothing */
  readonly allow?: TaskAllow;
  /** REST as ElasticJob-Cloud has it, under `/api` of the application; needs `tree`. @default there is none */
  readonly rest?: CloudRestOptions;
}
