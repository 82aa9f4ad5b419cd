import { show } from '../domain/index.js';
import { isProduction } from './is-production.js';
import type { ElasticJobModuleOptions } from './module-options.js';

const FORMS =
  '{ registry: { type: "zookeeper", servers, namespace } }, or { registry: { type: "memory" } } for one process alone';

/** Facts of the application by which missing options are judged. */
export interface OptionsOrigin {
  /** True in a task, which has no registry. */
  readonly isInTask?: true | undefined;
  /** True for `forRootAsync`: nobody sees in the code what is given. */
  readonly isFromFactory?: true | undefined;
}

/** The remedy where no options are given at all. */
export function remedyForMissingOptions({ isFromFactory }: OptionsOrigin): string {
  return `${isFromFactory ? 'let the factory of forRootAsync return' : 'give'} ${FORMS}`;
}

/**
 * Finds why the embedded registry, which is the default, may not be taken. A value that was looked up and not found
 * would leave each process alone, and each would run every item.
 * @param options as they were given @param given the values of all options
 */
export function findMissingRegistry(
  options: object,
  given: ElasticJobModuleOptions,
  { isFromFactory, isInTask }: OptionsOrigin,
): readonly string[] {
  const { registry } = given;
  if (isInTask || (registry !== undefined && registry !== null)) return [];
  if ('registry' in options) return [`registry is given, but is ${show(registry)}; give ${FORMS}`];
  if (isProduction())
    return [
      'registry must be given with NODE_ENV=production: { type: "zookeeper", servers, namespace }, or ' +
        'ELASTIC_JOB_SERVERS and ELASTIC_JOB_NAMESPACE for elasticJobConfig; for one process alone ' +
        '{ type: "memory" }, or ELASTIC_JOB_REGISTRY=memory',
    ];
  const hasOptions = Object.values(given).some((value) => value !== undefined && value !== null);
  if (!isFromFactory || hasOptions) return [];
  return [
    `the factory of forRootAsync has given no option, so each process would run every item; let it return ${FORMS}`,
  ];
}
