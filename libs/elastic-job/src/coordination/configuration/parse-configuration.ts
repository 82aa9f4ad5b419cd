import {
  byName,
  ElasticJobError,
  hiddenProps,
  HiddenText,
  JAVA_SETTINGS,
  JOB_SETTINGS,
  type JobConfiguration,
  type JobName,
  NESTJS_PREFIX,
  NONE,
  PROPS_SETTINGS,
  type SettingAt,
  type TemplateName,
} from '../../domain/index.js';
import { readMapping, type YamlMapping } from './yaml-mapping.js';

/** Prop that names the template of a job created from one. */
const TEMPLATE = `${NESTJS_PREFIX}template`;
const OUR_KEYS: ReadonlySet<string> = new Set([...PROPS_SETTINGS.map((name) => NESTJS_PREFIX + name), TEMPLATE]);

/** ElasticJob's settings that have another name or form there than in `JobOptions`, or two places. */
export const JAVA_TEXTS = [
  'jobName',
  'timeZone',
  'jobShardingStrategyType',
  'jobErrorHandlerType',
  /** Name since ElasticJob 3.0.5. */
  'jobExecutorThreadPoolSizeProviderType',
  /** Earlier name of the same setting. */
  'jobExecutorServiceHandlerType',
] as const;

type JavaTexts = { readonly [Name in (typeof JAVA_TEXTS)[number]]: string | undefined };

type JavaSettings = { readonly [Name in SettingAt<'java'>]: JobConfiguration[Name] | undefined };

/** Content of a `config` node; a field is undefined if the node lacks it. */
export interface StoredConfiguration extends JavaSettings, JavaTexts {
  readonly jobListenerTypes: readonly string[] | undefined;
  readonly jobExtraConfigurations: HiddenText | undefined;
  /** Props of the user. */
  readonly props: Readonly<Record<string, string>>;
  /** Settings that Java does not have. */
  readonly nestjs: StoredNestjsProps;
  readonly unknown: UnknownParts;
}

/** True if the node belongs to a job created from a template: it holds only differences from the template. */
export function isCreated({ nestjs }: StoredConfiguration): boolean {
  return nestjs.template !== undefined;
}

type NestjsSettings = {
  readonly [Name in SettingAt<'nestjs' | 'either'>]: StoredProp<
    Name extends 'strategy' ? string : JobConfiguration[Name]
  >;
};

/** `none` is a setting without a value; undefined leaves the setting to the local options. */
type StoredProp<Value> = undefined extends Value ? Value | typeof NONE : Value | undefined;

interface StoredNestjsProps extends NestjsSettings {
  /** Not a setting, but the template from which the job was created. */
  readonly template: TemplateName | undefined;
}

/** Parts written by other versions, Java's or ours. They are kept but not interpreted. */
interface UnknownParts {
  /** Texts of entries at top level, by key. */
  readonly entries: ReadonlyMap<string, string>;
  /** Props with our prefix. */
  readonly props: Readonly<Record<string, string>>;
}

/** The readable content of a node, and its faults: one text per fault. */
export interface ReadConfiguration {
  readonly stored: StoredConfiguration;
  readonly problems: readonly string[];
}

/**
 * Reads the text of a `config` node as Java does: YAML 1.1, including JSON. Tagged values (`!!...`, such as data
 * sources) are not interpreted.
 * @throws {ConfigurationNodeError} with job and line if the text is not a YAML mapping, or a value has the wrong type
 * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it
 * @see ElasticJob, `JobConfigurationPOJO` of every release 3.x
 */
export function parseConfiguration(text: string, jobName: JobName): StoredConfiguration {
  const { stored, problems } = readConfiguration(text, jobName);
  if (problems.length > 0) throw new ConfigurationNodeError(jobName, problems);
  return stored;
}

/**
 * Accepts every text that ElasticJob 2 has not written, even an unreadable one.
 * @throws {ElasticJob2ConfigurationError}
 */
export function assertNotElasticJob2(text: string, jobName: JobName): void {
  try {
    readConfiguration(text, jobName);
  } catch (error) {
    if (error instanceof ElasticJob2ConfigurationError) throw error;
  }
}

/** Like `parseConfiguration`, but a wrong value becomes undefined and is reported. */
export function readConfiguration(text: string, jobName: JobName): ReadConfiguration {
  const read = readMapping(text);
  if (read.kind === 'unreadable') throw new ConfigurationNodeError(jobName, [read.problem]);
  const { mapping } = read;
  return { stored: readStored(mapping, jobName), problems: mapping.problems };
}

/** Content of a mapping with the keys of a `config` node. The mapping collects the faults. */
export function readStored(mapping: YamlMapping, jobName: JobName): StoredConfiguration {
  if (mapping.has('jobClass') || mapping.has('jobType')) throw new ElasticJob2ConfigurationError(jobName);
  const props = mapping.mapping('props');
  const { users, unknown } = propsBesideOurs(props);
  const extra = mapping.entryText('jobExtraConfigurations')?.value;
  const java = {
    ...byName<JavaSettings>(JAVA_SETTINGS, (name) => JOB_SETTINGS[name].rule.read(mapping, name, [])),
    ...byName<JavaTexts>(JAVA_TEXTS, (name) => mapping.text(name)),
    jobListenerTypes: mapping.texts('jobListenerTypes'),
    jobExtraConfigurations: extra === undefined ? undefined : new HiddenText(extra),
  };
  return {
    ...java,
    props: users,
    nestjs: nestjsProps(props),
    unknown: { entries: entriesBut([...Object.keys(java), 'props'], mapping), props: unknown },
  };
}

