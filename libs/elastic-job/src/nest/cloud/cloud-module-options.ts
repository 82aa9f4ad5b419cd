import type { CanActivate, Type } from '@nestjs/common';
import type { TaskAllow, TaskBackend } from '../../cloud/index.js';
import type { TaskOptions, TaskResources } from '../../domain/index.js';

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

/** Applications and jobs that operators register in the registry, as in ElasticJob-Cloud. */
export interface CloudTreeOptions {
  /**
   * Where they are registered: a namespace of the jobs' registry, under the same servers, credentials and ACL.
   * @default 'elasticjob-cloud'
   */
  readonly namespace?: string;
}

/** Access to ElasticJob-Cloud's REST interface; give exactly one of the two. */
export interface CloudRestOptions {
  /**
   * The secret that requests carry as header `accessToken`: at least 128 random bits, which are 32 hexadecimal digits
   * or 22 characters of base64url, as `openssl rand -hex 16` prints them. There is no default.
   */
  readonly token?: string;
  /**
   * The application's own guards instead, all of which must let a request through: instances, or classes that are
   * providers of a module or that Nest can instantiate.
   */
  readonly guards?: readonly (CanActivate | Type<CanActivate>)[];
}
