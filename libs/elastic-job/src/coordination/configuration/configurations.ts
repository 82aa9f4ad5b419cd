/**
 * What a job is to do.
 *
 * State: `config` holds the settings of the job for all instances, as YAML; the data of the job's root names its class.
 * `usable` keeps the last text of `config` that could be used: ours writes both at once, and after an edit of others the
 * leader writes it.
 *
 * Guarantees: the node wins over the local options, field by field, and is written only if it is missing, if the local
 * options say `overwrite`, or by an edit: each time as a compare-and-set, and never with what cannot be read back. What
 * only other versions know stays in it. What a process does is its own to say: props that name a command, an address or
 * a secret are followed only where the process allows them.
 *
 * Failures: while the text of `config` cannot be used (its `fault`), the kept one is in force, whole, for every instance.
 * Without it there is a `problem`: what was in force before stays known, but nothing may be begun. The same holds, where
 * nodes have owners, for a `config` that others may write. The answer to a write may be lost: installing again finds the
 * work done.
 */
import {
  ConfigurationError,
  type CreatedJob,
  type FindPropsFaults,
  findTextToKeep,
  guardProps,
  type JobConfiguration,
  type JobName,
  parseCreatedJob,
  type PropTargets,
  UnknownJobError,
} from '../../domain/index.js';
import type { Operation, RegistryNode } from '../../registry/index.js';
import { type JobTree, type JobTrees, untilCommitted } from '../job-tree/index.js';
import { ConfigurationNodeError, ElasticJob2ConfigurationError, JobRemovedError } from './configuration.errors.js';
import {
  asDeclared,
  type EffectiveConfiguration,
  type JudgedNodes,
  notRead,
  stopped,
} from './effective-configuration.js';
import { formatConfiguration } from './format-configuration.js';
import { ConfigurationTexts } from './configuration-texts.js';
import {
  createdOperations,
  keepOperations,
  parentOperations,
  rootOperations,
  writeOperations,
} from './install-operations.js';
import { type LaidConfiguration, layStored, type PropTrust, type StrategyLookup } from './lay-configuration.js';
import type { StoredConfiguration } from './parse-configuration.js';

/** A job as declared in this process. */
export interface LocalJob {
  readonly configuration: JobConfiguration;
  /** Text of the job's root node: Java's job class name. */
  readonly className: string;
  /** Of a job that was created from a template: the czxid of its root, by which a later one of that name is another. */
  readonly createdAs?: bigint;
  /** Where the job was declared, for messages: `OrderJobs.settle`. */
  readonly place: string;
  /** What the job's work says of its props: settings with a fault cannot be used. */
  readonly findPropsFaults?: FindPropsFaults;
  /** The props that say what the job's work runs. @default none */
  readonly targets?: PropTargets;
}

/** What a job's total is judged by. @throws {ConfigurationError} if the registry cannot hold so many items */
export type AssertFits = (job: { jobName: JobName; place: string; shardingTotalCount: number }) => void;

/** As much of a leader's term as a write of the leader needs. */
export interface KeepingTerm {
  readonly guard: readonly Operation[];
  readonly signal: AbortSignal;
}

/**
 * A job's settings: the local ones (decorator, then module), and the registry's `config` node, which wins field by
 * field.
 * @see ElasticJob, `ConfigurationService.setUpJobConfiguration`
 */
export class Configurations {
  private readonly local = new Map<JobName, LocalJob>();
  private readonly effective = new Map<JobName, EffectiveConfiguration & JudgedNodes>();
  private readonly texts = new ConfigurationTexts();
  private readonly keptTexts = new ConfigurationTexts();

  constructor(
    private readonly trees: JobTrees,
    private readonly assertFits: AssertFits,
    private readonly strategies: StrategyLookup = [],
    private readonly trust: PropTrust = { targets: {}, allowed: {} },
  ) {}

  declare(job: LocalJob): void {
    this.local.set(job.configuration.jobName, job);
  }

