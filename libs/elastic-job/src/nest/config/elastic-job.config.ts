import { applyDecorators } from '@nestjs/common';
import { registerAs } from '@nestjs/config';
import { IsString, ValidateIf } from 'class-validator';
import { TASK_VARIABLE } from '../../cloud/index.js';
import {
  byName,
  ConfigurationError,
  type EntryReader,
  findNearestName,
  findQuotesAround,
  JOB_DEFAULTS,
  type JobDefaults,
  type KeptRule,
  mustBe,
  namesOf,
  oneOf,
  type OptionRow,
  OptionTable,
  QUOTES_ARE_KEPT,
  rule,
  text,
} from '../../domain/index.js';
import { isProduction, LIKE_OURS, SERVICE_LINK } from '../environment.js';
import { LineLog } from '../line-log.js';
import type { ElasticJobModuleOptions } from '../module-options.js';

const PREFIX = 'ELASTIC_JOB_';
const REGISTRY_TYPE = `${PREFIX}REGISTRY`;
/** Foreign variables that were reported: the factory is called once for each module that asks for it. */
const reported = new Set<string>();

/** Path of the settings that jobs have in common. */
const DEFAULTS = 'defaults.';

/** Row of one variable. */
interface Variable<Value> extends OptionRow {
  /** Converts the text into the option's value. */
  readonly read: (given: string) => Value;
}

/** Values of the variables that are given; an option without one is missing. */
type ValuesOf<Rows> = {
  readonly [Name in keyof Rows]?: Rows[Name] extends Variable<infer Value> ? Exclude<Value, undefined> : never;
};

const TEXT: Variable<string> = { rule: text(), read: String };
const FLAG: Variable<boolean> = { rule: oneOf(['true', 'false']), read: (given) => given === 'true' };
const NUMBER: Variable<number> = {
  rule: rule('a whole number', (given) => typeof given === 'string' && /^[0-9]+$/.test(given)),
  read: Number,
};

/** Options of the registry that have a variable: for `serverTickMs` it is `ELASTIC_JOB_SERVER_TICK_MS`. */
export const REGISTRY_VARIABLES = {
  registry: wordOf(['memory', 'zookeeper']),
  servers: neededByZooKeeper(),
  namespace: neededByZooKeeper(),
  digest: TEXT,
  saslUsername: TEXT,
  saslPassword: TEXT,
  allowOpenAcl: FLAG,
  requireTls: FLAG,
  sessionTimeoutMs: NUMBER,
  connectionTimeoutMs: NUMBER,
  requestTimeoutMs: NUMBER,
  serverTickMs: NUMBER,
  tls: FLAG,
  tlsCaFile: TEXT,
  tlsCertFile: TEXT,
  tlsKeyFile: TEXT,
  connection: wordOf(['in-process', 'worker-thread']),
  maxBlockedMs: NUMBER,
};

/** Other options of the module that have a variable. */
export const MODULE_VARIABLES = {
  processing: FLAG,
  globalEnhancers: FLAG,
  drainTimeoutMs: NUMBER,
  host: TEXT,
  instanceId: TEXT,
  version: TEXT,
  tokenEpoch: NUMBER,
  suspendedGraceMs: NUMBER,
  clockToleranceMs: NUMBER,
  hungGraceMs: NUMBER,
  lateAfterMs: NUMBER,
  javaReconnectGraceMs: NUMBER,
  errorWindowMs: NUMBER,
} satisfies Partial<Record<keyof ElasticJobModuleOptions, Variable<unknown>>>;

/** Settings in the module's `defaults`: for `defaults.timeZone` it is `ELASTIC_JOB_DEFAULTS_TIME_ZONE`. */
export const DEFAULTS_VARIABLES: Readonly<Record<string, Variable<unknown>>> = Object.fromEntries(
  Object.entries(JOB_DEFAULTS).map(([name, row]) => [DEFAULTS + name, keptVariable(row.rule)]),
);

/** Variables of the console that `npm start` starts in a clone. No option of the module comes from them. */
export const CONSOLE_VARIABLES = {
  'console.host': { ...TEXT, means: 'Address at which the console listens. Without it that is 127.0.0.1.' },
};

