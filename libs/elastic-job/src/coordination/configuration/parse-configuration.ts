import {
  byName,
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
import { ConfigurationNodeError, ElasticJob2ConfigurationError } from './configuration.errors.js';
import { readMapping, type YamlMapping } from './yaml-mapping.js';

/** Names the template of a job that was created from one. */
const TEMPLATE = `${NESTJS_PREFIX}template`;
const OUR_KEYS: ReadonlySet<string> = new Set([...PROPS_SETTINGS.map((name) => NESTJS_PREFIX + name), TEMPLATE]);

/** ElasticJob's settings that have another name or form there than in `JobOptions`, or two places. */
export const JAVA_TEXTS = [
  'jobName',
  'timeZone',
  'jobShardingStrategyType',
  'jobErrorHandlerType',
  /** Called so since ElasticJob 3.0.5. */
  'jobExecutorThreadPoolSizeProviderType',
  /** The same setting as it was called before. */
  'jobExecutorServiceHandlerType',
] as const;

type JavaTexts = { readonly [Name in (typeof JAVA_TEXTS)[number]]: string | undefined };

type JavaSettings = { readonly [Name in SettingAt<'java'>]: JobConfiguration[Name] | undefined };

/** What a `config` node says; a field is undefined if the node does not mention it. */
export interface StoredConfiguration extends JavaSettings, JavaTexts {
  readonly jobListenerTypes: readonly string[] | undefined;
  readonly jobExtraConfigurations: HiddenText | undefined;
  /** The user's. */
  readonly props: Readonly<Record<string, string>>;
  /** The settings that Java does not have. */
  readonly nestjs: StoredNestjsProps;
  readonly unknown: UnknownParts;
}

/** True if the node is that of a job which was created from a template: it says only what differs from that. */
export function isCreated({ nestjs }: StoredConfiguration): boolean {
  return nestjs.template !== undefined;
}

type NestjsSettings = {
  readonly [Name in SettingAt<'nestjs' | 'either'>]: StoredProp<
    Name extends 'strategy' ? string : JobConfiguration[Name]
  >;
};

/** `none` is a setting that has no value; undefined is one that the node leaves to the local options. */
type StoredProp<Value> = undefined extends Value ? Value | typeof NONE : Value | undefined;

interface StoredNestjsProps extends NestjsSettings {
  /** No setting, but the template from which the job was created. */
  readonly template: TemplateName | undefined;
}

/** What other versions, of Java's or of ours, have written. It is kept, and never understood. */
interface UnknownParts {
  /** The texts of entries of the top level, by key. */
  readonly entries: ReadonlyMap<string, string>;
  /** Props that begin as ours do. */
  readonly props: Readonly<Record<string, string>>;
}

/** What could be read of a node, and what is wrong with it: one text per fault. */
export interface ReadConfiguration {
  readonly stored: StoredConfiguration;
  readonly problems: readonly string[];
}

/**
 * Reads the text of a `config` node as Java does: YAML 1.1, or JSON, which is a form of it. Tagged values (`!!...`,
 * such as data sources) are not looked into.
 * @throws {ConfigurationNodeError} with job and line if the text is no YAML mapping, or has a value of the wrong type.
 * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it.
 * @see ElasticJob, `JobConfigurationPOJO` of every release 3.x
 */
export function parseConfiguration(text: string, jobName: JobName): StoredConfiguration {
  const { stored, problems } = readConfiguration(text, jobName);
  if (problems.length > 0) throw new ConfigurationNodeError(jobName, problems);
  return stored;
}

/**
 * Passes every text that ElasticJob 2 has not written, also one that cannot be read.
 * @throws {ElasticJob2ConfigurationError}
 */
export function assertNotElasticJob2(text: string, jobName: JobName): void {
  try {
    readConfiguration(text, jobName);
  } catch (error) {
    if (error instanceof ElasticJob2ConfigurationError) throw error;
  }
}

/** As `parseConfiguration`, but a wrong value is undefined, and told. */
export function readConfiguration(text: string, jobName: JobName): ReadConfiguration {
  const read = readMapping(text);
  if (read.kind === 'unreadable') throw new ConfigurationNodeError(jobName, [read.problem]);
  const { mapping } = read;
  return { stored: readStored(mapping, jobName), problems: mapping.problems };
}

/** What a mapping says that has the keys of a `config` node. The mapping notes what is wrong. */
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

/** The user's props, and those that only another version knows. */
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
    if (key === '<<') mapping.refuse(key, 'must be written out: what it merges is not read');
    const entry = mapping.entryText(key);
    if (entry !== undefined) entries.set(key, `${entry.key}:${entry.value}`);
  }
  return entries;
}
