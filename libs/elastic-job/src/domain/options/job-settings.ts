import type { JobName } from '../cluster/index.js';
import { CronSchedule } from '../schedule/index.js';
import { CRON_DIALECTS, type CronDialect, readQuartz } from './cron-dialect.js';
import type { JobConfiguration } from './job-configuration.js';
import { type CodeOption, type JobDefaults, type JobOptions, ON_HUNG, type OwnOption } from './job-options.js';
import {
  appName,
  className,
  concurrency,
  fileUrl,
  jobName,
  jobNames,
  props,
  resources,
  strategy,
  taskOptions,
  typeNames,
  yamlList,
} from './job-options.rules.js';
import { GREATEST_MISFIRE_LIMIT, MISFIRE_POLICIES } from './misfire-policy.js';
import { flag, type KeptRule, number, oneOf, readAs, text, wholeNumber } from './option-rules.js';
import { namesOf, type OptionRow } from './option-table.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

/** The options with every default applied, before any rule has judged them. */
export type CompleteOptions = Omit<JobConfiguration, 'jobExtraConfigurations' | 'jobName' | 'strategy'> & {
  readonly name: JobName;
  readonly className: string | undefined;
  readonly cronDialect: CronDialect;
  readonly jobExtraConfigurations: JobOptions['jobExtraConfigurations'];
  readonly strategy: NonNullable<JobOptions['strategy']>;
};

type Place = 'java' | 'nestjs' | 'either' | 'apart' | 'process';

/** The row of a setting. @see JOB_SETTINGS */
export interface Setting extends OptionRow {
  readonly at: Place;
  readonly absent?: unknown;
  readonly secret?: true;
  readonly own?: true;
  readonly normalize?: (given: unknown) => unknown;
}

/** The row of one setting, with values of the type that the option has. */
type SettingOf<Name extends keyof JobOptions> = Setting & {
  readonly default: undefined extends JobOptions[Name] ? CompleteOptions[Name] : undefined;
  readonly absent?: CompleteOptions[Name];
  readonly own?: Name extends OwnOption ? true : never;
} & (Name extends OwnOption ? { readonly own: true } : unknown) &
  (Name extends CodeOption
    ? { readonly at: 'process' }
    : | { readonly at: 'java' | 'nestjs' | 'either'; readonly rule: KeptRule<NonNullable<CompleteOptions[Name]>> }
      | { readonly at: 'apart' });

const DAILY = '0 0 0 * * ?';

/**
 * Every setting of a job, one row each, in the order in which errors name them. `JobOptions` has the purpose of each
 * setting, and the row has:
 * - `default`: the value of a setting that is not given;
 * - `required`: true if it must be given;
 * - `rule`: the values that are accepted, their description, and how the registry's text is read;
 * - `normalize`: the conversion of a given value into the stored form;
 * - `at`: the place of the setting in the registry's `config` node. `java`: an entry of that name, which Java reads.
 *   `nestjs`: one of the props, `nestjs.` and the name, which Java ignores. `either`: at top level if Java knows the
 *   value, else among the props. `apart`: an entry of its own form. `process`: none, since it is code;
 * - `absent`: the value where a node of Java does not mention it. The default one is that of the row for `java`, and
 *   that of the process for `nestjs`;
 * - `secret`: true if the value may be a secret;
 * - `own`: true if each job has a value of its own. Of the others, those that are no code may have a default in the
 *   module. @see JobDefaults
 *
 * The configuration room reads, lays and formats `java` and `nestjs` by these rows alone, but for settings that depend
 * on other ones: `overwrite`, `clockChange`, `resident`, `misfirePolicy` and `after`. It spells out `either` and
 * `apart`.
 */
