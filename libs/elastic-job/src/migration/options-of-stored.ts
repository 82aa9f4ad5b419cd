import {
  byName,
  ConfigurationError,
  isBuiltInStrategyType,
  isJavaErrorHandlerType,
  isJavaThreadPoolSizeType,
  JAVA_SETTINGS,
  JOB_SETTINGS,
  type JobName,
  type JobOptions,
  type JobProps,
  NESTJS_SETTINGS,
  NONE,
  parseShardingItemParameters,
  resolveJobOptions,
  type SettingAt,
} from '../domain/index.js';
import type { JAVA_TEXTS, StoredConfiguration } from '../coordination/index.js';
import type { ImportedJob } from './imported.js';
import {
  type Advice,
  ERROR_HANDLER_ADVICE,
  EXTRA_ADVICE,
  FAILOVER_ADVICE,
  LISTENER_ADVICE,
  MAIL_SERVER_ADVICE,
  POOL_SIZE_ADVICE,
  STRATEGY_ADVICE,
  SURPLUS_ADVICE,
} from './findings.js';

/** Reports a setting that is not taken over. */
type LeaveOut = (key: string, value: string, advice: Advice) => void;

type TypeName = Exclude<(typeof JAVA_TEXTS)[number], 'jobName' | 'timeZone'>;

/** Channels that only this package has. */
const OWN_CHANNELS = ['SLACK', 'WEBHOOK'];

/** Props of the error handler EMAIL that are about the mails. All others are about the server, and its account. */
const MAIL_PROPS = ['email.from', 'email.to', 'email.cc', 'email.bcc', 'email.subject'];

/**
 * The options for what Java's text says. A setting that it leaves out gets Java's value if the default of this package
 * is another one.
 */
export function optionsOf(stored: StoredConfiguration, leaveOut: LeaveOut): ImportedJob {
  const java = byName<Partial<Pick<JobOptions, SettingAt<'java'>>>>(JAVA_SETTINGS, (name) => {
    const { absent, default: usual }: { absent?: unknown; default: unknown } = JOB_SETTINGS[name];
    return stored[name] ?? (absent === usual ? undefined : absent);
  });
  const own = byName<Partial<Pick<JobOptions, SettingAt<'nestjs'>>>>(NESTJS_SETTINGS, (name) => {
    const value = stored.nestjs[name];
    return value === NONE ? undefined : value;
  });
  const props = propsOf(stored, leaveOut);
  const shardingTotalCount = stored.shardingTotalCount ?? 0;
  if (stored.jobExtraConfigurations !== undefined) leaveOut('jobExtraConfigurations', '', EXTRA_ADVICE);
  return sparse({
    ...java,
    ...own,
    ...typesOf(stored, leaveOut),
    shardingTotalCount,
    shardingItemParameters: itemParametersOf(stored.shardingItemParameters, shardingTotalCount, leaveOut),
    failover: failoverOf(stored, leaveOut),
    props: Object.keys(props).length === 0 ? undefined : props,
  });
}

/** Faults of the options, each beginning with the name of its option. */
export function findFaults(name: JobName, job: ImportedJob): readonly string[] {
  const { type: _type, ...options } = job;
  try {
    resolveJobOptions({ ...options, name }, { place: name });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

function typesOf(stored: StoredConfiguration, leaveOut: LeaveOut) {
  const { nestjs } = stored;
  const known = (key: TypeName, isKnown: (type: string) => boolean, advice: Advice) => {
    const type = stored[key];
    if (type === undefined || type === '' || isKnown(type)) return type || undefined;
    leaveOut(key, type, advice);
    return undefined;
  };
  const poolSize =
    known('jobExecutorThreadPoolSizeProviderType', isJavaThreadPoolSizeType, POOL_SIZE_ADVICE) ??
    known('jobExecutorServiceHandlerType', isJavaThreadPoolSizeType, POOL_SIZE_ADVICE);
  for (const [index, listener] of (stored.jobListenerTypes ?? []).entries()) {
    leaveOut(`jobListenerTypes[${index}]`, listener, LISTENER_ADVICE);
  }
  const errorHandler = known('jobErrorHandlerType', isErrorHandlerType, ERROR_HANDLER_ADVICE);
  const isUnnamed = !(nestjs.strategy ?? stored.jobShardingStrategyType);
  const isOwnKnown = nestjs.strategy === undefined || isBuiltInStrategyType(nestjs.strategy);
  if (!isOwnKnown) leaveOut('props.nestjs.strategy', nestjs.strategy, STRATEGY_ADVICE);
  return {
    strategy: isUnnamed
      ? JOB_SETTINGS.strategy.absent
      : ((isOwnKnown ? nestjs.strategy : undefined) ??
        known('jobShardingStrategyType', isBuiltInStrategyType, STRATEGY_ADVICE)),
    timeZone: valueOf(nestjs.timeZone) ?? stored.timeZone,
    jobExecutorThreadPoolSizeProviderType: valueOf(nestjs.jobExecutorThreadPoolSizeProviderType) ?? poolSize,
    jobErrorHandlerType: valueOf(nestjs.jobErrorHandlerType) ?? errorHandler,
    jobListenerTypes: nestjs.jobListenerTypes,
  };
}

function valueOf(named: string | undefined): string | undefined {
  return named === NONE ? undefined : named;
}

function isErrorHandlerType(type: string): boolean {
  return isJavaErrorHandlerType(type) || OWN_CHANNELS.includes(type.toUpperCase());
}

/** Without the mail server and its password, which would go to the registry. */
function propsOf({ props }: StoredConfiguration, leaveOut: LeaveOut): JobProps {
  const isOfServer = (name: string) => name.startsWith('email.') && !MAIL_PROPS.includes(name);
  for (const [name, value] of Object.entries(props))
    if (isOfServer(name)) leaveOut(`props.${name}`, value, MAIL_SERVER_ADVICE);
  return Object.fromEntries(Object.entries(props).filter(([name]) => !isOfServer(name)));
}

/** Without the parameters that Java ignores: options with such ones are refused here. */
function itemParametersOf(text: string | undefined, total: number, leaveOut: LeaveOut): string | undefined {
  if (text === undefined || total < 1) return text;
  let parameters: ReadonlyMap<number, string>;
  try {
    parameters = parseShardingItemParameters(text);
  } catch {
    return text; // The rules report it.
  }
  const [used, surplus] = [
    [...parameters].filter(([item]) => item < total),
    [...parameters].filter(([item]) => item >= total),
  ];
  if (surplus.length === 0) return text;
  leaveOut('shardingItemParameters', textOf(surplus), SURPLUS_ADVICE);
  return textOf(used);
}

function textOf(parameters: readonly (readonly [number, string])[]): string {
  return parameters.map(([item, parameter]) => `${item}=${parameter}`).join(',');
}

function failoverOf({ failover, monitorExecution = false }: StoredConfiguration, leaveOut: LeaveOut) {
  if (failover !== true || monitorExecution) return failover;
  leaveOut('failover', 'true', FAILOVER_ADVICE);
  return false;
}

/** Without the options that have no value. An empty text is none. */
function sparse(options: ImportedJob): ImportedJob {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  return { ...Object.fromEntries(given), shardingTotalCount: options.shardingTotalCount };
}
