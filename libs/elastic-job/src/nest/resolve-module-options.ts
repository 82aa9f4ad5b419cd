import { inOwnContext } from '../async-context/index.js';
import {
  assertOptionsObject,
  byName,
  ConfigurationError,
  describeRegistry,
  findDefaultsFaults,
  guardRedact,
  Hidden,
  type JobDefaults,
  namesOf,
  type OptionRow,
  resolveStrategy,
  type ShardingStrategy,
  show,
} from '../domain/index.js';
import { HttpJobType } from '../executor/index.js';
import type { JobEventSink } from '../tracing/index.js';
import { findApplicationVersion } from './application-version.js';
import { isProduction } from './environment.js';
import { EventLogger, isLogSinkOptions } from './event.logger.js';
import { conceal } from './module-definition.js';
import type { ElasticJobModuleOptions } from './module-options.js';
import {
  type CompleteModuleOptions,
  MODULE_OPTIONS,
  MODULE_TABLE,
  REGISTRY_TABLES,
  UNKNOWN_REGISTRY,
} from './module-options.rules.js';

/** The module's options in force: validated, frozen. */
export interface ResolvedModuleOptions extends Omit<CompleteModuleOptions, 'registry' | 'strategies' | 'tracing'> {
  /** Hidden, since it contains credentials. */
  readonly registry: Hidden<CompleteModuleOptions['registry']>;
  readonly strategies: readonly ShardingStrategy[];
  readonly tracing: readonly JobEventSink[];
}

/**
 * The module's options with defaults applied, validated and frozen. Undefined counts as not given, except for
 * `registry`.
 * @throws {ConfigurationError} that names every wrong option with its value and what would be right.
 */
export function resolveModuleOptions(
  options: ElasticJobModuleOptions,
  origin: OptionsOrigin = {},
): ResolvedModuleOptions {
  assertOptionsObject(
    'module options',
    options,
    `${origin.isFromFactory ? 'let the factory of forRootAsync return' : 'give'} ${FORMS}`,
  );
  // Each is read once, and also from a class whose options are getters.
  const given = byName<ElasticJobModuleOptions>(namesOf(MODULE_OPTIONS), (name) => options[name]);
  const problems = [
    ...MODULE_TABLE.findUnknown(options),
    ...findMissingRegistry(options, given, origin),
    ...findBroken(given),
  ];
  if (given.clock !== undefined && given.host !== undefined)
    problems.push('host is given beside clock, which has a host of its own; give one of them');
  if (problems.length > 0) throw new ConfigurationError('module options', problems);
  const complete = byName<CompleteModuleOptions>(namesOf(MODULE_OPTIONS), (name) => {
    const { default: usual }: OptionRow = MODULE_OPTIONS[name];
    return given[name] ?? usual;
  });
  const { jobTypes, redact, clock, registry } = complete;
  const strategies = createStrategies(complete.strategies);
  const resolved: ResolvedModuleOptions = {
    ...complete,
    registry: new Hidden(registry),
    version: complete.version ?? findApplicationVersion(),
    // Built-in types come last, so that the application's own may replace them.
    jobTypes: [...jobTypes, new HttpJobType(clock)],
    strategies,
    defaults: resolveDefaults(complete.defaults, strategies),
    redact: redact && guardRedact((text) => inOwnContext(() => redact(text))),
    tracing: createSinks(complete),
  };
  return Object.freeze(conceal(resolved));
}

function createStrategies(given: CompleteModuleOptions['strategies']): readonly ShardingStrategy[] {
  const resolved = given.map((one) => ({ one, ...resolveStrategy(one, []) }));
  const refused = resolved.flatMap((one) => (one.kind === 'refused' ? [one] : []));
  const problems = refused.map(({ one, problem }) => `strategies: ${show(one)}${problem}`);
  const { options } = refused.find((one) => one.options !== undefined) ?? {};
  if (problems.length > 0) throw new ConfigurationError('module options', problems, options);
  return resolved.flatMap((one) => (one.kind === 'resolved' ? [one.strategy] : []));
}

/** @throws {ConfigurationError} for a strategy that is none, and for defaults that contradict each other */
function resolveDefaults(defaults: JobDefaults, strategies: readonly ShardingStrategy[]): JobDefaults {
  const resolved = defaults.strategy === undefined ? undefined : resolveStrategy(defaults.strategy, strategies);
  if (resolved?.kind === 'refused')
    throw new ConfigurationError('module options', [`defaults.strategy${resolved.problem}`], resolved.options);
  const known = { ...defaults, strategy: resolved?.strategy };
  const problems = findDefaultsFaults(known);
  if (problems.length > 0) throw new ConfigurationError('module options', problems);
  return Object.freeze(known);
}

function findBroken(options: ElasticJobModuleOptions): readonly string[] {
  const { registry } = options;
  if (typeof registry !== 'object' || registry === null) return MODULE_TABLE.findBroken(options);
  const table = Object.hasOwn(REGISTRY_TABLES, registry.type) ? REGISTRY_TABLES[registry.type] : UNKNOWN_REGISTRY;
  return [
    ...MODULE_TABLE.findBroken({ ...options, registry: table.judged(registry) }),
    ...(table === UNKNOWN_REGISTRY ? [] : table.findUnknown(registry)),
  ];
}

const FORMS =
  '{ registry: { type: "zookeeper", servers, namespace } }, or { registry: { type: "memory" } } for one process alone';

/** Facts of the application by which missing options are judged. */
interface OptionsOrigin {
  /** True in a task, which has no registry. */
  readonly isInTask?: true | undefined;
  /** True for `forRootAsync`: nobody sees in the code what is given. */
  readonly isFromFactory?: true | undefined;
}

/**
 * Finds why the embedded registry, which is the default, may not be taken. A value that was looked up and not found
 * would leave each process alone, and each would run every item.
 * @param options as they were given @param given the values of all options
 */
function findMissingRegistry(
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

/** The log, and after it the sinks of the module's `tracing`. */
function createSinks({ tracing, registry }: CompleteModuleOptions): readonly JobEventSink[] {
  const log = tracing.find(isLogSinkOptions);
  const others = tracing.filter((sink): sink is JobEventSink => !isLogSinkOptions(sink));
  const isEmbedded = registry.type !== 'zookeeper' && registry.server === undefined;
  const place = registry.type === 'zookeeper' ? describeRegistry(registry.servers, registry.namespace) : undefined;
  return [new EventLogger({ ...log, isEmbedded, place }), ...others];
}