export const JOB_SETTINGS = {
  name: { default: '', rule: jobName(), at: 'apart', own: true },
  cron: {
    default: undefined,
    rule: readAs('a Quartz cron expression such as "0 0 2 * * ?"', readQuartz),
    at: 'java',
    own: true,
    normalize: orNone,
  },
  cronDialect: { default: 'quartz', rule: oneOf(CRON_DIALECTS), at: 'process' },
  className: { default: undefined, rule: className(), at: 'process' },
  shardingTotalCount: {
    default: undefined,
    required: true,
    rule: wholeNumber({ from: 1 }),
    at: 'java',
    own: true,
    absent: 0,
  },
  shardingItemParameters: {
    default: '',
    rule: readAs('a text such as "0=Beijing,1=Shanghai"', parseShardingItemParameters),
    at: 'java',
    own: true,
    secret: true,
  },
  jobParameter: { default: '', rule: text(), at: 'java', own: true, secret: true },
  strategy: { default: 'BALANCED', rule: strategy(), at: 'either', absent: 'AVG_ALLOCATION' },
  timeZone: {
    default: undefined,
    rule: readAs(
      'an IANA name such as "Europe/Berlin", or "GMT+8:00"',
      (zone) => new CronSchedule(DAILY, zone, 'quartz'),
    ),
    at: 'either',
  },
  clockChange: { default: 'auto', rule: oneOf(['auto', 'quartz', 'natural']), at: 'nestjs', absent: 'quartz' },
  failover: { default: false, rule: flag(), at: 'java' },
  misfire: { default: true, rule: flag(), at: 'java', absent: false },
  monitorExecution: { default: true, rule: flag(), at: 'java', absent: false },
  disabled: { default: false, rule: flag(), at: 'java' },
  overwrite: { default: false, rule: flag(), at: 'java' },
  description: { default: '', rule: text(), at: 'java', own: true },
  maxTimeDiffSeconds: { default: -1, rule: wholeNumber(), at: 'java' },
  reconcileIntervalMinutes: { default: 10, rule: wholeNumber(), at: 'java', absent: 0 },
  staticSharding: { default: false, rule: flag(), at: 'java' },
  label: { default: undefined, rule: text(), at: 'java' },
  props: { default: {}, rule: props(), at: 'apart', own: true },
  jobExecutorThreadPoolSizeProviderType: {
    default: undefined,
    rule: text(),
    at: 'either',
    own: true,
    normalize: orNone,
  },
  jobErrorHandlerType: { default: undefined, rule: text(), at: 'either', normalize: orNone },
  jobListenerTypes: { default: [], rule: typeNames(), at: 'either' },
  jobExtraConfigurations: { default: undefined, rule: yamlList(), at: 'apart', own: true, normalize: orNone },
  serverRetentionMinutes: { default: 1_440, rule: wholeNumber({ from: 0 }), at: 'nestjs' },
  shardingTimeoutMs: { default: 30_000, rule: wholeNumber({ from: 1 }), at: 'nestjs' },
  timeoutMs: { default: undefined, rule: wholeNumber({ from: 1 }), at: 'nestjs' },
  concurrency: { default: undefined, rule: concurrency(), at: 'nestjs' },
  onHung: { default: 'wait', rule: oneOf(ON_HUNG), at: 'nestjs' },
  shutdownGraceMs: { default: 5_000, rule: wholeNumber({ from: 0 }), at: 'nestjs' },
  failoverQueueLimit: { default: 10_000, rule: wholeNumber({ from: 1 }), at: 'nestjs' },
  maxExecutorFailovers: { default: 3, rule: wholeNumber({ from: 0 }), at: 'nestjs' },
  resident: { default: false, rule: flag(), at: 'nestjs', own: true },
  misfirePolicy: { default: 'once', rule: oneOf(MISFIRE_POLICIES), at: 'nestjs' },
  misfireLimit: { default: 100, rule: wholeNumber({ from: 1, to: GREATEST_MISFIRE_LIMIT }), at: 'nestjs' },
  maxAttempts: { default: 1, rule: wholeNumber({ from: 1 }), at: 'nestjs' },
  retryDelayMs: { default: 1_000, rule: wholeNumber({ from: 0 }), at: 'nestjs' },
  retryFactor: { default: 2, rule: number(1, 100), at: 'nestjs' },
  retryMaxDelayMs: { default: 60_000, rule: wholeNumber({ from: 0 }), at: 'nestjs' },
  retryJitter: { default: 0.5, rule: number(0, 1), at: 'nestjs' },
  isolation: { default: undefined, rule: oneOf(['worker-thread']), at: 'process' },
  workerModule: { default: undefined, rule: fileUrl(), at: 'process', normalize: hrefOf },
  workerExport: {
    default: 'run',
    rule: readAs('the name of an exported function', (name) => name.length > 0),
    at: 'process',
  },
  executor: { default: undefined, rule: oneOf(['task']), at: 'process' },
  appName: { default: undefined, rule: appName(), at: 'process' },
  resources: { default: undefined, rule: resources(), at: 'process' },
  task: { default: undefined, rule: taskOptions(), at: 'process' },
  after: { default: [], rule: jobNames(), at: 'nestjs', own: true, normalize: unique },
} as const satisfies { readonly [Name in keyof JobOptions]-?: SettingOf<Name> };

type Rows = typeof JOB_SETTINGS;

/** The names of the settings at a place. */
export type SettingAt<At extends Place> = keyof {
  [Name in keyof Rows as Rows[Name]['at'] extends At ? Name : never]: Name;
};

/** The names of all settings, in the order of the table. */
export const SETTING_NAMES = namesOf(JOB_SETTINGS);

/** Names of the settings by their place, in the order of the table. */
export const JAVA_SETTINGS = settingsAt('java');
export const NESTJS_SETTINGS = settingsAt('nestjs');
/** Options that are code. */
export const CODE_OPTIONS: readonly CodeOption[] = settingsAt('process');
/** Settings that the props of the registry may hold. */
export const PROPS_SETTINGS = settingsAt('nestjs', 'either');

/** Settings that may have a default in the module, in the order of the table. */
export const COMMON_SETTINGS = SETTING_NAMES.filter((name): name is keyof JobDefaults => isCommon(JOB_SETTINGS[name]));

function isCommon({ at, own }: Setting): boolean {
  return at !== 'process' && own !== true;
}

function settingsAt<At extends Place>(...places: readonly At[]): readonly SettingAt<At>[] {
  return SETTING_NAMES.filter((name): name is SettingAt<At> => places.some((at) => at === JOB_SETTINGS[name].at));
}

/** Takes an empty text as no value. */
function orNone(given: unknown): unknown {
  return given || undefined;
}

/** The text of a URL. */
function hrefOf(given: unknown): unknown {
  return given instanceof URL ? given.href : given;
}

/** A list without repeats, from one name or several. */
function unique(given: unknown): unknown {
  return [...new Set([given].flat())];
}
