import { applyDecorators, Logger } from '@nestjs/common';
import { registerAs } from '@nestjs/config';
import { IsIn, IsNumberString, IsOptional, IsString, ValidateIf, validateSync } from 'class-validator';
import { ConfigurationError, findNearestName, mustBe } from '../../domain/index.js';
import type { SaslCredentials } from '../../registry/index.js';
import type { ElasticJobModuleOptions } from '../module-options.js';

const PREFIX = 'ELASTIC_JOB_';
/** What Kubernetes sets for each service of a pod's namespace. */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;
/** The variables of others that have been named: the factory is called once for each module that asks for it. */
const told = new Set<string>();

const GIVEN = { message: mustBe('given, since the registry is zookeeper') };

const IsWholeNumber = (): PropertyDecorator =>
  applyDecorators(IsOptional(), IsNumberString({ no_symbols: true }, { message: mustBe('a whole number') }));
const IsFlag = (): PropertyDecorator =>
  applyDecorators(IsOptional(), IsIn(['true', 'false'], { message: mustBe('"true" or "false"') }));

/**
 * The variables that are read, as texts; one that is empty counts as not given.
 */
class Environment {
  /** Servers alone mean ZooKeeper: over embedded registries every process would run every item. */
  @IsIn(['memory', 'zookeeper'], { message: mustBe('"memory" or "zookeeper"') })
  ELASTIC_JOB_REGISTRY: string | undefined = undefined;

  @ValidateIf(isZooKeeper)
  @IsString(GIVEN)
  ELASTIC_JOB_SERVERS: string | undefined = undefined;

  @ValidateIf(isZooKeeper)
  @IsString(GIVEN)
  ELASTIC_JOB_NAMESPACE: string | undefined = undefined;

  ELASTIC_JOB_DIGEST: string | undefined = undefined;

  ELASTIC_JOB_SASL_USERNAME: string | undefined = undefined;

  ELASTIC_JOB_SASL_PASSWORD: string | undefined = undefined;

  @IsFlag()
  ELASTIC_JOB_ALLOW_OPEN_ACL: string | undefined = undefined;

  @IsFlag()
  ELASTIC_JOB_REQUIRE_TLS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_SESSION_TIMEOUT_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_CONNECTION_TIMEOUT_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_REQUEST_TIMEOUT_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_SERVER_TICK_MS: string | undefined = undefined;

  @IsFlag()
  ELASTIC_JOB_TLS: string | undefined = undefined;

  @IsOptional()
  @IsIn(['in-process', 'worker-thread'], { message: mustBe('"in-process" or "worker-thread"') })
  ELASTIC_JOB_CONNECTION: 'in-process' | 'worker-thread' | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_MAX_BLOCKED_MS: string | undefined = undefined;

  @IsFlag()
  ELASTIC_JOB_PROCESSING: string | undefined = undefined;

  @IsFlag()
  ELASTIC_JOB_GLOBAL_ENHANCERS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_DRAIN_TIMEOUT_MS: string | undefined = undefined;

  ELASTIC_JOB_INSTANCE_ID: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_TOKEN_EPOCH: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_SUSPENDED_GRACE_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_CLOCK_TOLERANCE_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_HUNG_GRACE_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_JAVA_RECONNECT_GRACE_MS: string | undefined = undefined;

  @IsWholeNumber()
  ELASTIC_JOB_ERROR_WINDOW_MS: string | undefined = undefined;
}

/**
 * The module's options from `ELASTIC_JOB_*` variables, for `ConfigModule.forFeature(elasticJobConfig)`:
 *
 * | variable | option |
 * |---|---|
 * | `ELASTIC_JOB_REGISTRY` | `registry.type`; without it `zookeeper` if there are servers, else `memory` |
 * | `ELASTIC_JOB_SERVERS`, `_NAMESPACE`, `_DIGEST` | `registry.servers`, `.namespace`, `.digest` |
 * | `ELASTIC_JOB_SESSION_TIMEOUT_MS`, `_CONNECTION_TIMEOUT_MS`, `_REQUEST_TIMEOUT_MS` | the registry's options of those
 * names |
 * | `ELASTIC_JOB_SERVER_TICK_MS`, `_CONNECTION`, `_MAX_BLOCKED_MS` | `registry.serverTickMs`, `.connection`,
 * `.maxBlockedMs` |
 * | `ELASTIC_JOB_SASL_USERNAME`, `_SASL_PASSWORD` | `registry.sasl` |
 * | `ELASTIC_JOB_ALLOW_OPEN_ACL`, `_REQUIRE_TLS` (`true`, `false`) | `registry.allowOpenAcl`, `.requireTls` |
 * | `ELASTIC_JOB_TLS` (`true`, `false`) | `registry.tls`, by what the process trusts (`NODE_EXTRA_CA_CERTS` adds to it)
 * |
 * | `ELASTIC_JOB_PROCESSING`, `_GLOBAL_ENHANCERS` (`true`, `false`) | `processing`, `globalEnhancers` |
 * | `ELASTIC_JOB_DRAIN_TIMEOUT_MS`, `_INSTANCE_ID`, `_TOKEN_EPOCH` | `drainTimeoutMs`, `instanceId`, `tokenEpoch` |
 * | `ELASTIC_JOB_SUSPENDED_GRACE_MS`, `_CLOCK_TOLERANCE_MS`, `_HUNG_GRACE_MS`, `_JAVA_RECONNECT_GRACE_MS`,
 * `_ERROR_WINDOW_MS` | the options of those names |
 *
 * A variable that is one of these but for a letter or two is refused; others that begin alike are named in the log.
 * @throws {ConfigurationError} that names every wrong variable with its value and what would be right.
 */
