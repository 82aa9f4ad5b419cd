import { ConfigurationError, type JobConfiguration, type JobName, UnknownJobError } from '../../domain/index.js';
import type { Operation, RegistryNode } from '../../registry/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { formatConfiguration } from './format-configuration.js';
import { type ConfigurationDifference, layConfiguration, type StrategyLookup } from './lay-configuration.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
}

/** What a job's total is judged by. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;

/** What is in force for a job, and where it differs from the local options. */
export interface EffectiveConfiguration {
  readonly configuration: JobConfiguration;
  readonly differences: readonly ConfigurationDifference[];
  /** When the `config` node was last written, in milliseconds since the epoch on the registry's clock. */
  readonly writtenAt: number;
  /** The node was changed into something that cannot be used; what was in force before stays so. */
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

  /** The settings in force. @throws {ConfigurationNodeError} if the registry's `config` node cannot be used */
  current(jobName: JobName): JobConfiguration {
    return this.inForce(this.trees.of(jobName)).configuration;
  }

  /** The settings in force with what they differ in. @throws {ConfigurationNodeError} if none was ever usable */
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

  /**
   * Creates the job's persistent nodes where they are missing, and its `config` node if it is missing or the local options
   * say `overwrite`. Safe against other starters: whoever comes second finds the work done.
   * @throws {ConfigurationError} if the job belongs to another class, or has too many items; nothing is written then
   */
  async install(tree: JobTree): Promise<void> {
    const local = this.localJob(tree.jobName);
    this.assertFits({ ...local.configuration, place: local.place });
    await untilCommitted(tree, 'installing the job', async () => {
      assertSameClass(tree, local);
      const operations = installOperations(tree, local);
      if (operations.length === 0) return true;
      await tree.registry.transaction(operations, { signal: tree.signal });
      return undefined; // Another instance may be installing the same job: look again at what is left to do.
    });
  }

  /** Writes the settings over the `config` node, whatever it holds. Every instance of the job hears of it. */
  async write(tree: JobTree, configuration: JobConfiguration): Promise<void> {
    const data = formatConfiguration(configuration);
    await tree.registry.set(tree.paths.config, data, undefined, { signal: tree.signal });
    await tree.sync({ signal: tree.signal });
  }

  private read(
    { configuration: local, place }: LocalJob,
    { data, stat }: RegistryNode,
    known: EffectiveConfiguration | undefined,
  ): EffectiveConfiguration {
    try {
      const laid = layConfiguration(local, data, this.strategies);
      this.assertFits({ ...laid.configuration, place });
      return { ...laid, writtenAt: stat.mtime };
    } catch (problem) {
      if (known === undefined) throw problem;
      return { ...known, problem };
    }
  }

  private localJob(jobName: JobName): LocalJob {
    const job = this.local.get(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    return job;
  }
}

function installOperations(tree: JobTree, { configuration, className }: LocalJob): Operation[] {
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
  return [
    ...rootOperations(tree, className),
    ...configOperations(tree, configuration),
    ...parents
      .filter((path) => !tree.has(path))
      .map((path): Operation => ({ kind: 'create', path, data: '', mode: 'PERSISTENT' })),
  ];
}

// Java writes the class name in the same step as `config`, and refuses a job whose root names another class.
function rootOperations(tree: JobTree, className: string): Operation[] {
  const root = tree.node(tree.paths.root);
  if (root === undefined) return [{ kind: 'create', path: tree.paths.root, data: className, mode: 'PERSISTENT' }];
  if (root.data !== '' || tree.has(tree.paths.config)) return [];
  return [{ kind: 'set', path: tree.paths.root, data: className, version: root.stat.version }];
}

function configOperations(tree: JobTree, configuration: JobConfiguration): Operation[] {
  const path = tree.paths.config;
  const data = formatConfiguration(configuration);
  const stored = tree.node(path);
  if (stored === undefined) return [{ kind: 'create', path, data, mode: 'PERSISTENT' }];
  if (!configuration.overwrite || stored.data === data) return [];
  return [{ kind: 'set', path, data, version: stored.stat.version }];
}

function assertSameClass(tree: JobTree, { className, place }: LocalJob): void {
  const stored = tree.node(tree.paths.root)?.data.trim() ?? '';
  if (stored === '' || stored === className) return;
  throw new ConfigurationError(`job "${tree.jobName}" (${place})`, [
    `className "${className}": the registry knows the job as "${stored}"; give this job another name or set the same class name`,
  ]);
}
