import type { Clock } from '../../clock/index.js';
import {
  Audit,
  ConsoleApi,
  type ConsoleLimitOptions,
  HistoryGate,
  Identities,
  JobIndex,
  LiveStreams,
  MemoryAuditStore,
  RateLimits,
  RunErrors,
} from '../../console/index.js';
import {
  ElasticJobError,
  guardRedact,
  messageOf,
  type PropTargets,
  type Redact,
  redactThrown,
  statusOfError,
} from '../../domain/index.js';
import type { JobConfigurationApi, JobOperateApi, ShardingOperateApi } from '../../operations/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { ApplicationRunHistory } from '../../tracing/index.js';
import { LineLog, log, thrown, warn } from '../line-log.js';
import type { ResolvedModuleOptions } from '../resolve-module-options.js';
import type { ElasticJobConsoleOptions } from './console-options.js';
import type { RunningConsole } from './console-server.js';

/** Parts of the application that the console uses. */
interface ApplicationParts {
  readonly application: ResolvedModuleOptions;
  /** Path of the console with the application's prefix. */
  readonly base: string;
  readonly clock: Clock;
  readonly commands: JobOperateApi;
  readonly configurations: JobConfigurationApi;
  readonly items: ShardingOperateApi;
  readonly registry: RegistryCenter;
}

const lines = new LineLog();

/** Puts the console together. @throws {ConfigurationError} for options that cannot work together */
export function consoleOf(options: ElasticJobConsoleOptions, parts: ApplicationParts): RunningConsole {
  const { application, base, clock } = parts;
  const { limits: given = {}, readOnly = false, requireReason = false } = options;
  const redact = guardRedact(application.redact ?? ((text) => text));
  const limits = new RateLimits(clock, given);
  const identities = new Identities({
    ...options,
    clock,
    limits,
    readOnly,
    requireReason,
    log: logOf(redact),
  });
  const audit = auditOf(options, clock, redact);
  const tell = (text: string, reason: unknown) => lines.write(thrown(text, redactThrown(reason, redact)));
  const gate = new HistoryGate({ clock, sinks: application.tracing, log: { error: tell } });
  const index = indexOf(parts, audit, { gate, redact });
  const onError = (reason: unknown) => tell('Console: a frame of a stream was kept back', reason);
  const streams = new LiveStreams({ clock, audit, index, onError, ...streamLimits(given) });
  const api = new ConsoleApi({
    path: base,
    clock,
    redact,
    identities,
    limits,
    audit,
    index,
    streams,
    readOnly,
    requireReason,
    commands: parts.commands,
    items: parts.items,
    configurations: parts.configurations,
    gate,
    targets: { targets: targetsOf(application), allowed: application.allowRegistryTargets ?? {} },
    showProps: options.showProps ?? [],
    log: { error: (text, reason) => lines.write(thrown(text, reason)) },
  });
  return { api, ...lifeOf({ api, audit, identities, index, streams }) };
}

interface LivingParts {
  readonly api: ConsoleApi;
  readonly audit: Audit;
  readonly identities: Identities;
  readonly index: JobIndex;
  readonly streams: LiveStreams;
}

function lifeOf({ api, audit, identities, index, streams }: LivingParts): Omit<RunningConsole, 'api'> {
  return {
    start: async () => {
      await identities.start();
      await audit.start();
      index.start();
    },
    stop: async () => {
      streams.stop();
      await api.stop();
      await index.stop();
      await identities.stop();
      await audit.stop();
    },
  };
}

function indexOf(
  { application, clock, registry }: ApplicationParts,
  audit: Audit,
  { gate, redact }: { readonly gate: HistoryGate; readonly redact: Redact },
): JobIndex {
  const errors = new RunErrors({ clock, history: new ApplicationRunHistory(application.tracing) });
  return new JobIndex({
    clock,
    redact,
    registry,
    gate,
    namespace: namespaceOf(application),
    isShared: application.processing,
    disabledBy: (targets) => audit.disabledBy(targets),
    errorsOf: (job, runs) => errors.of(job, runs),
    onConfig: (job, version, text) => audit.seenConfig(job, version, text),
    onError: (reason) => lines.write(warn(`Console: jobs cannot be read; trying again: ${redact(messageOf(reason))}`)),
  });
}

function auditOf({ audit }: ElasticJobConsoleOptions, clock: Clock, redact: Redact): Audit {
  return new Audit(audit ?? new MemoryAuditStore(), clock, {
    redact,
    statusOf: (reason) => (reason instanceof ElasticJobError ? statusOfError(reason.code) : undefined),
    log: { warn: (line) => lines.write(warn(`Console: ${line}`)) },
  });
}

function logOf(redact: Redact) {
  return {
    info: (line: string) => lines.write(log(line)),
    warn: (line: string, reason?: unknown) =>
      lines.write(warn(reason === undefined ? line : `${line}: ${redact(messageOf(reason))}`)),
  };
}

function streamLimits({ streams, streamsPerPerson }: ConsoleLimitOptions) {
  return {
    ...(streams !== undefined && { streams }),
    ...(streamsPerPerson !== undefined && { perPerson: streamsPerPerson }),
  };
}

function namespaceOf({ registry }: ResolvedModuleOptions): string {
  return registry.reveal().namespace ?? 'elastic-job';
}

/** Props of the application's own types that decide what runs. */
function targetsOf({ errorHandlers, jobTypes }: ResolvedModuleOptions): PropTargets {
  return Object.assign({}, ...[...jobTypes, ...errorHandlers].map(({ targets }) => targets));
}
