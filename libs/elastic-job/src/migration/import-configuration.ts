import { readStored } from '../coordination/index.js';
import {
  assertText,
  ConfigurationError,
  findNodeTextFault,
  isOptionsObject,
  type JobName,
  mustBeUnseen,
  oneOf,
  type OptionRow,
  OptionTable,
  rule,
} from '../domain/index.js';
import { type Document, readProperties, readYamlDocuments, type YamlDocument } from './documents.js';
import {
  type Advice,
  defaultAdvice,
  DUMP_ADVICE,
  Findings,
  NO_VALUE_ADVICE,
  NOT_ENABLED_ADVICE,
  PLACE,
  TRACING_ADVICE,
  UNKNOWN_ADVICE,
} from './findings.js';
import type { ImportedConfiguration, ImportedJob, ImportSource } from './imported.js';
import { findFaults, optionsOf } from './options-of-stored.js';
import { settingsIn } from './profiles.js';
import { isOfElasticJob, type Leaf, leavesOf, pathText, Placeholders, uniform } from './settings-tree.js';
import { importSpringJob, importSpringRegistry, placesIn } from './spring-settings.js';

/**
 * The module options that a configuration of Apache ElasticJob 3.0.x comes to. The text is one of these:
 * - the `application.yml` or `application.properties` of its Spring Boot starter, with the profiles of its documents.
 *   Settings outside `elasticjob` are ignored;
 * - the text of a `config` node, `/{namespace}/{job}/config` in ZooKeeper.
 *
 * The result goes to the module: `ElasticJobModule.forRoot({ registry, jobs })`, beside decorated handlers of the jobs
 * that have a class. Where the text leaves a setting out, the job gets Java's value: `monitorExecution` and `misfire`
 * are then off. All that has no counterpart is in `notTakenOver`.
 * @throws {ConfigurationError} naming line and column of all that cannot be read, of keys that are there twice, and of
 *   values that no job may have; for Spring's XML, with the way to go; for a source that is no text, and wrong options
 * @throws {ElasticJob2ConfigurationError} for the `config` node of ElasticJob 2, see `importElasticJob2Configuration`
 * @see ElasticJob, `ElasticJobConfigurationProperties`, `ZookeeperProperties` and `JobConfigurationPOJO`
 */
export function importElasticJobConfiguration(text: string, source: ImportSource = {}): ImportedConfiguration {
  assertText(PLACE, text);
  const options = SOURCE_TABLE.checked('importElasticJobConfiguration', source);
  const findings = new Findings(text);
  const { format = formatOf(text) } = options;
  refuseXml(text);
  const imported = format === 'properties' ? importProperties(options, findings) : importYaml(options, findings);
  if (findings.problems.length > 0) throw new ConfigurationError(PLACE, findings.problems);
  return { ...imported, notTakenOver: findings.notTakenOver };
}

type Imported = Omit<ImportedConfiguration, 'notTakenOver'>;

