import {
  type ElasticJobListener,
  isOptionsObject,
  type JobName,
  type JobOptions,
  number,
  type OptionRow,
  OptionTable,
  rule,
  type Rule,
  show,
  type TemplateLimits,
  wholeNumber,
} from '../domain/index.js';
import type { FunctionsProgramOptions, TestJobHandler } from './test-program.js';
import type { TestModule, TestOverride } from './nest/index.js';

/** Settings of the whole cluster. */
export interface TestClusterSettings {
  /** Number of instances that start together. */
  readonly instances: number;
  /** How long the registry keeps a dead instance's session, in milliseconds. @default 10_000 */
  readonly sessionTimeoutMs?: number;
  /** Time from a request to its answer, in milliseconds of virtual time. @default 1 */
  readonly latencyMs?: number;
  /** Seed of every random number. @default 1 */
  readonly seed?: number;
  /** Start of the wall clock, in milliseconds since the epoch. */
  readonly wall?: number;
}

/** A cluster whose jobs are plain functions. */
export interface TestFunctions extends FunctionsProgramOptions {
  readonly jobs: readonly TestJobOptions[];
  /** Templates from which jobs are created (`JobOperateApi.create`) while the cluster runs. @default none */
  readonly templates?: readonly TestTemplateOptions[];
  readonly module?: undefined;
  readonly overrides?: undefined;
}

/** A cluster of Nest applications, one for each instance. It needs `@nestjs/testing`. */
export interface TestApplications {
  /**
   * Root module of the applications, which imports `ElasticJobModule`, or a function that makes one for each instance.
   * Registry and clock come from the cluster, whatever the module's options say.
   */
  readonly module: TestModule;
  /**
   * Providers in the place of the applications' own: `[{ provide: Store, useValue: fake }]`, as in `providers` of a
   * module. All instances have the same value; a class or a factory makes one for each. @default none
   */
  readonly overrides?: readonly TestOverride[];
  readonly jobs?: undefined;
  readonly templates?: undefined;
}

export type TestClusterOptions = TestClusterSettings & (TestFunctions | TestApplications);

/** A job as a plain function. */
export interface TestJobOptions extends JobOptions {
  readonly name: JobName;
  /** Gets the context, and the process in which it runs. */
  readonly handler: TestJobHandler;
  /** Listeners around the runs of every instance. @default none */
  readonly listeners?: readonly ElasticJobListener[];
}

/** A template of jobs as a plain function. */
export interface TestTemplateOptions
  extends Omit<JobOptions, 'name' | 'shardingTotalCount' | 'overwrite'>, TemplateLimits {
  readonly name: string;
  /** Gets the context, and the process in which it runs. */
  readonly handler: TestJobHandler;
}

/** How an override is written, and its keys. */
const FORM = '{ provide: Store, useValue: fake }';
const KINDS = ['useValue', 'useClass', 'useFactory'];
const KEYS: readonly string[] = ['provide', ...KINDS, 'inject'];

const finite = rule('a number', Number.isFinite);
const ms = number(0);
const none = (beside: string) => ({ rule: rule(`left out beside ${beside}`, (value) => value === undefined) });
const handlers = rule('a list of options with a handler each', areWithHandlers);

const SETTINGS = {
  instances: { required: true, rule: wholeNumber({ from: 0 }) },
  sessionTimeoutMs: { rule: number(1) },
  latencyMs: { rule: ms },
  seed: { rule: finite },
  wall: { rule: finite },
} as const satisfies Readonly<Record<keyof TestClusterSettings, OptionRow>>;

const PROGRAM = {
  drainTimeoutMs: { rule: ms },
  hungGraceMs: { rule: ms },
  lateAfterMs: { rule: ms },
  suspendedGraceMs: { rule: ms },
  clockToleranceMs: { rule: ms },
  errorHandlers: { rule: rule('a list of error handlers', Array.isArray) },
  errorWindowMs: { rule: ms },
} as const satisfies Readonly<Record<keyof FunctionsProgramOptions, OptionRow>>;

const FUNCTIONS = {
  ...SETTINGS,
  ...PROGRAM,
  jobs: { required: true, rule: handlers },
  templates: { rule: handlers },
  module: none('jobs'),
  overrides: none('jobs'),
} as const satisfies Readonly<Record<keyof TestFunctions, OptionRow>>;

const APPLICATIONS = {
  ...SETTINGS,
  module: { required: true, rule: rule('a module of Nest', (value) => isOptionsObject(value) || isModule(value)) },
  overrides: { rule: overrides() },
  jobs: none('module'),
  templates: none('module'),
} as const satisfies Readonly<Record<keyof TestApplications, OptionRow>>;

const FUNCTIONS_TABLE = new OptionTable(FUNCTIONS, 'a cluster of functions');
const APPLICATIONS_TABLE = new OptionTable(APPLICATIONS, 'a cluster of applications');

/** The options. @throws {ConfigurationError} for wrong and unknown ones */
export function checkedOptions(options: TestClusterOptions): TestClusterOptions {
  const isOfModules = isOptionsObject(options) && options.module !== undefined;
  return (isOfModules ? APPLICATIONS_TABLE : FUNCTIONS_TABLE).checked('createTestCluster', options);
}

/** True for a class, a function that makes one, or a promise. */
function isModule(value: unknown): boolean {
  return typeof value === 'function' || value instanceof Promise;
}

function areWithHandlers(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof Object(one).handler === 'function');
}

/** Overrides of providers. Whether a provider has the token is known when the application has been made. */
function overrides(): Rule {
  return rule(
    `a list of providers, such as [${FORM}]`,
    (given) => findFault(given) === undefined,
    ({ value }) => `overrides${findFault(value)}`,
  );
}

/** The fault of a list, as what follows its name. */
function findFault(given: unknown): string | undefined {
  if (!Array.isArray(given)) return ` must be a list of providers, such as [${FORM}], but is ${show(given)}`;
  const tokens = given.map((one: unknown) => (isOptionsObject(one) ? Reflect.get(one, 'provide') : undefined));
  for (const [index, one] of given.entries()) {
    const fault = findFaultOfOne(one) ?? findTwin(tokens, index);
    if (fault !== undefined) return `[${index}]${fault}`;
  }
  return undefined;
}

function findFaultOfOne(one: unknown): string | undefined {
  if (!isOptionsObject(one)) return ` must be a provider, such as ${FORM}, but is ${show(one)}`;
  const token: unknown = Reflect.get(one, 'provide');
  if (token === undefined || token === null) return ' has no token; give provide';
  const of = ofToken(token);
  const unknown = Object.keys(one).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `${of} has an unknown key, ${unknown}; known are ${KEYS.join(', ')}`;
  const kinds = KINDS.filter((kind) => Reflect.get(one, kind) !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    return `${of} needs one of ${KINDS.join(', ')}, but has ${kinds.join(' and ') || 'none with a value'}`;
  }
  const value: unknown = Reflect.get(one, kind);
  const isRight = kind === 'useValue' || typeof value === 'function';
  return isRight ? undefined : `${of} needs a function as its ${kind}, but has ${show(value)}`;
}

function findTwin(tokens: readonly unknown[], index: number): string | undefined {
  const first = tokens.indexOf(tokens[index]);
  return first === index ? undefined : `${ofToken(tokens[index])} has the token of overrides[${first}]`;
}

function ofToken(token: unknown): string {
  return `, of ${typeof token === 'function' ? token.name : String(token)},`;
}
