import { ConfigurationError, findNodeTextFault, type JobName } from '../domain/index.js';
import { readMapping, readStored, type YamlMapping } from '../coordination/index.js';
import { Findings, PLACE } from './findings.js';
import type { ImportedConfiguration, ImportedJob } from './imported.js';
import { findFaults, optionsOf } from './options-of-stored.js';
import { Placeholders } from './placeholders.js';
import { readProperties } from './read-properties.js';
import {
  type Advice,
  defaultAdvice,
  DUMP_ADVICE,
  NO_VALUE_ADVICE,
  TRACING_ADVICE,
  UNKNOWN_ADVICE,
} from './remedies.js';
import { type Leaf, leavesOf, pathText, uniform } from './settings-tree.js';
import { importSpringJob } from './spring-job.js';
import { importSpringRegistry } from './spring-registry.js';

/** How to read a text. */
export interface ImportSource {
  /** @default 'properties' if the first setting is written with `=`, else 'yaml' */
  readonly format?: 'yaml' | 'properties';
  /** Values of Spring's placeholders (`${ZK_SERVERS}`), such as `process.env`. @default the defaults in the text */
  readonly placeholders?: Readonly<Record<string, string | undefined>>;
}

/**
 * The module options that a configuration of Apache ElasticJob 3.0.x comes to. The text is one of these:
 * - the `application.yml` or `application.properties` of its Spring Boot starter, in one document. Settings outside
 *   `elasticjob` are ignored;
 * - the text of a `config` node, `/{namespace}/{job}/config` in ZooKeeper.
 *
 * The result goes to the module: `ElasticJobModule.forRoot({ registry, jobs })`, beside decorated handlers of the jobs
 * that have a class. Where the text leaves a setting out, the job gets Java's value: `monitorExecution` and `misfire`
 * are then off. All that has no counterpart is in `notTakenOver`.
 * @throws {ConfigurationError} naming line and column of all that cannot be read, and of values that no job may have
 * @throws {ElasticJob2ConfigurationError} for the `config` node of ElasticJob 2, see `importElasticJob2Configuration`
 * @see ElasticJob, `ElasticJobConfigurationProperties`, `ZookeeperProperties` and `JobConfigurationPOJO`
 */
export function importElasticJobConfiguration(text: string, source: ImportSource = {}): ImportedConfiguration {
  const findings = new Findings(text);
  const { format = formatOf(text), placeholders = {} } = source;
  const imported =
    format === 'properties' ? importProperties(text, placeholders, findings) : importYaml(text, placeholders, findings);
  if (findings.problems.length > 0) throw new ConfigurationError(PLACE, findings.problems);
  return { ...imported, notTakenOver: findings.notTakenOver };
}

type Imported = Omit<ImportedConfiguration, 'notTakenOver'>;
type Values = NonNullable<ImportSource['placeholders']>;

/** In YAML a colon comes first, and in a `.properties` file mostly an equals sign. */
function formatOf(text: string): 'yaml' | 'properties' {
  const first = /^[ \t]*(?![#!\s]|---)(?<name>[\w.\-[\]]*)[ \t]*(?<separator>[=:])/m.exec(text);
  return first?.groups?.['separator'] === '=' ? 'properties' : 'yaml';
}

function importProperties(text: string, placeholders: Values, findings: Findings): Imported {
  const fault = findNodeTextFault(text);
  if (fault !== undefined) throw new ConfigurationError(PLACE, [fault]);
  return importSpring(readProperties(findings), placeholders, findings);
}

function importYaml(text: string, placeholders: Values, findings: Findings): Imported {
  const read = readMapping(text, findings.placeOf);
  if (read.kind === 'unreadable') throw new ConfigurationError(PLACE, [read.problem]);
  const { mapping } = read;
  if (mapping.has('jobName')) return importNode(mapping, findings);
  return importSpring(leavesOf(mapping.written), placeholders, findings);
}

/** The text of a `config` node. */
function importNode(mapping: YamlMapping, findings: Findings): Imported {
  const name = mapping.text('jobName') ?? '';
  const stored = readStored(mapping, name);
  const at = (key: string) => mapping.written.find((entry) => entry.key === key)?.at ?? 0;
  const leaveOut = (key: string, value: string, advice: Advice) =>
    findings.leaveOut(key, value, at(key.replace(/\[\d+\]$/, '')), advice);
  const job = optionsOf(stored, leaveOut);
  for (const key of stored.unknown.entries.keys())
    leaveOut(key, mapping.entryText(key)?.value.trim() ?? '', UNKNOWN_ADVICE);
  for (const key of Object.keys(stored.unknown.props))
    findings.leaveOut(`props.${key}`, '', at('props'), UNKNOWN_ADVICE);
  findings.problems.push(...mapping.problems);
  if (mapping.problems.length === 0) {
    for (const fault of findFaults(name, job)) findings.refuse(at(/^\w*/.exec(fault)![0]), fault);
  }
  return { registry: undefined, jobs: Object.fromEntries([[name, job]]) };
}

function importSpring(leaves: readonly Leaf[], placeholders: Values, findings: Findings): Imported {
  const ours = leaves.filter(({ path }) => uniform(path[0] ?? '') === 'elasticjob');
  if (ours.length === 0) {
    const found = 'it has neither settings of elasticjob, as Spring Boot has them, nor a jobName, as a config node has';
    throw new ConfigurationError(PLACE, [found]);
  }
  const filled = fill(ours, new Placeholders(placeholders, leaves), findings);
  const { registry, jobs } = partsIn(filled, findings);
  const imported = [...jobs].map(([name, job]): [JobName, ImportedJob] => [name, importSpringJob(name, job, findings)]);
  return {
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

/** The settings by what they are about, with paths below that. */
function partsIn(leaves: readonly Leaf[], findings: Findings) {
  const registry: Leaf[] = [];
  const jobs = new Map<JobName, Leaf[]>();
  for (const leaf of leaves) {
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
