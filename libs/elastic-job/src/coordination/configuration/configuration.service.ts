/**
 * What a job is to do.
 *
 * State: `config` holds the settings of the job for all instances, as YAML; the data of the job's root names its class.
 *
 * Guarantees: the node wins over the local options, field by field, and is written only if it is missing, if the local
 * options say `overwrite`, or by an edit: each time as a compare-and-set, and never with what cannot be read back. What
 * only other versions know stays in it.
 *
 * Failures: a node that cannot be used has a `problem`, and what was in force before stays known, but whoever begins runs
 * must not go by it. The answer to a write may be lost: installing again finds the work done.
 */
import {
  ConfigurationError,
  type FindPropsFaults,
  type JobConfiguration,
  type JobName,
  UnknownJobError,
} from '../../domain/index.js';
import type { Operation, RegistryNode } from '../../registry/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { ConfigurationNodeError, ElasticJob2ConfigurationError } from './configuration.errors.js';
import { formatConfiguration } from './format-configuration.js';
import { type ConfigurationDifference, layConfiguration, type StrategyLookup } from './lay-configuration.js';
import { readConfiguration, type StoredConfiguration } from './parse-configuration.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
  /** What the job's work says of its props: settings with a fault cannot be used. */
  readonly findPropsFaults?: FindPropsFaults;
}

/** What a job's total is judged by. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;

/** What is in force for a job, and where it differs from the local options. */
export interface EffectiveConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
  /** When the `config` node was last written, in milliseconds since the epoch on the registry's clock. */
  readonly writtenAt: number;
  /**
   * Why the node cannot be used: nothing of the job may be begun until it is corrected. `configuration` is then what was
   * in force before, or the local one.
   */
  readonly problem?: unknown;
}

/**
 * A job's settings: the local ones (decorator, then module), and the registry's `config` node, which wins field by field.
 * @see ElasticJob, `ConfigurationService.setUpJobConfiguration`
 */
export class ConfigurationService {
  private readonly local = new Map<JobName, LocalJob>();
  private readonly effective = new Map<JobName, EffectiveConfiguration & { readonly mzxid: bigint }>();

  constructor(
    private readonly trees: JobTrees,
    private readonly assertFits: AssertFits,
    private readonly strategies: StrategyLookup = [],
  ) {}

  declare(job: LocalJob): void {
    this.local.set(job.configuration.jobName, job);
  }

  forget(jobName: JobName): void {
    this.local.delete(jobName);
    this.effective.delete(jobName);
  }

  /** The settings in force. Those of a node that cannot be used are not among them: see `inForce`. */
  current(jobName: JobName): JobConfiguration {
    return this.inForce(this.trees.of(jobName)).configuration;
  }

  /** The settings in force, where they differ from the local ones, and what is wrong with the node. */
  inForce(tree: JobTree): EffectiveConfiguration {
    const node = tree.node(tree.paths.config);
    const local = this.localJob(tree.jobName);
    if (node === undefined) return { configuration: local.configuration, differences: [], writtenAt: 0 };
    const known = this.effective.get(tree.jobName);
    if (known?.mzxid === node.stat.mzxid) return known;
    const effective = { ...this.read(local, node, known), mzxid: node.stat.mzxid };
    this.effective.set(tree.jobName, effective);
    return effective;
  }

  /** The settings that will be in force once the job is installed. */
  toBe(tree: JobTree): JobConfiguration {
    const { configuration } = this.localJob(tree.jobName);
    return configuration.overwrite ? configuration : this.inForce(tree).configuration;
  }

