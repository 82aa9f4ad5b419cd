import { ValidateNested } from 'class-validator';
import {
  CRON_DIALECTS,
  flag,
  hasMethods,
  having,
  isObject,
  isVersion,
  jobDefaults,
  mustBe,
  mustBeUnseen,
  oneOf,
  type OptionRow,
  OptionTable,
  originOf,
  rule,
  type Rule,
  show,
  text,
  wholeNumber,
} from '../domain/index.js';
import { aClock, isHostName } from '../clock/index.js';
import { MemoryRegistry } from '../registry/index.js';
import { LOG_LEVELS } from './event.logger.js';
import type { ElasticJobModuleOptions, MemoryRegistryOptions, ZooKeeperRegistryOptions } from './module-options.js';

/** Every option of the module, one row each. An option without a default has the runtime's, or none. */
export const MODULE_OPTIONS = {
  registry: { default: { type: 'memory' }, rule: registryRule() },
  processing: { default: true, rule: flag() },
  jobs: { default: {}, rule: overridesByName() },
  defaults: { default: {}, rule: jobDefaults() },
  jobTypes: {
    default: [],
    rule: listOf('job types with type, findFaults and execute, such as a ScriptJobType', isJobType),
  },
  strategies: { default: [], rule: listOf('strategies with type and shard, or classes of such', isStrategy) },
  cronDialect: { default: 'quartz', rule: oneOf(CRON_DIALECTS) },
  globalEnhancers: { default: false, rule: flag() },
  drainTimeoutMs: { default: 30_000, rule: wholeNumber({ from: 0 }) },
  host: {
    rule: rule('an address or a name such as "10.0.0.7", "fd00::7" or "worker-7", of at most 100 characters', isHost),
  },
  instanceId: { rule: instanceId() },
  version: { rule: rule('1 to 64 letters, digits and . _ + -, such as "1.43.1"', isVersion) },
  tokenEpoch: { default: 0, rule: wholeNumber({ from: 0 }) },
  javaReconnectGraceMs: { rule: wholeNumber({ from: 0 }) },
  hungGraceMs: { rule: wholeNumber({ from: 0 }) },
  lateAfterMs: { rule: wholeNumber({ from: 0 }) },
  suspendedGraceMs: { rule: wholeNumber({ from: 0 }) },
  clockToleranceMs: { rule: wholeNumber({ from: 0 }) },
  fences: { default: [], rule: listOf('guards with assertNotAhead, such as a SqlGuard', isGuard) },
  errorHandlers: { default: [], rule: listOf('error handlers, with a type and handle', isErrorHandler) },
  allowRegistryTargets: { rule: allowedTargets() },
  errorWindowMs: { rule: wholeNumber({ from: 1 }) },
  workerPool: { rule: having('a pool of threads, such as new WorkerThreads()', 'findFault', 'run', 'close') },
  tracer: { rule: having('a RunTracer, such as openTelemetryTracer()', 'start') },
  redact: { rule: rule('a function of a text that returns one', (redact) => typeof redact === 'function') },
  clock: { rule: aClock },
  tracing: {
    default: [],
    rule: listOf(
      'sinks such as { name: "audit", hear(event) {} }, ' +
        'or { type: "log", level: "debug", "log", "warn", "error" or "off" }',
      isSink,
      { name: 'sinks', key: 'name', of: nameOfSink },
    ),
  },
  listeners: {
    default: [],
    rule: listOf(
      'listeners with beforeJobExecuted and afterJobExecuted; type is a text and order a number',
      isListener,
      {
        name: 'listeners',
        key: 'type',
        of: (listener) => Reflect.get(Object(listener), 'type'),
      },
    ),
  },
} satisfies {
  readonly [Name in keyof ElasticJobModuleOptions]-?: OptionRow & { readonly default?: ElasticJobModuleOptions[Name] };
};

type Rows = typeof MODULE_OPTIONS;

/** The module's options with every default applied. */
export type CompleteModuleOptions = {
  readonly [Name in keyof Rows]: Rows[Name] extends { readonly default: unknown }
    ? NonNullable<ElasticJobModuleOptions[Name]>
    : ElasticJobModuleOptions[Name];
};

const REGISTRY_TYPE = { required: true, rule: oneOf(['memory', 'zookeeper']) } as const;

export const MEMORY_REGISTRY = {
  type: REGISTRY_TYPE,
  server: { rule: instanceOf(MemoryRegistry, 'a MemoryRegistry') },
  namespace: { rule: text() },
  sessionTimeoutMs: { rule: wholeNumber({ from: 1 }) },
  requestTimeoutMs: { rule: wholeNumber({ from: 1 }) },
} satisfies Record<keyof MemoryRegistryOptions, OptionRow>;

export const ZOOKEEPER_REGISTRY = {
  type: REGISTRY_TYPE,
  servers: { required: true, rule: text('a list such as "10.0.0.1:2181,10.0.0.2:2181"') },
  namespace: { required: true, rule: text('a name such as "orders" or "shop/orders"') },
  digest: { rule: unseen('"user:password"', isDigest) },
  sasl: { rule: unseen('{ username, password }', isSasl) },
  sessionTimeoutMs: { rule: wholeNumber({ from: 1 }) },
  connectionTimeoutMs: { rule: wholeNumber({ from: 1 }) },
  requestTimeoutMs: { rule: wholeNumber({ from: 1 }) },
  maxRequestBytes: { rule: wholeNumber({ from: 1 }) },
  serverTickMs: { rule: wholeNumber({ from: 1 }) },
  tls: {
    rule: unseen(
      'options of node:tls, such as { ca }, paths such as { caFile }, or a function that returns them',
      isObjectOrFunction,
    ),
  },
  requireTls: { rule: flag() },
  allowOpenAcl: { rule: flag() },
  connection: { rule: oneOf(['in-process', 'worker-thread']) },
  maxBlockedMs: { rule: wholeNumber({ from: 1 }) },
  workerUrl: { rule: instanceOf(URL, 'a URL') },
} as const satisfies Record<keyof ZooKeeperRegistryOptions, OptionRow>;

