import { readStored, type YamlEntry, YamlMapping, type YamlNode } from '../coordination/index.js';
import type { JobName } from '../domain/index.js';
import {
  type Advice,
  BEAN_ADVICE,
  CLASS_ADVICE,
  type Findings,
  REGISTRY_ADVICE,
  REGISTRY_PART_ADVICE,
  UNKNOWN_ADVICE,
} from './findings.js';
import type { ImportedJob, ImportedRegistry } from './imported.js';
import { findFaults, optionsOf } from './options-of-stored.js';
import { type Leaf, pathText, uniform } from './settings-tree.js';

/** @see ElasticJob, `ZookeeperProperties` of every release 3.0.x */
const REGISTRY_SHAPES: Readonly<Record<string, Shape>> = {
  serverLists: 'word',
  namespace: 'word',
  baseSleepTimeMilliseconds: 'word',
  maxSleepTimeMilliseconds: 'word',
  maxRetries: 'word',
  sessionTimeoutMilliseconds: 'word',
  connectionTimeoutMilliseconds: 'word',
  digest: 'word',
  type: 'word',
};
const PATH = 'elasticjob.regCenter';
/** A path behind the servers, in which Curator puts the namespace. */
const SERVERS_AND_PATH = /^(?<servers>[^/]*)\/(?<path>[^,]*)$/;

/** The registry of `elasticjob.regCenter`. @param leaves with paths below it */
export function importSpringRegistry(leaves: readonly Leaf[], findings: Findings): ImportedRegistry | undefined {
  const { mapping, unknown, placeOf } = groupOf(findings, leaves, REGISTRY_SHAPES);
  for (const { path, text, at } of unknown) findings.leaveOut(`${PATH}.${pathText(path)}`, text, at, UNKNOWN_ADVICE);
  const leaveOut = (key: string, advice: Advice) =>
    findings.leaveOut(`${PATH}.${key}`, mapping.text(key) ?? '', placeOf(key)!, advice);
  for (const [key, advice] of Object.entries(REGISTRY_ADVICE)) {
    const isOurs = key === 'type' && mapping.text(key)?.toLowerCase() === 'zookeeper';
    if (mapping.has(key) && !isOurs) leaveOut(key, advice);
  }
  const timeouts = {
    sessionTimeoutMs: mapping.integerOr('sessionTimeoutMilliseconds', []),
    connectionTimeoutMs: mapping.integerOr('connectionTimeoutMilliseconds', []),
  };
  const digest = mapping.text('digest');
  const [serverLists, given] = [mapping.text('serverLists'), mapping.text('namespace')];
  findings.problems.push(...mapping.problems);
  if (!serverLists || !given) {
    if (serverLists) leaveOut('serverLists', REGISTRY_PART_ADVICE);
    if (given) leaveOut('namespace', REGISTRY_PART_ADVICE);
    return undefined;
  }
  const { servers = serverLists, path } = SERVERS_AND_PATH.exec(serverLists)?.groups ?? {};
  return {
    type: 'zookeeper',
    servers,
    namespace: path ? `${path}/${given}` : given,
    // Of 0 Curator makes its default.
    ...Object.fromEntries(Object.entries(timeouts).filter(([, ms]) => ms)),
    ...(digest ? { digest } : {}),
  };
}

/** Settings of a job in Spring Boot. @see ElasticJob, `ElasticJobConfigurationProperties` of every release 3.0.x */
const JOB_SHAPES: Readonly<Record<string, Shape>> = {
  elasticJobClass: 'word',
  elasticJobType: 'word',
  jobBootstrapBeanName: 'word',
  cron: 'word',
  timeZone: 'word',
  shardingTotalCount: 'word',
  shardingItemParameters: 'word',
  jobParameter: 'text',
  monitorExecution: 'word',
  failover: 'word',
  misfire: 'word',
  maxTimeDiffSeconds: 'word',
  reconcileIntervalMinutes: 'word',
  jobShardingStrategyType: 'word',
  jobExecutorServiceHandlerType: 'word',
  jobExecutorThreadPoolSizeProviderType: 'word',
  jobErrorHandlerType: 'word',
  jobListenerTypes: 'list',
  description: 'text',
  disabled: 'word',
  overwrite: 'word',
  props: 'texts by name',
};
/** Types of ElasticJob 3.0.x by which Spring finds a bean. Any other class is the user's, whatever its package. */
const JOB_TYPES = ['api.ElasticJob', 'simple.job.SimpleJob', 'dataflow.job.DataflowJob'].map(
  (type) => `org.apache.shardingsphere.elasticjob.${type}`,
);
const BUILT_IN_TYPES = ['HTTP', 'SCRIPT'];