const VARIABLES = Object.fromEntries(
  Object.entries({ ...REGISTRY_VARIABLES, ...MODULE_VARIABLES, ...DEFAULTS_VARIABLES, ...CONSOLE_VARIABLES }).map(
    ([option, row]) => [variableOf(option), row],
  ),
);
const NAMES = Object.keys(VARIABLES);
/** Variables that a registry of ZooKeeper cannot do without. */
const NEEDED = ['servers', 'namespace'].map(variableOf);
const REGISTRY_NAMES = Object.keys(REGISTRY_VARIABLES).map(variableOf);
/** Variables whose values may have any characters. */
const SECRETS: readonly string[] = (['digest', 'saslPassword'] satisfies (keyof typeof REGISTRY_VARIABLES)[]).map(
  variableOf,
);
const TABLE = new OptionTable(VARIABLES, 'this package');

/** Texts of the variables. */
type Texts = Readonly<Record<string, string | undefined>>;

/**
 * The module's options from `ELASTIC_JOB_*` variables, for `forRootAsync(elasticJobConfig.asProvider())`. Options of
 * code are added by a factory: `{ ...elasticJobConfig.asProvider(), useFactory: (options) => ({ ...options, ... }) }`.
 * None of these is undefined, so options of code may stand below or above them.
 *
 * | variable | option |
 * |---|---|
 * | `ELASTIC_JOB_REGISTRY` | `registry.type`; else `zookeeper` with servers, and `memory` outside production |
 * | `ELASTIC_JOB_SERVERS`, `_NAMESPACE`, `_DIGEST` | `registry.servers`, `.namespace`, `.digest` |
 * | `ELASTIC_JOB_SESSION_TIMEOUT_MS`, `_CONNECTION_TIMEOUT_MS` | `registry.sessionTimeoutMs`, `.connectionTimeoutMs` |
 * | `ELASTIC_JOB_REQUEST_TIMEOUT_MS`, `_SERVER_TICK_MS` | `registry.requestTimeoutMs`, `.serverTickMs` |
 * | `ELASTIC_JOB_CONNECTION`, `_MAX_BLOCKED_MS` | `registry.connection`, `.maxBlockedMs` |
 * | `ELASTIC_JOB_SASL_USERNAME`, `_SASL_PASSWORD` | `registry.sasl` |
 * | `ELASTIC_JOB_ALLOW_OPEN_ACL`, `_REQUIRE_TLS` (`true`, `false`) | `registry.allowOpenAcl`, `.requireTls` |
 * | `ELASTIC_JOB_TLS` (`true`, `false`) | `registry.tls`; `NODE_EXTRA_CA_CERTS` adds trusted certificates |
 * | `ELASTIC_JOB_TLS_CA_FILE` | `caFile` of `registry.tls` |
 * | `ELASTIC_JOB_TLS_CERT_FILE`, `_TLS_KEY_FILE` | `certFile` and `keyFile` of `registry.tls` |
 * | `ELASTIC_JOB_PROCESSING`, `_GLOBAL_ENHANCERS` (`true`, `false`) | `processing`, `globalEnhancers` |
 * | `ELASTIC_JOB_DRAIN_TIMEOUT_MS`, `_HOST` | `drainTimeoutMs`, `host` |
 * | `ELASTIC_JOB_INSTANCE_ID`, `_VERSION`, `_TOKEN_EPOCH` | `instanceId`, `version`, `tokenEpoch` |
 * | `ELASTIC_JOB_SUSPENDED_GRACE_MS`, `_CLOCK_TOLERANCE_MS` | `suspendedGraceMs`, `clockToleranceMs` |
 * | `ELASTIC_JOB_HUNG_GRACE_MS`, `_JAVA_RECONNECT_GRACE_MS` | `hungGraceMs`, `javaReconnectGraceMs` |
 * | `ELASTIC_JOB_LATE_AFTER_MS`, `_ERROR_WINDOW_MS` | `lateAfterMs`, `errorWindowMs` |
 * | `ELASTIC_JOB_DEFAULTS_TIME_ZONE`, `_DEFAULTS_FAILOVER` ... | `defaults.timeZone`, `defaults.failover` ... |
 * | `ELASTIC_JOB_CONSOLE_HOST` | none: it is for the console that `npm start` starts in a clone |
 *
 * A variable that differs from one of these by one or two letters (of `_TLS` and `_HOST`: by one) is refused. Of others
 * that begin alike, such as `ELASTICJOB_SERVERS`, those of the registry are refused where the process would get the
 * embedded registry without them, or where ZooKeeper lacks servers or a namespace; else they are named in the log. A
 * value in quotes is refused, unless it is a secret: Docker's `--env-file` keeps quotes.
 * @throws {ConfigurationError} that names every wrong variable with its value and what would be right.
 */