  /** The local settings of a job; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.local.get(jobName)?.configuration;
  }

  /**
   * Creates the job's persistent nodes where they are missing, and its `config` node if it is missing or the local options
   * say `overwrite`. Safe against other starters: whoever comes second finds the work done. A job of ElasticJob 2 is left
   * as it is.
   * @throws {ConfigurationError} if the job belongs to another class, or has too many items; nothing is written then
   */
  async install(tree: JobTree): Promise<void> {
    const local = this.localJob(tree.jobName);
    this.assertFits({ ...local.configuration, place: local.place });
    await untilCommitted(tree, 'installing the job', async () => {
      assertSameClass(tree, local);
      const stored = readStored(tree);
      if (stored === 'elastic-job-2') return true;
      const operations = this.installOperations(tree, local, stored);
      if (operations.length === 0) return true;
      const result = await tree.registry.transaction(operations, { signal: tree.signal });
      // Whoever was faster may have installed the same job: look again at what is left to do.
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  /**
   * Writes the settings to the `config` node, and keeps what the node has beside them. Every instance of the job hears of it.
   * @throws {ConfigurationError} for settings that break a rule, such as a wrong cron expression; nothing is written then
   */
  async write(tree: JobTree, configuration: JobConfiguration): Promise<void> {
    const local = this.localJob(tree.jobName);
    await untilCommitted(tree, 'writing the configuration', async () => {
      const stored = readStored(tree);
      if (stored === 'elastic-job-2') throw new ElasticJob2ConfigurationError(tree.jobName);
      // Whether the next start overwrites the node is decided there.
      const overwrite = stored?.overwrite ?? configuration.overwrite;
      const data = this.format({ ...local, configuration: { ...configuration, overwrite } }, stored);
      const result = await tree.registry.transaction([writeOperation(tree, data)], { signal: tree.signal });
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  private read(
    local: LocalJob,
    { data, stat }: RegistryNode,
    known: EffectiveConfiguration | undefined,
  ): EffectiveConfiguration {
    try {
      const laid = this.lay(local, data);
      this.assertFits({ ...laid.configuration, place: local.place });
      return { ...laid, writtenAt: stat.mtime };
    } catch (problem) {
      return { configuration: local.configuration, differences: [], writtenAt: stat.mtime, ...known, problem };
    }
  }

  /** @throws {ConfigurationNodeError} */
  private lay({ configuration: local, findPropsFaults }: Omit<LocalJob, 'className' | 'place'>, data: string) {
    const laid = layConfiguration(local, data, this.strategies);
    const faults = findPropsFaults?.(laid.configuration.props) ?? [];
    if (faults.length > 0) throw new ConfigurationNodeError(local.jobName, faults);
    return laid;
  }

  private installOperations(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    const isMissing = !tree.has(tree.paths.config);
    const config = isMissing || local.configuration.overwrite ? this.overwrite(tree, local, stored) : [];
    return [...rootOperations(tree, local.className), ...config, ...parentOperations(tree)];
  }

  private overwrite(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    // Props that the local options do not name belong to somebody else.
    const props = { ...stored?.props, ...local.configuration.props };
    const data = this.format({ ...local, configuration: { ...local.configuration, props } }, stored);
    return tree.node(tree.paths.config)?.data === data ? [] : [writeOperation(tree, data)];
  }

  /** The text of a node. It is read back first: what nobody can use is never written. */
  private format(
    { configuration, place, findPropsFaults }: LocalJob,
    keeping: StoredConfiguration | undefined,
  ): string {
    const { jobName, shardingTotalCount } = configuration;
    this.assertFits({ jobName, place, shardingTotalCount });
    try {
      const data = formatConfiguration(configuration, keeping);
      this.lay({ configuration, findPropsFaults }, data);
      return data;
    } catch (error) {
      if (!(error instanceof ConfigurationNodeError)) throw error;
      throw new ConfigurationError(`job "${jobName}" (${place})`, error.problems, { cause: error });
    }
  }

  private localJob(jobName: JobName): LocalJob {
    const job = this.local.get(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    return job;
  }
}

/** What the node has that is to be kept; nothing if it cannot be read. */
function readStored(tree: JobTree): StoredConfiguration | 'elastic-job-2' | undefined {
  const node = tree.node(tree.paths.config);
  try {
    return node && readConfiguration(node.data, tree.jobName).stored;
  } catch (error) {
    if (error instanceof ElasticJob2ConfigurationError) return 'elastic-job-2';
    if (error instanceof ConfigurationNodeError) return undefined;
    throw error;
  }
}

function writeOperation(tree: JobTree, data: string): Operation {
  const path = tree.paths.config;
  const stat = tree.stat(path);
  if (stat === undefined) return { kind: 'create', path, data, mode: 'PERSISTENT' };
  return { kind: 'set', path, data, version: stat.version };
}

function parentOperations(tree: JobTree): Operation[] {
  const { paths } = tree;
  const parents = [
    paths.instances,
    paths.servers,
    paths.sessions,
    `${paths.root}/leader`,
    paths.election,
    paths.term,
    paths.shardingFlags,
    `${paths.root}/leader/failover`,
    paths.queue,
    paths.items,
  ];
  return parents
    .filter((path) => !tree.has(path))
    .map((path) => ({ kind: 'create', path, data: '', mode: 'PERSISTENT' }));
}

// Java writes the class name in the same step as `config`, and refuses a job whose root names another class.
function rootOperations(tree: JobTree, className: string): Operation[] {
  const root = tree.node(tree.paths.root);
  if (root === undefined) return [{ kind: 'create', path: tree.paths.root, data: className, mode: 'PERSISTENT' }];
  if (root.data !== '' || tree.has(tree.paths.config)) return [];
  return [{ kind: 'set', path: tree.paths.root, data: className, version: root.stat.version }];
}

function assertSameClass(tree: JobTree, { className, place }: LocalJob): void {
  const stored = tree.node(tree.paths.root)?.data.trim() ?? '';
  if (stored === '' || stored === className) return;
  throw new ConfigurationError(`job "${tree.jobName}" (${place})`, [
    `className "${className}": the registry knows the job as "${stored}"; give this job another name or set the same class name`,
  ]);
}
