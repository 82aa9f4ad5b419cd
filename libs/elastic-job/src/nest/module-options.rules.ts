import { IsBoolean, IsInstance, IsObject, IsOptional, IsString, Matches, ValidateNested } from 'class-validator';
import { CRON_DIALECTS, IsWholeNumber, mustBe, originOf, rule, show } from '../domain/index.js';
import { MemoryRegistry } from '../registry/index.js';
import { LOG_LEVELS } from './event.logger.js';
import type { ElasticJobModuleOptions, MemoryRegistryOptions, ZooKeeperRegistryOptions } from './module-options.js';

const BOOLEAN = { message: mustBe('true or false') };
const TEXT = { message: mustBe('a text') };

/** The rules that each option of the module keeps by itself. Each property holds the option as it was given. */
export class ModuleOptionsRules implements Record<keyof ElasticJobModuleOptions, unknown> {
  @IsOptional()
  @ValidateNested({ message: mustBe('{ type: "memory" } or { type: "zookeeper", servers, namespace }') })
  registry: unknown = undefined;

  @IsOptional()
  @IsBoolean(BOOLEAN)
  processing: unknown = undefined;

  @IsOptional()
  @IsOverridesByName()
  jobs: unknown = undefined;

  @IsOptional()
  @IsListOf('job types, such as a ScriptJobType', isJobType)
  jobTypes: unknown = undefined;

  @IsOptional()
  @IsListOf('strategies or classes of such', isStrategy)
  strategies: unknown = undefined;

  @IsOptional()
  @IsIn(CRON_DIALECTS)
  cronDialect: unknown = undefined;

  @IsOptional()
  @IsBoolean(BOOLEAN)
  globalEnhancers: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  drainTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsInstanceId()
  instanceId: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  tokenEpoch: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  javaReconnectGraceMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  hungGraceMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  suspendedGraceMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 0 })
  clockToleranceMs: unknown = undefined;

  @IsOptional()
  @IsListOf('guards, such as a SqlGuard', (one) => hasMethods(one, 'assertNotAhead'))
  fences: unknown = undefined;

  @IsOptional()
  @IsListOf('error handlers, with a type and handle', isErrorHandler)
  errorHandlers: unknown = undefined;

  @IsOptional()
  @IsAllowedTargets()
  allowRegistryTargets: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  errorWindowMs: unknown = undefined;

  @IsOptional()
  @IsWorkerPool()
  workerPool: unknown = undefined;

  @IsOptional()
  @IsTracer()
  tracer: unknown = undefined;

  @IsOptional()
  @IsRedact()
  redact: unknown = undefined;

  @IsOptional()
  @IsClock()
  clock: unknown = undefined;

  @IsOptional()
  @IsListOf('sinks, or { type: "log", level: "debug", "log", "warn", "error" or "off" }', isSink)
  @IsUniqueBy('name', 'sinks', nameOfSink)
  tracing: unknown = undefined;

  @IsOptional()
  @IsListOf('listeners with beforeJobExecuted and afterJobExecuted; type is a text and order a number', isListener)
  @IsUniqueBy('type', 'listeners', (listener) => Reflect.get(Object(listener), 'type'))
  listeners: unknown = undefined;
}

export class MemoryRegistryRules implements Record<keyof MemoryRegistryOptions, unknown> {
  type: unknown = undefined;

  @IsOptional()
  @IsInstance(MemoryRegistry, { message: mustBe('a MemoryRegistry') })
  server: unknown = undefined;

  @IsOptional()
  @IsString(TEXT)
  namespace: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  sessionTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  requestTimeoutMs: unknown = undefined;
}

export class ZooKeeperRegistryRules implements Record<keyof ZooKeeperRegistryOptions, unknown> {
  type: unknown = undefined;

  @IsString({ message: mustBe('a list such as "10.0.0.1:2181,10.0.0.2:2181"') })
  servers: unknown = undefined;

  @IsString({ message: mustBe('a name such as "orders" or "shop/orders"') })
  namespace: unknown = undefined;

  // Not mustBe: a secret is not echoed.
  @IsOptional()
  @Matches(/^[^:]+:/, { message: 'digest must be "user:password"' })
  digest: unknown = undefined;

  @IsOptional()
  @IsSasl()
  sasl: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  sessionTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  connectionTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  requestTimeoutMs: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  maxRequestBytes: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  serverTickMs: unknown = undefined;

  @IsOptional()
  @IsObject({ message: 'tls must be options of node:tls, such as { ca }' })
  tls: unknown = undefined;

  @IsOptional()
  @IsBoolean(BOOLEAN)
  requireTls: unknown = undefined;

  @IsOptional()
  @IsBoolean(BOOLEAN)
  allowOpenAcl: unknown = undefined;

  @IsOptional()
  @IsIn(['in-process', 'worker-thread'])
  connection: unknown = undefined;

