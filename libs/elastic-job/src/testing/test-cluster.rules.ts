import { isOptionsObject, number, type OptionRow, OptionTable, rule, wholeNumber } from '../domain/index.js';
import { overrides } from './overrides.rules.js';
import type { FunctionsProgramOptions } from './functions-program.js';
import type {
  TestApplications,
  TestClusterOptions,
  TestClusterSettings,
  TestFunctions,
} from './test-cluster-options.js';

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
