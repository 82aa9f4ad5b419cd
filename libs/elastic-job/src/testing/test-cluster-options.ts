import type { ElasticJobListener, JobName, JobOptions, TemplateLimits } from '../domain/index.js';
import type { FunctionsProgramOptions, TestJobHandler } from './functions-program.js';
import type { TestModule, TestOverride } from './nest/index.js';

/** Settings of the whole cluster. */
export interface TestClusterSettings {
  /** Number of instances that start together. */
  readonly instances: number;
  /** How long the registry keeps a dead instance's session, in milliseconds. @default 10_000 */
  readonly sessionTimeoutMs?: number;
  /** Time from a request to its answer, in milliseconds of virtual time. @default 1 */
  readonly latencyMs?: number;
  /** Seed of every random number. @default 1 */
  readonly seed?: number;
  /** Start of the wall clock, in milliseconds since the epoch. */
  readonly wall?: number;
}

/** A cluster whose jobs are plain functions. */
export interface TestFunctions extends FunctionsProgramOptions {
  readonly jobs: readonly TestJobOptions[];
  /** Templates from which jobs are created (`JobOperateApi.create`) while the cluster runs. @default none */
  readonly templates?: readonly TestTemplateOptions[];
  readonly module?: undefined;
  readonly overrides?: undefined;
}

/** A cluster of Nest applications, one for each instance. It needs `@nestjs/testing`. */
export interface TestApplications {
  /**
   * Root module of the applications, which imports `ElasticJobModule`, or a function that makes one for each instance.
   * Registry and clock come from the cluster, whatever the module's options say.
   */
  readonly module: TestModule;
  /**
   * Providers in the place of the applications' own: `[{ provide: Store, useValue: fake }]`, as in `providers` of a
   * module. All instances have the same value; a class or a factory makes one for each. @default none
   */
  readonly overrides?: readonly TestOverride[];
  readonly jobs?: undefined;
  readonly templates?: undefined;
}

export type TestClusterOptions = TestClusterSettings & (TestFunctions | TestApplications);

/** A job as a plain function. */
export interface TestJobOptions extends JobOptions {
  readonly name: JobName;
  /** Gets the context, and the process in which it runs. */
  readonly handler: TestJobHandler;
  /** Listeners around the runs of every instance. @default none */
  readonly listeners?: readonly ElasticJobListener[];
}

/** A template of jobs as a plain function. */
export interface TestTemplateOptions
  extends Omit<JobOptions, 'name' | 'shardingTotalCount' | 'overwrite'>, TemplateLimits {
  readonly name: string;
  /** Gets the context, and the process in which it runs. */
  readonly handler: TestJobHandler;
}