export const elasticJobConfig = registerAs('elasticJob', (): ElasticJobModuleOptions => {
  const texts = textsOf(process.env);
  const faults = [...judge(texts), ...judgeOthers(Object.keys(process.env), texts)];
  if (faults.length > 0) throw new ConfigurationError('environment', faults);
  const registry = registryOf(valuesOf(REGISTRY_VARIABLES, texts));
  // No option is undefined: the module refuses such a registry, and options of code may stand below these.
  const defaults = defaultsOf(texts);
  return { ...(registry && { registry }), ...(defaults && { defaults }), ...valuesOf(MODULE_VARIABLES, texts) };
});

/** Empty variables count as not given. */
function textsOf(variables: NodeJS.ProcessEnv): Texts {
  const given: Texts = Object.fromEntries(NAMES.map((name) => [name, variables[name] || undefined]));
  return { ...given, [REGISTRY_TYPE]: given[REGISTRY_TYPE] ?? usualRegistry(given) };
}

/** Faults of the variables. One in quotes is judged without them as well. */
function judge(texts: Texts): readonly string[] {
  const quoted = NAMES.filter((name) => !SECRETS.includes(name)).flatMap((name) => {
    const quote = findQuotesAround(texts[name] ?? '');
    return quote === undefined ? [] : [{ name, quote }];
  });
  const bare = quoted.map(({ name }) => [name, texts[name]?.slice(1, -1)]);
  return [
    // The value is not repeated: servers may be an address with a password.
    ...quoted.map(
      ({ name, quote }) =>
        `${name} begins and ends with the quote ${quote}; ${QUOTES_ARE_KEPT}: give the value without them`,
    ),
    ...TABLE.findBroken({ ...texts, ...Object.fromEntries(bare) }),
  ];
}

/** Servers alone mean ZooKeeper: with embedded registries every process would run every item. */
function usualRegistry(given: Texts): string | undefined {
  if (given[variableOf('servers')] !== undefined) return 'zookeeper';
  // In production the module asks for a word.
  return isProduction() ? undefined : 'memory';
}

function valuesOf<Rows extends Readonly<Record<string, Variable<unknown>>>>(rows: Rows, texts: Texts): ValuesOf<Rows> {
  const given = Object.keys(rows).filter((option) => texts[variableOf(option)] !== undefined);
  return byName<ValuesOf<Rows>>(given, (option) => rows[option]!.read(texts[variableOf(String(option))]!));
}

/**
 * Sorts other variables that begin like ours. Those that Kubernetes sets for a service called `elastic-job-...` are
 * ignored, and the rest is reported once. @returns faults: variables that differ from ours by one or two letters, and
 * those that were probably meant to name a registry, its servers or its namespace where no other variable does
 */
function judgeOthers(present: readonly string[], texts: Texts): readonly string[] {
  const others = present
    .filter((name) => LIKE_OURS.test(name) && !SERVICE_LINK.test(name))
    .filter((name) => name !== TASK_VARIABLE && !NAMES.includes(name))
    .map((name) => ({ name, ...findMeant(name) }));
  const isNamed = [REGISTRY_TYPE, variableOf('servers'), TASK_VARIABLE].some((name) => process.env[name]);
  const missing = texts[REGISTRY_TYPE] === 'zookeeper' ? NEEDED.filter((name) => texts[name] === undefined) : [];
  const wanted = isNamed ? missing : REGISTRY_NAMES;
  const isFault = ({ name, meant, isClose }: (typeof others)[number]) =>
    meant !== undefined && isClose && (name.startsWith(PREFIX) || wanted.includes(meant));
  const foreign = others.filter((other) => !isFault(other) && !reported.has(other.name));
  for (const { name } of foreign) reported.add(name);
  const named = foreign.map(({ name, meant }) => (meant === undefined ? name : `${name} (is it ${meant}?)`));
  const remark = named.length === 1 ? 'no variable of this package; it is' : 'no variables of this package; they are';
  if (named.length > 0) new LineLog().write({ level: 'warn', text: `${named.join(', ')}: ${remark} ignored` });
  return others
    .filter(isFault)
    .map(({ name, meant }) => `${name} is not a variable of this package; did you mean ${meant}?`);
}