/** The options of one of `elasticjob.jobs`. @param leaves with paths below the job */
export function importSpringJob(name: JobName, leaves: readonly Leaf[], findings: Findings): ImportedJob {
  const path = `elasticjob.jobs.${name}`;
  const { mapping, unknown, placeOf } = groupOf(findings, leaves, JOB_SHAPES);
  const start = leaves[0]?.at ?? 0;
  for (const { path: below, text, at } of unknown) {
    if (below.length === 0) findings.refuse(at, `${path} must be a mapping of settings, but is "${text}"`);
    else findings.leaveOut(`${path}.${pathText(below)}`, text, at, UNKNOWN_ADVICE);
  }
  const leaveOut = (key: string, value: string, advice: Advice) =>
    findings.leaveOut(`${path}.${key}`, value, placeOf(key.replace(/\[\d+\]$/, '')) ?? start, advice);
  const [className, type] = [mapping.text('elasticJobClass'), mapping.text('elasticJobType')];
  if (className && type)
    findings.refuse(start, `${path} has elasticJobClass and elasticJobType; Java takes one of them`);
  const bean = mapping.text('jobBootstrapBeanName');
  if (bean) leaveOut('jobBootstrapBeanName', bean, BEAN_ADVICE);
  const isJobType = className !== undefined && JOB_TYPES.includes(className);
  if (isJobType) leaveOut('elasticJobClass', className, CLASS_ADVICE);
  const job: ImportedJob = {
    ...(type ? { type: typeOf(type) } : {}),
    ...(className && !isJobType ? { className } : {}),
    ...optionsOf(readStored(mapping, name), leaveOut),
  };
  findings.problems.push(...mapping.problems);
  if (mapping.problems.length > 0) return job;
  for (const fault of findFaults(name, job))
    findings.refuse(placeOf(/^\w*/.exec(fault)![0]) ?? start, `${path}.${fault}`);
  return job;
}

/** Java takes its types in any case. */
function typeOf(given: string): string {
  const type = given.toUpperCase();
  return BUILT_IN_TYPES.includes(type) ? type : given;
}

/** The form of a setting's value. Spring Boot takes blanks around a word away. */
type Shape = 'word' | 'text' | 'list' | 'texts by name';

/** A setting of a group, with what the file says of it. */
interface Setting {
  readonly name: string;
  readonly at: number;
  node: YamlNode;
}

/** The settings below a path, as `groupOf` sorts them. */
interface Group {
  /** The known settings, under the names that they have in ElasticJob. */
  readonly mapping: YamlMapping;
  /** Settings that are not known, with their paths below the group. */
  readonly unknown: readonly Leaf[];
  /** The position at which a known setting is first said, or an entry of it, such as `props.email.host`. */
  readonly placeOf: (name: string) => number | undefined;
}

/**
 * The settings of one object, such as a job, of which ElasticJob knows the names: `job-parameter` is `jobParameter`.
 * @param leaves with paths below the object
 */
function groupOf(findings: Findings, leaves: readonly Leaf[], shapes: Readonly<Record<string, Shape>>): Group {
  const names = new Map(Object.keys(shapes).map((name) => [uniform(name), name]));
  const settings = new Map<string, Setting>();
  const unknown: Leaf[] = [];
  for (const leaf of leaves) {
    const name = names.get(uniform(leaf.path[0] ?? ''));
    const below = leaf.path.slice(1);
    const node = name === undefined ? undefined : nodeOf(shapes[name]!, below, leaf, settings.get(name)?.node);
    if (name === undefined || node === undefined) unknown.push(leaf);
    else settings.set(name, { name, at: settings.get(name)?.at ?? leaf.at, node });
  }
  const entries = [...settings.values()].map(({ name, at, node }) => entryOf(name, at, node));
  return {
    mapping: new YamlMapping(findings.source, entries, [], findings.placeOf),
    unknown,
    placeOf: placesIn(entries),
  };
}

/** The value of a setting once a leaf is added to it; undefined if the setting cannot have such a leaf. */
function nodeOf(shape: Shape, below: readonly string[], leaf: Leaf, before?: YamlNode): YamlNode | undefined {
  const value: YamlNode = { kind: 'scalar', text: leaf.text, isPlain: false };
  switch (shape) {
    case 'word':
      return below.length === 0 ? { ...value, text: leaf.text.trim() } : undefined;
    case 'text':
      return below.length === 0 ? value : undefined;
    case 'list': {
      if (below.length === 0) return { kind: 'list', items: textsOf(leaf.text) };
      const items = before?.kind === 'list' ? before.items : [];
      return below.length === 1 && /^\[\d+\]$/.test(below[0]!) ? { kind: 'list', items: [...items, value] } : undefined;
    }
    default: {
      if (below.length === 0) return leaf.text === '' ? before : undefined;
      const entries = before?.kind === 'mapping' ? before.entries : [];
      return { kind: 'mapping', entries: [...entries, entryOf(pathText(below), leaf.at, value)] };
    }
  }
}

/** Spring Boot splits a text where a list is wanted. */
function textsOf(text: string): readonly YamlNode[] {
  const texts = text.split(',').map((part) => part.trim());
  return texts.flatMap((part) => (part === '' ? [] : [{ kind: 'scalar', text: part, isPlain: false } as const]));
}

function entryOf(key: string, at: number, value: YamlNode): YamlEntry {
  return { key, value, at, keyEnd: at, valueEnd: at, isFlow: false };
}

/** Names the position of a key, or of an entry below it: `props.email.host` is `email.host` in `props`. */
export function placesIn(entries: readonly YamlEntry[]): (path: string) => number | undefined {
  const places = new Map<string, number>();
  for (const { at, key, value } of entries) {
    places.set(key, at);
    if (value.kind === 'mapping') for (const entry of value.entries) places.set(`${key}.${entry.key}`, entry.at);
  }
  return (path) => places.get(path) ?? places.get(/^\w*/.exec(path)![0]);
}