export const MODULE_TABLE = new OptionTable(MODULE_OPTIONS, 'the module');
/** Options of the registry, by its type. */
export const REGISTRY_TABLES = {
  memory: new OptionTable(MEMORY_REGISTRY, 'the module', 'registry.'),
  zookeeper: new OptionTable(ZOOKEEPER_REGISTRY, 'the module', 'registry.'),
};
/** Options of a registry of unknown type. */
export const UNKNOWN_REGISTRY = new OptionTable({ type: REGISTRY_TYPE }, 'the module', 'registry.');

/** Options of the registry have a table of their own. */
function registryRule(): Rule {
  const what = '{ type: "memory" } or { type: "zookeeper", servers, namespace }';
  return { what, decorator: ValidateNested({ message: mustBe(what) }) };
}

function overridesByName(): Rule {
  return rule(
    'options by job name, such as { "settle-orders": { disabled: true } }',
    (jobs) => isObject(jobs) && Object.values(jobs).every(isObject),
  );
}

/**
 * @param what the form of each element, in the plural
 * @param unique a property that must differ between elements
 */
function listOf(
  what: string,
  isOne: (value: unknown) => boolean,
  unique?: { readonly name: string; readonly key: string; readonly of: (one: unknown) => unknown },
): Rule {
  const repeated = (list: readonly unknown[]): unknown[] => {
    const keys = unique === undefined ? [] : list.map(unique.of).filter((key) => key !== undefined);
    return keys.filter((key, index) => keys.indexOf(key) !== index);
  };
  return rule(
    `a list of ${what}`,
    (list) => Array.isArray(list) && list.every(isOne) && repeated(list).length === 0,
    (given) => {
      const value: unknown = given.value;
      if (!Array.isArray(value)) return mustBe(`a list of ${what}`)(given);
      const keys = repeated(value).map(show);
      if (keys.length > 0)
        return `${given.property} has several ${unique?.name} with the ${unique?.key} ${keys.join(', ')}`;
      const wrong = value.filter((one) => !isOne(one)).map(show);
      return `${given.property} must be ${what}, but has ${wrong.join(', ')}`;
    },
  );
}

function instanceOf(type: abstract new (...args: never[]) => object, what: string): Rule {
  return rule(what, (value) => value instanceof type);
}

function instanceId(): Rule {
  return rule(
    'a text without "/", "@-@" and blanks, such as a pod name',
    (id) => typeof id === 'string' && id !== '' && !id.includes('/') && !id.includes('@-@') && !/\s/.test(id),
  );
}

function allowedTargets(): Rule {
  const isWord = (command: unknown) => typeof command === 'string' && command.trim() !== '';
  const isOrigin = (origin: unknown) => typeof origin === 'string' && originOf(origin) === origin;
  const areAll = (list: unknown, isOne: (one: unknown) => boolean) =>
    list === undefined || (Array.isArray(list) && list.every(isOne));
  return rule(
    '{ commands: ["/opt/settle.sh"], origins: ["https://settle.example.org"] }, origins without a path',
    (given) => {
      if (!isObject(given)) return false;
      const { commands, origins, ...rest } = given;
      return areAll(commands, isWord) && areAll(origins, isOrigin) && Object.keys(rest).length === 0;
    },
  );
}

/** Rule for a secret, which messages must not show. */
function unseen(what: string, accepts: (value: unknown) => boolean): Rule {
  return rule(what, accepts, mustBeUnseen(what));
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && isHostName(value);
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[^:]+:/.test(value);
}

function isSasl(value: unknown): boolean {
  const isText = (one: unknown) => typeof one === 'string' && one !== '';
  if (!isObject(value)) return false;
  const { username, password, ...rest } = value;
  return isText(username) && isText(password) && Object.keys(rest).length === 0;
}

/** Node checks the rest. */
function isObjectOrFunction(value: unknown): boolean {
  return typeof value === 'function' || isObject(value);
}

function isSink(value: unknown): boolean {
  const { type, level, name, ...rest } = Object(value);
  if (type !== 'log') return typeof name === 'string' && name !== '' && hasMethods(value, 'hear');
  return (level === undefined || LOG_LEVELS.includes(level)) && Object.keys(rest).length === 0;
}

function nameOfSink(value: unknown): unknown {
  const { type, name } = Object(value);
  return type === 'log' ? 'log' : name;
}

function isListener(value: unknown): boolean {
  const { type, order } = Object(value);
  const isNamed = type === undefined || (typeof type === 'string' && type !== '');
  const isOrdered = order === undefined || Number.isFinite(order);
  return isNamed && isOrdered && hasMethods(value, 'beforeJobExecuted', 'afterJobExecuted');
}

function isStrategy(value: unknown): boolean {
  return typeof value === 'function' || hasMethods(value, 'shard');
}

function isGuard(value: unknown): boolean {
  return hasMethods(value, 'assertNotAhead');
}

function isErrorHandler(value: unknown): boolean {
  const type: unknown = Reflect.get(Object(value), 'type');
  return typeof type === 'string' && type !== '' && hasMethods(value, 'handle');
}

function isJobType(value: unknown): boolean {
  return typeof Reflect.get(Object(value), 'type') === 'string' && hasMethods(value, 'findFaults', 'execute');
}