  forget(jobName: JobName): void {
    this.local.delete(jobName);
    this.effective.delete(jobName);
    this.texts.forget(jobName);
    this.keptTexts.forget(jobName);
  }

  /** The settings in force. Those of a node that cannot be used are not among them: see `inForce`. */
  current(jobName: JobName): JobConfiguration {
    return this.inForce(this.trees.of(jobName)).configuration;
  }

  /** The settings in force, where they differ from the local ones, and what is wrong with the node. */
  inForce(tree: JobTree): EffectiveConfiguration {
    const node = tree.node(tree.paths.config);
    const local = this.localJob(tree.jobName);
    if (node === undefined) return asDeclared(local);
    const known = this.effective.get(tree.jobName);
    const { configTrust } = tree;
    if (configTrust.kind === 'unknown') return known ?? asDeclared(local);
    const foreignAcl = configTrust.kind === 'foreign' ? configTrust.acl : undefined;
    const kept = tree.usableConfig;
    const { mzxid } = node.stat;
    const keptIn = kept?.stat.mzxid;
    const isSame = known?.mzxid === mzxid && known.foreignAcl === foreignAcl;
    const error = isSame ? (known.fault ?? known.problem) : undefined;
    if (isSame && (error === undefined || foreignAcl !== undefined || known.keptIn === keptIn)) return known;
    const read =
      foreignAcl === undefined ? this.read(local, node, kept, known, error) : notRead(local, node, known, foreignAcl);
    const isUsable = (read.fault ?? read.problem) === undefined;
    const seen = isUsable ? { text: node.data, zxid: mzxid, writtenAt: read.writtenAt } : known?.seen;
    const effective = { ...read, mzxid, keptIn, foreignAcl, seen };
    this.effective.set(tree.jobName, effective);
    return effective;
  }

  /**
   * The leader keeps the text of `config` if it can be used, for the time after a bad edit. No request if it is kept
   * already. An edit that comes first refuses the write, and is looked at next.
   */
  async keep(tree: JobTree, { guard, signal }: KeepingTerm): Promise<void> {
    await tree.judgeConfig({ signal });
    const text = this.textToKeep(tree);
    if (text === undefined) return;
    const { config } = tree.paths;
    const check: Operation = { kind: 'check', path: config, version: tree.stat(config)?.version };
    await tree.commit([...guard, check, ...keepOperations(tree, text)], { signal });
  }

  /** The text that the leader is to keep; undefined if it is kept. */
  textToKeep(tree: JobTree): string | undefined {
    if (!tree.has(tree.paths.config)) return undefined;
    const { fault } = this.inForce(tree);
    const kept = tree.usableConfig;
    return findTextToKeep({
      seen: this.effective.get(tree.jobName)?.seen,
      kept: kept && { text: kept.data, zxid: kept.stat.mzxid },
      isKeptInForce: fault !== undefined,
    });
  }

  /** The settings that will be in force once the job is installed. */
  toBe(tree: JobTree): JobConfiguration {
    const { configuration } = this.localJob(tree.jobName);
    return configuration.overwrite ? configuration : this.inForce(tree).configuration;
  }

  /** What the job's work says of props; nothing if this process has no such job. */
  findPropsFaults({ jobName, props }: Pick<JobConfiguration, 'jobName' | 'props'>): readonly string[] {
    return this.local.get(jobName)?.findPropsFaults?.(props) ?? [];
  }

