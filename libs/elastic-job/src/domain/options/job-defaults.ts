/**
 * Values that jobs have in common. They stand below a job's own options and above the library's defaults. One that
 * contradicts the job's own options does not go with this job, and is left out: a default refuses no job.
 */
import { type Accepted, findContradictions } from './contradictions.js';
import type { JobDefaults, JobOptions } from './job-options.js';
import { COMMON_SETTINGS, type CompleteOptions, JOB_SETTINGS, type Setting, SETTING_NAMES } from './job-settings.js';
import { resolveMisfire } from './misfire-policy.js';
import { byName, nested, OptionTable } from './option-table.js';
import { mustBe, type Rule, rule } from './option-rules.js';
import { isOptionsObject } from './given-values.js';

type CommonName = keyof JobDefaults;
type CommonRow = (typeof JOB_SETTINGS)[CommonName];

/** Rows of the settings that may have a default in the module. */
export const JOB_DEFAULTS = byName<Readonly<Record<CommonName, CommonRow>>>(
  COMMON_SETTINGS,
  (name) => JOB_SETTINGS[name],
);

const WHAT = 'settings that jobs have in common, such as { timeZone: "Europe/Berlin" }';
const TABLE = new OptionTable(JOB_DEFAULTS, 'the defaults of jobs', 'defaults.');

/** Rule for the defaults of a module. */
export function jobDefaults(): Rule {
  return nested(WHAT, TABLE);
}

/** Rule for defaults whose values are judged with the options that they complete. */
export function commonNames(): Rule {
  const isKnown = (given: unknown) => isOptionsObject(given) && TABLE.findUnknown(given).length === 0;
  return rule(WHAT, isKnown, (given) =>
    isOptionsObject(given.value) ? TABLE.findUnknown(given.value).join('; ') : mustBe(WHAT)(given),
  );
}

/** The defaults of a template: a job that is created from it has no code to write over the registry at a start. */
export function defaultsOfTemplate(defaults: JobDefaults = {}): JobDefaults {
  return { ...defaults, overwrite: undefined };
}

/** Finds defaults that contradict each other. @param defaults keep the rule of `jobDefaults` */
export function findDefaultsFaults(defaults: JobDefaults): readonly string[] {
  const faults = findContradictions(withDefaults({ name: '', shardingTotalCount: 1, ...defaults }));
  return faults.map((fault) => `defaults.${fault}`);
}

/** The options, with the defaults of those that they leave open. */
export function overDefaults(options: JobOptions, source: Accepted & { readonly defaults?: JobDefaults }): JobOptions {
  const { defaults = {} } = source;
  const open = COMMON_SETTINGS.filter(
    (name) => !isGiven(options[name]) && isGiven(defaults[name]) && fits(name, options, defaults),
  );
  const faultsOf = (over: JobOptions) => findContradictions(withDefaults(over), source).length;
  return open.reduce<JobOptions>((over, name) => {
    const more = { ...over, [name]: defaults[name] };
    return faultsOf(more) > faultsOf(over) ? over : more;
  }, options);
}

/** The options with every default of the library applied. */
export function withDefaults(options: JobOptions): CompleteOptions {
  const complete = byName<CompleteOptions>(SETTING_NAMES, (name) => {
    const { default: usual, required, normalize }: Setting = JOB_SETTINGS[name];
    const value = required ? options[name] : (options[name] ?? usual);
    return normalize === undefined ? value : normalize(value);
  });
  return { ...complete, ...resolveMisfire(options) };
}

/** Defaults that no rule forbids, and that would still act against the options. */
function fits(name: CommonName, options: JobOptions, { onHung }: JobDefaults): boolean {
  if (name === 'concurrency') return !isGiven(options.jobExecutorThreadPoolSizeProviderType);
  // Its runs have no end by themselves, and it could not say that it has no limit.
  if (name === 'timeoutMs') return options.resident !== true;
  return name !== 'onHung' || onHung !== 'terminate' || isGiven(options.isolation);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