/** In YAML a colon comes first, and in a `.properties` file mostly an equals sign. */
function formatOf(text: string): 'yaml' | 'properties' {
  const first = /^[ \t]*(?![#!\s]|---)(?<name>[\w.\-[\]]*)[ \t]*(?<separator>[=:])/m.exec(text);
  return first?.groups?.['separator'] === '=' ? 'properties' : 'yaml';
}

function importProperties(source: ImportSource, findings: Findings): Imported {
  const fault = findNodeTextFault(findings.source);
  if (fault !== undefined) throw new ConfigurationError(PLACE, [fault]);
  return importSpring(readProperties(findings), source, findings);
}

function importYaml(source: ImportSource, findings: Findings): Imported {
  const read = readYamlDocuments(findings);
  const [first, second] = read;
  if (second === undefined && first?.mapping.has('jobName')) return importNode(first, findings);
  const documents: Document[] = [];
  let count = 0;
  for (const document of read) {
    const leaves = leavesOf(document.mapping.written, document.at, count);
    documents.push({ at: document.at, leaves });
    count += leaves.length;
  }
  return importSpring(documents, source, findings);
}

/** The text of a `config` node. */
function importNode({ at: start, mapping }: YamlDocument, findings: Findings): Imported {
  const name = mapping.text('jobName') ?? '';
  const stored = readStored(mapping, name);
  const placeOf = placesIn(mapping.written);
  const at = (key: string) => start + (placeOf(key) ?? 0);
  const leaveOut = (key: string, value: string, advice: Advice) =>
    findings.leaveOut(key, value, at(key.replace(/\[\d+\]$/, '')), advice);
  const job = optionsOf(stored, leaveOut);
  for (const key of stored.unknown.entries.keys())
    leaveOut(key, mapping.entryText(key)?.value.trim() ?? '', UNKNOWN_ADVICE);
  for (const key of Object.keys(stored.unknown.props))
    findings.leaveOut(`props.${key}`, '', at(`props.${key}`), UNKNOWN_ADVICE);
  findings.problems.push(...mapping.problems);
  if (mapping.problems.length === 0) {
    for (const fault of findFaults(name, job)) findings.refuse(at(/^\w*/.exec(fault)![0]), fault);
  }
  return { enabled: true, registry: undefined, jobs: Object.fromEntries([[name, job]]) };
}

function importSpring(documents: readonly Document[], source: ImportSource, findings: Findings): Imported {
  const { placeholders = {}, profiles } = source;
  const leaves = settingsIn(documents, profiles, findings);
  const ours = leaves.filter(({ path }) => isOfElasticJob(path));
  if (ours.length === 0) {
    const found =
      profiles === undefined
        ? 'it has neither settings of elasticjob, as Spring Boot has them, nor a jobName, as a config node has'
        : `the documents of the active profiles (${profiles.join(', ')}) have no settings of elasticjob`;
    throw new ConfigurationError(PLACE, [...findings.problems, found]);
  }
  const filled = fill(ours, new Placeholders(placeholders, leaves), findings);
  if (!isEnabled(filled, findings)) return { enabled: false, registry: undefined, jobs: {} };
  const { registry, jobs } = partsIn(filled, findings);
  const imported = [...jobs].map(([name, job]): [JobName, ImportedJob] => [name, importSpringJob(name, job, findings)]);
  return {
    enabled: true,
    registry: registry.length === 0 ? undefined : importSpringRegistry(registry, findings),
    jobs: Object.fromEntries(imported),
  };
}

/** The settings with their placeholders replaced, without those that have no value. */
function fill(leaves: readonly Leaf[], placeholders: Placeholders, findings: Findings): readonly Leaf[] {
  return leaves.flatMap((leaf) => {
    const { defaulted, missing, text } = placeholders.fill(leaf.text);
    const advice = missing === undefined ? defaultAdvice(defaulted) : NO_VALUE_ADVICE;
    if (missing !== undefined || defaulted.length > 0)
      findings.leaveOut(pathText(leaf.path), leaf.text, leaf.at, advice);
    return missing === undefined ? [{ ...leaf, text }] : [];
  });
}

/** Any value but `true` switches ElasticJob off. @see ElasticJob, `ElasticJobAutoConfiguration` */
function isEnabled(leaves: readonly Leaf[], findings: Findings): boolean {
  const leaf = leaves.find(({ path }) => isSwitch(path));
  if (leaf === undefined || leaf.text.toLowerCase() === 'true') return true;
  findings.leaveOut(pathText(leaf.path), leaf.text, leaf.at, NOT_ENABLED_ADVICE);
  return false;
}

function isSwitch([, name = '', below]: readonly string[]): boolean {
  return uniform(name) === 'enabled' && below === undefined;
}

/** The settings by what they are about, with paths below that. */
function partsIn(leaves: readonly Leaf[], findings: Findings) {
  const registry: Leaf[] = [];
  const jobs = new Map<JobName, Leaf[]>();
  for (const leaf of leaves) {
    if (isSwitch(leaf.path)) continue;
    const [, part = '', name, ...below] = leaf.path;
    const leaveOut = (advice: Advice) => findings.leaveOut(pathText(leaf.path), leaf.text, leaf.at, advice);
    switch (uniform(part)) {
      case 'regcenter':
        registry.push({ ...leaf, path: leaf.path.slice(2) });
        break;
      case 'jobs':
        if (name === undefined) leaveOut(UNKNOWN_ADVICE);
        else if (!jobs.has(name)) jobs.set(name, [{ ...leaf, path: below }]);
        else jobs.get(name)!.push({ ...leaf, path: below });
        break;
      case 'tracing':
        leaveOut(TRACING_ADVICE);
        break;
      case 'dump':
        leaveOut(DUMP_ADVICE);
        break;
      default:
        leaveOut(UNKNOWN_ADVICE);
    }
  }
  return { registry, jobs };
}

const TEXTS = 'texts by name, such as process.env';

const SOURCE = {
  format: { rule: oneOf(['yaml', 'properties']) },
  // Values may be passwords.
  placeholders: { rule: rule(TEXTS, areTexts, mustBeUnseen(TEXTS)) },
  profiles: { rule: rule('a list of names, such as ["prod"]', areProfiles) },
} as const satisfies Readonly<Record<keyof ImportSource, OptionRow>>;

/** Options of `importElasticJobConfiguration`. */
const SOURCE_TABLE = new OptionTable(SOURCE, 'the import');

function areTexts(given: unknown): boolean {
  if (!isOptionsObject(given)) return false;
  return Object.values(given).every((value: unknown) => value === undefined || typeof value === 'string');
}

/** No expression can name a profile with another character. */
function areProfiles(given: unknown): boolean {
  return Array.isArray(given) && given.every((name) => typeof name === 'string' && /^[^\s()&|!,]+$/.test(name));
}

const XML = /^\ufeff?\s*<(?:[?!]|[\w.-])/;
/** The elements of ElasticJob 2, or its schema. */
const OF_VERSION_2 = /<job:(?:simple|dataflow|script)\b|dangdang/;

/**
 * Refuses the XML of Spring. Java has written what it means, placeholders and defaults included, to the registry: that
 * is read instead.
 * @throws {ConfigurationError} with the way to go on
 */
function refuseXml(text: string): void {
  if (!XML.test(text)) return;
  const isOld = OF_VERSION_2.test(text);
  const reader = isOld ? 'importElasticJob2Configuration' : 'importElasticJobConfiguration';
  const typed = isOld ? '' : ' The text of /{namespace}/{job} is className, or type if it is HTTP or SCRIPT.';
  throw new ConfigurationError(PLACE, [
    'it is Spring XML, which is not read. Java has written each job of it to the registry, with all defaults: give ' +
      `${reader} the text of each config node (zkCli.sh get /{namespace}/{job}/config).${typed} server-lists, ` +
      "namespace and digest of the zookeeper element become servers, namespace and digest of the module's registry",
  ]);
}