  /** The local settings of a job; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.local.get(jobName)?.configuration;
  }

  /**
   * Creates the job's persistent nodes where they are missing, and its `config` node if it is missing or the local
   * options say `overwrite`. Safe against other starters: whoever comes second finds the work done. A job of ElasticJob
   * 2 is left as it is.
   * @throws {ConfigurationError} if the job belongs to another class, or has too many items; nothing is written then
   */
  async install(tree: JobTree): Promise<void> {
    const local = this.localJob(tree.jobName);
    this.assertFits({ ...local.configuration, place: local.place });
    await untilCommitted(tree, 'installing the job', async () => {
      assertSameJob(tree, local);
      await tree.judgeConfig({ signal: tree.signal });
      const stored = this.readStored(tree);
      if (stored === 'elastic-job-2') return true;
      const operations = this.installOperations(tree, local, stored);
      if (operations.length === 0) return true;
      const result = await tree.commit(operations);
      // Whoever was faster may have installed the same job: look again at what is left to do.
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  /**
   * Writes the settings to the `config` node, and keeps what the node has beside them. Every instance of the job hears
   * of it.
   * @param said settings that count for every instance even as the default
   * @throws {ConfigurationError} for settings that break a rule, such as a wrong cron expression, and for props that
   * this process would not follow; nothing is written then
   */
  async write(tree: JobTree, configuration: JobConfiguration, said: readonly string[] = []): Promise<void> {
    const local = this.localJob(tree.jobName);
    this.assertFollowed(local, configuration);
    await untilCommitted(tree, 'writing the configuration', async () => {
      await tree.judgeConfig({ signal: tree.signal });
      const stored = this.readStored(tree);
      if (stored === 'elastic-job-2') throw new ElasticJob2ConfigurationError(tree.jobName);
      // Whether the next start overwrites the node is decided there.
      const overwrite = stored?.overwrite ?? configuration.overwrite;
      const data = this.format({ ...local, configuration: { ...configuration, overwrite } }, stored, said);
      const result = await tree.commit(writeOperations(tree, data));
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  /** @param error why the node cannot be used, if that is known already */
  private read(
    local: LocalJob,
    node: RegistryNode,
    kept: RegistryNode | undefined,
    known: (EffectiveConfiguration & JudgedNodes) | undefined,
    error: unknown,
  ): EffectiveConfiguration {
    if (error !== undefined) return this.readKept(local, node, kept, known, error);
    try {
      return this.usable(local, node, this.texts);
    } catch (fault) {
      return this.readKept(local, node, kept, known, fault);
    }
  }

  private readKept(
    local: LocalJob,
    node: RegistryNode,
    kept: RegistryNode | undefined,
    known: (EffectiveConfiguration & JudgedNodes) | undefined,
    error: unknown,
  ): EffectiveConfiguration {
    if (kept === undefined) return stopped(local, node, known, error);
    try {
      const usable = this.usable(local, kept, this.keptTexts);
      // It is in force since it was written to `config`, not since it is kept.
      const seen = known?.seen?.text === kept.data ? known.seen : usable;
      return { ...usable, writtenAt: seen.writtenAt, fault: error };
    } catch {
      return stopped(local, node, known, error);
    }
  }

  /** @throws why the text of the node cannot be used */
  private usable(local: LocalJob, { data, stat }: RegistryNode, texts: ConfigurationTexts): EffectiveConfiguration {
    const laid = this.lay(local, data, texts);
    this.assertFits({ ...laid.configuration, place: local.place });
    return { ...laid, writtenAt: stat.mtime };
  }

  /** @throws {ConfigurationError} for props that say what is run, and are not allowed to come from the registry */
  private assertFollowed(local: LocalJob, { jobName, props }: JobConfiguration): void {
    const { targets, allowed } = this.trustOf(local);
    const { refused } = guardProps(local.configuration.props, props, targets, allowed);
    if (refused.length === 0) return;
    const problems = refused.map((name) => `props: ${notFollowed(name)}`);
    throw new ConfigurationError(`job "${jobName}" (${local.place})`, problems);
  }

  private trustOf({ targets }: Pick<LocalJob, 'targets'>): PropTrust {
    return { ...this.trust, targets: { ...this.trust.targets, ...targets } };
  }

  /** @throws {ConfigurationNodeError} */
  private lay(
    { configuration: local, findPropsFaults, targets }: Omit<LocalJob, 'className' | 'place'>,
    data: string,
    texts = this.texts,
  ): LaidConfiguration {
    const stored = texts.parse(data, local.jobName);
    const laid = layStored(local, stored, this.strategies, this.trustOf({ targets }));
    const faults = findPropsFaults?.(laid.configuration.props) ?? [];
    if (faults.length > 0) throw new ConfigurationNodeError(local.jobName, [...faults, ...refusedIn(laid)]);
    return laid;
  }

  private installOperations(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    if (local.createdAs !== undefined) return createdOperations(tree);
    const isMissing = !tree.has(tree.paths.config);
    const config = isMissing || local.configuration.overwrite ? this.overwrite(tree, local, stored) : [];
    return [...rootOperations(tree, local.className), ...config, ...parentOperations(tree)];
  }

  private overwrite(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    // Props that the local options do not name belong to somebody else.
    const props = { ...stored?.props, ...local.configuration.props };
    const data = this.format({ ...local, configuration: { ...local.configuration, props } }, stored);
    const isWritten = tree.node(tree.paths.config)?.data === data && tree.configTrust.kind !== 'foreign';
    return isWritten ? [] : writeOperations(tree, data);
  }

  /** The text of a node. It is read back first: what nobody can use is never written. */
  private format(
    { configuration, place, findPropsFaults, targets }: LocalJob,
    keeping: StoredConfiguration | undefined,
    said?: readonly string[],
  ): string {
    const { jobName, shardingTotalCount } = configuration;
    this.assertFits({ jobName, place, shardingTotalCount });
    try {
      const data = formatConfiguration(configuration, keeping, said);
      this.lay({ configuration, findPropsFaults, targets }, data);
      return data;
    } catch (error) {
      if (!(error instanceof ConfigurationNodeError)) throw error;
      throw new ConfigurationError(`job "${jobName}" (${place})`, error.problems, { cause: error });
    }
  }

  /** What the node has that is to be kept: of the kept text if it cannot be read; nothing if it is somebody else's. */
  private readStored(tree: JobTree): StoredConfiguration | 'elastic-job-2' | undefined {
    const node = tree.node(tree.paths.config);
    if (tree.configTrust.kind === 'foreign') return undefined;
    try {
      return node && this.texts.read(node.data, tree.jobName).stored;
    } catch (error) {
      if (error instanceof ElasticJob2ConfigurationError) return 'elastic-job-2';
      if (error instanceof ConfigurationNodeError) return this.readKeptStored(tree);
      throw error;
    }
  }

  private readKeptStored(tree: JobTree): StoredConfiguration | undefined {
    const kept = tree.usableConfig;
    try {
      return kept && this.keptTexts.read(kept.data, tree.jobName).stored;
    } catch {
      return undefined;
    }
  }

  private localJob(jobName: JobName): LocalJob {
    const job = this.local.get(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    return job;
  }
}

function describeCreated({ template, isBeingRemoved }: CreatedJob): string {
  return isBeingRemoved
    ? 'the registry has a job of that name which is being removed; start again once it is gone'
    : `the registry has a job of that name which was created from template "${template}"; remove it (JobOperateApi.remove), or give this job another name`;
}

function refusedIn({ differences }: LaidConfiguration): readonly string[] {
  return differences.filter(({ isRefused }) => isRefused).map(({ field }) => notFollowed(field));
}

function notFollowed(field: string): string {
  return `${field} is not taken from the registry: set it in this process, or allow it by the module's allowRegistryTargets`;
}

function assertSameJob(tree: JobTree, { className, createdAs, place }: LocalJob): void {
  const root = tree.node(tree.paths.root);
  const stored = root?.data.trim() ?? '';
  if (createdAs !== undefined) {
    if (root?.stat.czxid === createdAs && stored === className) return;
    throw new JobRemovedError(tree.jobName);
  }
  const created = parseCreatedJob(stored);
  if (created !== undefined)
    throw new ConfigurationError(`job "${tree.jobName}" (${place})`, [describeCreated(created)]);
  if (stored === '' || stored === className) return;
  throw new ConfigurationError(`job "${tree.jobName}" (${place})`, [
    `className "${className}": the registry knows the job as "${stored}"; give this job another name or set the same class name`,
  ]);
}
