import type { JobName, JobOptions } from '../domain/index.js';
import type { ZooKeeperOptions } from '../registry/index.js';

/** How to read a text. */
export interface ImportSource {
  /** @default 'properties' if the first setting is written with `=`, else 'yaml' */
  readonly format?: 'yaml' | 'properties';
  /** Values of Spring's placeholders (`${ZK_SERVERS}`), such as `process.env`. @default the defaults in the text */
  readonly placeholders?: Readonly<Record<string, string | undefined>>;
  /**
   * The active profiles of Spring, for a text of several documents (`---`, and `#---` in properties). Documents that
   * `spring.config.activate.on-profile` gives to other profiles do not count; later ones go over earlier ones. `[]` is
   * a process without a profile. A file of its own, `application-prod.yml`, goes behind the other one, after a `---`.
   * @default none: a text of several documents is refused
   */
  readonly profiles?: readonly string[];
}

/** The settings of a Java file as options of `ElasticJobModule.forRoot`. */
export interface ImportedConfiguration {
  /**
   * False if `elasticjob.enabled` is not true: Java then starts nothing. `registry` is undefined and `jobs` is empty,
   * and the module is to be left out: `imports: enabled ? [ElasticJobModule.forRoot({ registry, jobs })] : []`.
   */
  readonly enabled: boolean;
  /**
   * The option `registry`; undefined if the text lacks servers or namespace, or a placeholder in them has no value, as
   * `notTakenOver` says. The module refuses `registry: undefined`.
   */
  readonly registry: ImportedRegistry | undefined;
  /**
   * The option `jobs`. An entry with a `type` is a job without a class; any other one goes over the options of the
   * decorated handler of that name. With its name it is also what `JobRegistrar.add` takes.
   */
  readonly jobs: Readonly<Record<JobName, ImportedJob>>;
  /** Settings that are not in the options, and active profiles that no document names, in the order of the text. */
  readonly notTakenOver: readonly NotTakenOver[];
}

export interface ImportedRegistry extends ZooKeeperOptions {
  readonly type: 'zookeeper';
}

export type ImportedJob = Omit<JobOptions, 'name'> & {
  /** The job type of a job without a class: `HTTP`, `SCRIPT`, or one of the application's own. */
  readonly type?: string;
};

/** A setting that has no counterpart, or that needs code. */
export interface NotTakenOver {
  /**
   * `elasticjob.jobs.settleOrders.jobListenerTypes[0]`; in the text of a `config` node the key alone. `profiles` for an
   * active profile.
   */
  readonly path: string;
  /** As the text has it; `(not shown)` if it may be a secret. */
  readonly value: string;
  readonly reason: string;
  /** The way to get the same by other means. */
  readonly remedy: string;
  /** `line 3, column 5`. */
  readonly place: string;
}