export const elasticJobConfig = registerAs('elasticJob', (): ElasticJobModuleOptions => {
  const environment = readEnvironment(process.env);
  const errors = validateSync(environment, { stopAtFirstError: true });
  const faults = [
    ...errors.flatMap(({ constraints }) => Object.values(constraints ?? {})),
    ...judgeOthers(Object.keys(process.env), Object.keys(environment)),
  ];
  if (faults.length > 0) throw new ConfigurationError('environment', faults);
  return {
    registry: registryOf(environment),
    processing: flag(environment.ELASTIC_JOB_PROCESSING),
    globalEnhancers: flag(environment.ELASTIC_JOB_GLOBAL_ENHANCERS),
    drainTimeoutMs: number(environment.ELASTIC_JOB_DRAIN_TIMEOUT_MS),
    instanceId: environment.ELASTIC_JOB_INSTANCE_ID,
    tokenEpoch: number(environment.ELASTIC_JOB_TOKEN_EPOCH),
    suspendedGraceMs: number(environment.ELASTIC_JOB_SUSPENDED_GRACE_MS),
    clockToleranceMs: number(environment.ELASTIC_JOB_CLOCK_TOLERANCE_MS),
    hungGraceMs: number(environment.ELASTIC_JOB_HUNG_GRACE_MS),
    javaReconnectGraceMs: number(environment.ELASTIC_JOB_JAVA_RECONNECT_GRACE_MS),
    errorWindowMs: number(environment.ELASTIC_JOB_ERROR_WINDOW_MS),
  };
});

function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const environment = new Environment();
  for (const name of Object.keys(environment)) Reflect.set(environment, name, variables[name] || undefined);
  environment.ELASTIC_JOB_REGISTRY ??= environment.ELASTIC_JOB_SERVERS === undefined ? 'memory' : 'zookeeper';
  return environment;
}

/**
 * Variables that begin like ours: those that Kubernetes sets for a service called `elastic-job-...` are passed over,
 * the others are told once. @returns those that are ours but for one or two letters
 */
function judgeOthers(present: readonly string[], known: readonly string[]): readonly string[] {
  const others = present.filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !SERVICE_LINK.test(name) && !told.has(name),
  );
  const meant = new Map(others.map((name) => [name, findNearestName(name, known, 2)]));
  const foreign = others.filter((name) => meant.get(name) === undefined);
  for (const name of foreign) told.add(name);
  if (foreign.length > 0)
    Logger.warn(`${foreign.join(', ')}: no variables of this package; they are ignored`, 'ElasticJob');
  return others
    .filter((name) => meant.get(name) !== undefined)
    .map((name) => `${name} is not a variable of this package; did you mean ${meant.get(name)}?`);
}

function registryOf(environment: Environment): NonNullable<ElasticJobModuleOptions['registry']> {
  const sessionTimeoutMs = number(environment.ELASTIC_JOB_SESSION_TIMEOUT_MS);
  const requestTimeoutMs = number(environment.ELASTIC_JOB_REQUEST_TIMEOUT_MS);
  const namespace = environment.ELASTIC_JOB_NAMESPACE;
  if (!isZooKeeper(environment)) return { type: 'memory', namespace, sessionTimeoutMs, requestTimeoutMs };
  return {
    type: 'zookeeper',
    servers: environment.ELASTIC_JOB_SERVERS!,
    namespace: namespace!,
    digest: environment.ELASTIC_JOB_DIGEST,
    sasl: saslOf(environment),
    allowOpenAcl: flag(environment.ELASTIC_JOB_ALLOW_OPEN_ACL),
    requireTls: flag(environment.ELASTIC_JOB_REQUIRE_TLS),
    sessionTimeoutMs,
    connectionTimeoutMs: number(environment.ELASTIC_JOB_CONNECTION_TIMEOUT_MS),
    requestTimeoutMs,
    serverTickMs: number(environment.ELASTIC_JOB_SERVER_TICK_MS),
    tls: flag(environment.ELASTIC_JOB_TLS) ? {} : undefined,
    connection: environment.ELASTIC_JOB_CONNECTION,
    maxBlockedMs: number(environment.ELASTIC_JOB_MAX_BLOCKED_MS),
  };
}

function saslOf(environment: Environment): SaslCredentials | undefined {
  const { ELASTIC_JOB_SASL_USERNAME: username, ELASTIC_JOB_SASL_PASSWORD: password } = environment;
  // Half of it is refused as an option of the module.
  return username === undefined && password === undefined
    ? undefined
    : { username: username ?? '', password: password ?? '' };
}

function isZooKeeper({ ELASTIC_JOB_REGISTRY }: Environment): boolean {
  return ELASTIC_JOB_REGISTRY === 'zookeeper';
}

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function flag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}