/** The variable that was perhaps meant. It is close if a third of its letters differ at most: `TEST` is not `TLS`. */
function findMeant(name: string): { readonly meant: string | undefined; readonly isClose: boolean } {
  const written = name.replace(LIKE_OURS, PREFIX).replaceAll('-', '_');
  const meant = findNearestName(written, NAMES, 2);
  if (meant === undefined) return { meant, isClose: false };
  return { meant, isClose: findNearestName(written, [meant], (meant.length - PREFIX.length) / 3) !== undefined };
}

/** Settings that jobs have in common; undefined if no variable names one. */
function defaultsOf(texts: Texts): JobDefaults | undefined {
  const given = Object.entries(valuesOf(DEFAULTS_VARIABLES, texts));
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map(([path, value]) => [path.slice(DEFAULTS.length), value]));
}

function registryOf(values: ValuesOf<typeof REGISTRY_VARIABLES>): ElasticJobModuleOptions['registry'] {
  const { registry: type, servers, namespace, saslUsername, saslPassword, tls, ...rest } = values;
  const { tlsCaFile: caFile, tlsCertFile: certFile, tlsKeyFile: keyFile, ...others } = rest;
  const files = Object.fromEntries(Object.entries({ caFile, certFile, keyFile }).filter(([, file]) => file));
  if (type === undefined) return undefined;
  const { sessionTimeoutMs, requestTimeoutMs } = others;
  if (type !== 'zookeeper')
    return onlyGiven({ type: 'memory' as const, namespace, sessionTimeoutMs, requestTimeoutMs });
  // If only one of the two is given, the module's rules refuse it.
  const isNamed = (saslUsername ?? saslPassword) !== undefined;
  return onlyGiven({
    type,
    servers: servers!,
    namespace: namespace!,
    sasl: isNamed ? { username: saslUsername ?? '', password: saslPassword ?? '' } : undefined,
    // TLS that is switched off stays off, whatever files there are.
    tls: (tls ?? Object.keys(files).length > 0) ? files : undefined,
    ...others,
  });
}

/** The values that are given. */
function onlyGiven<Values extends object>(values: Values): Values {
  return byName<Values>(
    namesOf(values).filter((name) => values[name] !== undefined),
    (name) => values[name],
  );
}

function wordOf<Word extends string>(words: readonly Word[]): Variable<Word | undefined> {
  return { rule: oneOf(words), read: (given) => words.find((word) => word === given) };
}

function neededByZooKeeper(): Variable<string> {
  const what = 'given, since the registry is zookeeper';
  const isNeeded = (environment: object) => Reflect.get(environment, REGISTRY_TYPE) === 'zookeeper';
  const decorator = applyDecorators(ValidateIf(isNeeded), IsString({ message: mustBe(what) }));
  return { required: true, rule: { what, decorator }, read: String };
}

/** The variable of an option. */
export function variableOf(option: string): string {
  return PREFIX + option.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase();
}

/** A variable with the value of a setting, in the form in which the registry keeps it. */
function keptVariable({ accepts, what, read }: KeptRule<unknown>): Variable<unknown> {
  const valueOf = (given: string) => read(readerOf(given), '', []);
  const isAccepted = (given: unknown) => typeof given === 'string' && accepts?.(valueOf(given)) === true;
  return { rule: rule(what, isAccepted), read: valueOf };
}

/** Reads a variable as the entry of a node. What is no such value is undefined, which no rule accepts. */
function readerOf(given: string): EntryReader {
  const number = () => (/^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : undefined);
  const word = <Word extends string>(words: readonly Word[]) => words.find((one) => one === given);
  return {
    text: () => given,
    boolean: () => ({ true: true, false: false })[given],
    number,
    integerOr: (_key, words) => word(words) ?? number(),
    oneOf: (_key, words) => word(words),
  };
}