function nestjsProps(props: YamlMapping): StoredNestjsProps {
  const settings = byName<NestjsSettings>(PROPS_SETTINGS, (name) => {
    const { default: usual, rule } = JOB_SETTINGS[name];
    return rule.read(props, NESTJS_PREFIX + name, usual === undefined ? [NONE] : []);
  });
  return { ...settings, template: props.text(TEMPLATE) };
}

/** Props of the user, and props that only another version knows. */
function propsBesideOurs(props: YamlMapping) {
  const users: [string, string][] = [];
  const unknown: [string, string][] = [];
  for (const key of props.keys) {
    if (OUR_KEYS.has(key)) continue;
    const text = props.looseText(key);
    if (text !== undefined) (key.startsWith(NESTJS_PREFIX) ? unknown : users).push([key, text]);
  }
  return { users: hiddenProps(Object.fromEntries(users)), unknown: hiddenProps(Object.fromEntries(unknown)) };
}

function entriesBut(known: readonly string[], mapping: YamlMapping): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  const isKnown = new Set(known);
  for (const key of mapping.keys) {
    if (isKnown.has(key)) continue;
    if (key === '<<') mapping.refuse(key, 'must be written out: merged mappings are not read');
    const entry = mapping.entryText(key);
    if (entry !== undefined) entries.set(key, `${entry.key}:${entry.value}`);
  }
  return entries;
}

const HIDDEN = 'hidden';
/** Settings without secrets. Entries of other versions may contain some. */
const SHOWN: ReadonlySet<string> = new Set([
  ...JAVA_SETTINGS.filter((name) => !('secret' in JOB_SETTINGS[name])),
  ...JAVA_TEXTS,
  'jobListenerTypes',
]);

/**
 * Text of a `config` node without the values of parameters, props and extra configurations, which may be secrets; their
 * names stay. An unreadable text is hidden as a whole.
 */
export function maskConfiguration(text: string): string {
  const read = readMapping(text);
  if (read.kind === 'unreadable') return HIDDEN;
  return [...read.mapping.keys].flatMap((key) => linesOf(read.mapping, key)).join('\n');
}

function linesOf(mapping: YamlMapping, key: string): readonly string[] {
  const entry = mapping.entryText(key);
  if (entry === undefined) return [];
  if (SHOWN.has(key)) return [`${entry.key}:${entry.value}`];
  if (key !== 'props') return [`${entry.key}: ${/^\s*(?:''|"")?\s*$/.test(entry.value) ? "''" : HIDDEN}`];
  const props = mapping.mapping(key);
  return [`${key}:`, ...[...props.keys].map((name) => `  ${JSON.stringify(name)}: ${propOf(props, name)}`)];
}

function propOf(props: YamlMapping, name: string): string {
  return name.startsWith(NESTJS_PREFIX) ? JSON.stringify(props.text(name) ?? '') : HIDDEN;
}

/** Most faults that are reported of one text. */
const REPORTED_PROBLEMS = 20;
const REPORTED_CHARACTERS = 500;

/**
 * The registry's `config` node of a job is unusable. The last usable text stays in force; without one nothing of the
 * job begins until the node is corrected.
 * @remarks Correct the `config` node through `JobConfigurationApi` or the console, or start the job once with
 *   `overwrite: true`.
 */
export class ConfigurationNodeError extends ElasticJobError {
  readonly code = 'CONFIGURATION_NODE';

  /** One line per fault: the line of the text, or the field with its value. Long ones are cut. */
  readonly problems: readonly string[];

  constructor(
    readonly jobName: JobName,
    problems: readonly string[],
    options?: ErrorOptions,
  ) {
    const reported = problems.slice(0, REPORTED_PROBLEMS).map(cut);
    super(
      `The registry's config node of job "${jobName}" cannot be used: ${reported.join('; ')}. ` +
        'Correct the node, or start the job once with overwrite: true.',
      options,
    );
    this.problems = reported;
  }
}

function cut(problem: string): string {
  return problem.length <= REPORTED_CHARACTERS ? problem : `${problem.slice(0, REPORTED_CHARACTERS)}...`;
}

/**
 * A job created from a template was removed, is about to be, or was replaced by a new one of its name.
 * @remarks Nothing has to be done, if the removal was meant. Else create the job again from its template.
 */
export class JobRemovedError extends ElasticJobError {
  readonly code = 'JOB_REMOVED';

  constructor(readonly jobName: JobName) {
    super(`Job "${jobName}" was removed; this process leaves it.`);
  }
}

/**
 * The job belongs to ElasticJob 2, whose instances cannot share it with this package. It is left unchanged.
 * @remarks Choose another job name or namespace. `importElasticJob2Configuration` makes options of the old text.
 */
export class ElasticJob2ConfigurationError extends ElasticJobError {
  readonly code = 'ELASTIC_JOB_2_CONFIGURATION';

  constructor(readonly jobName: JobName) {
    super(
      `The registry's config node of job "${jobName}" cannot be used: it was written by ElasticJob 2 (JSON), but ` +
        'this package reads the YAML of ElasticJob 3. Use another job name or namespace; ' +
        'importElasticJob2Configuration turns the text into options for it.',
    );
  }
}
