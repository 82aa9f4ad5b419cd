import { validateSync, type ValidationError } from 'class-validator';
import { ConfigurationError, findNearestName, guardRedact, Hidden } from '../domain/index.js';
import { HttpJobType } from '../executor/index.js';
import { conceal } from './concealed.js';
import { createSinks } from './create-sinks.js';
import type { ElasticJobModuleOptions, ResolvedModuleOptions } from './module-options.js';
import {
  MemoryRegistryRules,
  ModuleOptionsRules,
  UnknownRegistryRules,
  ZooKeeperRegistryRules,
} from './module-options.rules.js';

const REGISTRIES = { memory: MemoryRegistryRules, zookeeper: ZooKeeperRegistryRules };

/**
 * The module's options with defaults applied, validated and frozen. An option that is undefined counts as not given.
 * @throws {ConfigurationError} that names every wrong option with its value and what would be right.
 */
export function resolveModuleOptions(options: ElasticJobModuleOptions = {}): ResolvedModuleOptions {
  const problems = findProblems(options);
  if (problems.length > 0) throw new ConfigurationError('module options', problems);
  const resolved: ResolvedModuleOptions = {
    registry: new Hidden(options.registry ?? { type: 'memory' }),
    processing: options.processing ?? true,
    jobs: options.jobs ?? {},
    jobTypes: [...(options.jobTypes ?? []), new HttpJobType(options.clock)],
    strategies: (options.strategies ?? []).map((given) => (typeof given === 'function' ? new given() : given)),
    cronDialect: options.cronDialect ?? 'quartz',
    globalEnhancers: options.globalEnhancers ?? false,
    drainTimeoutMs: options.drainTimeoutMs ?? 30_000,
    instanceId: options.instanceId,
    tokenEpoch: options.tokenEpoch ?? 0,
    javaReconnectGraceMs: options.javaReconnectGraceMs,
    hungGraceMs: options.hungGraceMs,
    suspendedGraceMs: options.suspendedGraceMs,
    clockToleranceMs: options.clockToleranceMs,
    fences: options.fences ?? [],
    errorHandlers: options.errorHandlers ?? [],
    allowRegistryTargets: options.allowRegistryTargets,
    errorWindowMs: options.errorWindowMs,
    workerPool: options.workerPool,
    tracer: options.tracer,
    redact: options.redact && guardRedact(options.redact),
    clock: options.clock,
    tracing: createSinks(options),
    listeners: options.listeners ?? [],
  };
  return Object.freeze(conceal(resolved));
}

function findProblems(options: ElasticJobModuleOptions): string[] {
  const { registry } = options;
  if (typeof registry !== 'object' || registry === null) return judge(new ModuleOptionsRules(), options);
  const Rules = Object.hasOwn(REGISTRIES, registry.type) ? REGISTRIES[registry.type] : UnknownRegistryRules;
  const rules = Object.assign(new Rules(), registry);
  const unknown = Rules === UnknownRegistryRules ? [] : findUnknown(registry, new Rules(), 'registry.');
  return [...judge(new ModuleOptionsRules(), { ...options, registry: rules }), ...unknown];
}

function judge(rules: ModuleOptionsRules, options: object): string[] {
  const known = findUnknown(options, rules, '');
  return [...known, ...messagesOf(validateSync(Object.assign(rules, options), { stopAtFirstError: true }), '')];
}

function messagesOf(errors: readonly ValidationError[], path: string): string[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => [
    ...Object.values(constraints).map((message) => path + message),
    ...messagesOf(children, `${path}${property}.`),
  ]);
}

function findUnknown(options: object, rules: object, path: string): string[] {
  const known = Object.keys(rules);
  // Not their values: a secret may stand under a name that is spelled wrong.
  return Object.keys(options)
    .filter((option) => !known.includes(option))
    .map((option) => {
      const meant = findNearestName(option, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${path}${meant}?`;
      return `${path}${option} is not an option of the module; ${hint}`;
    });
}
