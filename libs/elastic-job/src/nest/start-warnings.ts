import { fewNames } from '../domain/index.js';
import type { EventLine } from './line-text.js';
import type { ElasticJobModuleOptions } from './module-options.js';
import { findLoopbackWarning } from './loopback-warning.js';

/** Facts about an application whose start is over. */
interface StartFacts {
  /** True if it has jobs or templates, or takes jobs from a tree. */
  readonly hasJobs: boolean;
  /** The address or name under which its host registers. */
  readonly host: string;
  readonly registry: ElasticJobModuleOptions['registry'];
}

const NO_JOB =
  'no job: no provider of this application has @ElasticJob, and the option jobs has none; list the class in ' +
  '"providers" of an imported module, or set processing: false if this process is to run none';

/** Warnings of a process that is to run jobs. */
export function findStartWarnings({ hasJobs, host, registry }: StartFacts): readonly string[] {
  const loopback = findLoopbackWarning(host, registry);
  return [...(hasJobs ? [] : [NO_JOB]), ...(loopback === undefined ? [] : [loopback])];
}

/**
 * The line of classes with jobs that are no providers. It is no warning: an application of a monorepo loads the jobs of
 * others by an index file.
 */
export function unprovidedLine(names: readonly string[]): EventLine | undefined {
  if (names.length === 0) return undefined;
  const text = `classes with jobs that are no providers of this application: ${fewNames(names)}`;
  return {
    level: 'log',
    text: `${text}; list them in "providers" of an imported module if their jobs are to run here`,
  };
}