  @IsOptional()
  @IsWholeNumber({ from: 1 })
  maxBlockedMs: unknown = undefined;

  @IsOptional()
  @IsInstance(URL, { message: mustBe('a URL') })
  workerUrl: unknown = undefined;
}

/** Stands for a registry of no known type. */
export class UnknownRegistryRules {
  @IsIn(['memory', 'zookeeper'])
  type: unknown = undefined;
}

function IsIn(known: readonly string[]): PropertyDecorator {
  const names = known.map((name) => JSON.stringify(name)).join(' or ');
  return rule('isIn', (value) => known.some((name) => name === value), mustBe(names));
}

function IsOverridesByName(): PropertyDecorator {
  return rule(
    'isOverridesByName',
    (jobs) => isPlainObject(jobs) && Object.values(jobs).every(isPlainObject),
    mustBe('options by job name, such as { "settle-orders": { disabled: true } }'),
  );
}

/** @param what each of them must be, in the plural */
function IsListOf(what: string, isOne: (value: unknown) => boolean): PropertyDecorator {
  return rule(
    'isListOf',
    (list) => Array.isArray(list) && list.every(isOne),
    (given) => {
      const value: unknown = given.value;
      if (!Array.isArray(value)) return mustBe(`a list of ${what}`)(given);
      const wrong = value.filter((one) => !isOne(one)).map(show);
      return `${given.property} must be ${what}, but has ${wrong.join(', ')}`;
    },
  );
}

/** @param of what may stand in the list once only; undefined: as often as one likes */
function IsUniqueBy(field: string, what: string, of: (value: unknown) => unknown): PropertyDecorator {
  const repeated = (list: unknown): unknown[] => {
    const names = (Array.isArray(list) ? list : []).map(of).filter((name) => name !== undefined);
    return names.filter((name, index) => names.indexOf(name) !== index);
  };
  return rule(
    'isUniqueBy',
    (list) => repeated(list).length === 0,
    ({ property, value }) =>
      `${property} has several ${what} with the ${field} ${repeated(value).map(show).join(', ')}`,
  );
}

function IsInstanceId(): PropertyDecorator {
  return rule(
    'isInstanceId',
    (id) => typeof id === 'string' && id !== '' && !id.includes('/') && !id.includes('@-@') && !/\s/.test(id),
    mustBe('a text without "/", "@-@" and blanks, such as a pod name'),
  );
}

function IsClock(): PropertyDecorator {
  return rule('isClock', (clock) => hasMethods(clock, 'wallNow', 'monotonicNow', 'setTimer'), mustBe('a Clock'));
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

function IsWorkerPool(): PropertyDecorator {
  const isPool = (value: unknown) => hasMethods(value, 'findFault', 'run', 'close');
  return rule('isWorkerPool', isPool, mustBe('a pool of threads, such as new WorkerThreads()'));
}

function IsAllowedTargets(): PropertyDecorator {
  const isWord = (command: unknown) => typeof command === 'string' && command.trim() !== '';
  const isOrigin = (origin: unknown) => typeof origin === 'string' && originOf(origin) === origin;
  const areAll = (list: unknown, isOne: (one: unknown) => boolean) =>
    list === undefined || (Array.isArray(list) && list.every(isOne));
  return rule(
    'isAllowedTargets',
    (given) => {
      if (!isPlainObject(given)) return false;
      const { commands, origins, ...rest } = given;
      return areAll(commands, isWord) && areAll(origins, isOrigin) && Object.keys(rest).length === 0;
    },
    mustBe('{ commands: ["/opt/settle.sh"], origins: ["https://settle.example.org"] }, origins without a path'),
  );
}

/** Not mustBe: a secret is not echoed. */
function IsSasl(): PropertyDecorator {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  return rule(
    'isSasl',
    (given) => {
      if (!isPlainObject(given)) return false;
      const { username, password, ...rest } = given;
      return isText(username) && isText(password) && Object.keys(rest).length === 0;
    },
    () => 'sasl must be { username, password }',
  );
}

function IsTracer(): PropertyDecorator {
  return rule(
    'isTracer',
    (tracer) => hasMethods(tracer, 'start'),
    mustBe('a RunTracer, such as openTelemetryTracer()'),
  );
}

function IsRedact(): PropertyDecorator {
  const isFunction = (redact: unknown) => typeof redact === 'function';
  return rule('isRedact', isFunction, mustBe('a function of a text that returns one'));
}

function isStrategy(value: unknown): boolean {
  return typeof value === 'function' || hasMethods(value, 'shard');
}

function isErrorHandler(value: unknown): boolean {
  const type: unknown = Reflect.get(Object(value), 'type');
  return typeof type === 'string' && type !== '' && hasMethods(value, 'handle');
}

function isJobType(value: unknown): boolean {
  return typeof Reflect.get(Object(value), 'type') === 'string' && hasMethods(value, 'findFaults', 'execute');
}

function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof Reflect.get(Object(value), method) === 'function');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
