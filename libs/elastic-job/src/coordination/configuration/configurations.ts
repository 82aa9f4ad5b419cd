/**
 * Settings of jobs.
 *
 * State: `config` holds the settings of the job for all instances, as YAML; the data of the job's root names its class.
 * `usable` keeps the last usable text of `config`: our instances write both at once, and the leader writes it after an
 * edit by others.
 *
 * Guarantees: the node overrides the local options, field by field. It is written only if it is missing, if the local
 * options say `overwrite`, or by an edit: each time as a compare-and-set, and never with a text that cannot be read
 * back. Parts that only other versions know stay in it, and `overwrite` leaves `disabled` as operators have set it.
 * Each process controls what it runs: props that name a command, an address or a secret are followed only where the
 * process allows them.
 *
 * Failures: while the text of `config` is unusable (its `fault`), the kept one is in force, as a whole, for every
 * instance. Without a kept one there is a `problem`: the former settings stay known, but nothing may begin. Where nodes
 * have owners, the same holds for a `config` that others may write. The answer to a write may be lost; installing again
 * finds the work done.
 */
import {
  findNearestName,
  findTextToKeep,
  type JobConfiguration,
  type JobName,
  type OnThrown,
  type ShardingStrategy,
  type TaskLife,
  UnknownJobError,
} from '../../domain/index.js';
import type { Operation, RegistryNode } from '../../registry/index.js';
import type { Authority, JobTree, JobTrees } from '../job-tree/index.js';
import {
  asDeclared,
  type AssertFits,
  type EffectiveConfiguration,
  type JudgedNodes,
  type LocalJob,
  notRead,
  owedSince,
  stopped,
} from './effective-configuration.js';
import { keepOperations, SettingsWriter } from './settings-writer.js';
import type { PropTrust, StrategyLookup } from './lay-configuration.js';
import { parseConfiguration } from './parse-configuration.js';
import { SettingsReader } from './settings-reader.js';

/**
 * A job's settings: the local ones (the module's defaults, decorator, the module's jobs), overridden field by field by
 * the registry's `config` node.
 * @see ElasticJob, `ConfigurationService.setUpJobConfiguration`
 */
export class Configurations {
  private readonly local = new Map<JobName, LocalJob>();
  private readonly effective = new Map<JobName, EffectiveConfiguration & JudgedNodes>();
  private readonly reader: SettingsReader;
  private readonly writer: SettingsWriter;

  constructor(
    private readonly trees: JobTrees,
    assertFits: AssertFits,
    strategies: StrategyLookup = [],
    trust: PropTrust = { targets: {}, allowed: {} },
  ) {
    this.reader = new SettingsReader(assertFits, strategies, trust);
    this.writer = new SettingsWriter(this.reader);
  }

  declare(job: LocalJob): void {
    this.local.set(job.configuration.jobName, job);
  }

  forget(jobName: JobName): void {
    this.local.delete(jobName);
    this.effective.delete(jobName);
    this.reader.forget(jobName);
  }

  /** Life of the tasks that do the job's work, if tasks do it; undefined otherwise. */
  tasksOf(jobName: JobName): TaskLife | undefined {
    return this.local.get(jobName)?.tasks;
  }

  /** Settings in force. They never come from an unusable node; see `inForce`. */
  current(jobName: JobName): JobConfiguration {
    return this.inForce(this.trees.of(jobName)).configuration;
  }

  /** Strategy by which the items are shared now: while the job has a Java peer, one that Java follows as well. */
  strategy(tree: JobTree): ShardingStrategy {
    const { configuration, javaStrategy } = this.inForce(tree);
    return tree.company.plansByAverage ? javaStrategy : configuration.strategy;
  }

  /** Settings in force, their differences from the local ones, and the fault of the node, if any. */
  inForce(tree: JobTree): EffectiveConfiguration {
    const node = tree.node(tree.paths.config);
    const local = this.localJob(tree.jobName);
    const known = this.effective.get(tree.jobName);
    // Somebody has deleted it, and it is created again in a moment.
    if (node === undefined) return known ?? asDeclared(local);
    const { configTrust } = tree;
    if (configTrust.kind === 'unknown') return known ?? asDeclared(local);
    const foreignAcl = configTrust.kind === 'foreign' ? configTrust.acl : undefined;
    const { czxid, version, mzxid } = node.stat;
    const isSame = known?.mzxid === mzxid && known.foreignAcl === foreignAcl;
    const error = isSame ? (known.fault ?? known.problem) : undefined;
    if (isSame && (error === undefined || foreignAcl !== undefined)) return known;
    const kept = tree.usableConfig;
    const keptIn = kept?.stat.mzxid;
    if (isSame && known.keptIn === keptIn) return known;
    const read =
      foreignAcl === undefined ? this.read(local, node, kept, known, error) : notRead(local, node, known, foreignAcl);
    const isUsable = (read.fault ?? read.problem) === undefined;
    const writtenAt = owedSince(read, node, known);
    const seen = isUsable ? { text: node.data, zxid: mzxid, writtenAt } : known?.seen;
    const effective = { ...read, writtenAt, czxid, version, mzxid, keptIn, foreignAcl, seen };
    this.effective.set(tree.jobName, effective);
    return effective;
  }

  /**
   * Keeps a usable text of `config`, as leader, for the time after a bad edit. Makes no request if it is kept already.
   * If an edit comes first, the write is refused and the edit is looked at next.
   */
  async keep(tree: JobTree, { guard, signal }: Authority): Promise<void> {
    await tree.judgeConfig({ signal });
    const text = this.textToKeep(tree);
    if (text === undefined) return;
    const { config } = tree.paths;
    const check: Operation = { kind: 'check', path: config, version: tree.stat(config)?.version };
    await tree.commit([...guard, check, ...keepOperations(tree, text)], { signal });
  }

  /** Text that the leader must keep; undefined if it is kept already. */
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

  /** Settings that will be in force once the job is installed. */
  toBe(tree: JobTree): JobConfiguration {
    const { configuration } = this.localJob(tree.jobName);
    return configuration.overwrite ? configuration : this.inForce(tree).configuration;
  }

  /** True if an installation writes the local cron, and the registry has another one, or does not know the job. */
  bringsCron(tree: JobTree): boolean {
    const { configuration } = this.localJob(tree.jobName);
    const node = tree.node(tree.paths.config);
    return node === undefined || (configuration.overwrite && cronIn(node, tree.jobName) !== configuration.cron);
  }

  /** Faults that the job's work finds in props; none if this process has no such job. */
  findPropsFaults(
    { jobName, props }: Pick<JobConfiguration, 'jobName' | 'props'>,
    onThrown: OnThrown,
  ): readonly string[] {
    return this.local.get(jobName)?.findPropsFaults?.(props, onThrown) ?? [];
  }

  /** Local settings of a job; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.local.get(jobName)?.configuration;
  }

  /**
   * Creates the job's missing persistent nodes, and its `config` node if it is missing or the local options say
   * `overwrite`, which keeps the node's `disabled`. Safe against other starters, since a later one finds the work done.
   * A job of ElasticJob 2 is left unchanged.
   * @throws {ConfigurationError} if the job belongs to another class or has too many items; nothing is written then
   */
  install(tree: JobTree): Promise<void> {
    return this.writer.install(tree, this.localJob(tree.jobName));
  }

  /**
   * Creates the job's nodes again that somebody has deleted while this instance is registered, with the last usable
   * text in `config`. No request if none is missing.
   */
  layAgain(tree: JobTree): Promise<void> {
    const former = tree.usableConfig?.data ?? this.effective.get(tree.jobName)?.seen?.text;
    return this.writer.layAgain(tree, this.localJob(tree.jobName), former);
  }

  /**
   * Writes the settings to the `config` node, and keeps its other parts. Every instance of the job follows them.
   * @param said settings that must apply to every instance, even with their default
   * @throws {ConfigurationError} for settings that break a rule, such as a wrong cron expression, and for props that
   * this process would not follow; nothing is written then
   */
  write(tree: JobTree, configuration: JobConfiguration, said: readonly string[] = []): Promise<void> {
    return this.writer.write(tree, this.localJob(tree.jobName), configuration, said);
  }

  /** @param error the reason why the node is unusable, if known already */
  private read(
    local: LocalJob,
    node: RegistryNode,
    kept: RegistryNode | undefined,
    known: (EffectiveConfiguration & JudgedNodes) | undefined,
    error: unknown,
  ): EffectiveConfiguration {
    if (error !== undefined) return this.readKept(local, node, kept, known, error);
    try {
      return this.reader.usable(local, node);
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
      const usable = this.reader.usableKept(local, kept);
      // It has been in force since it was written to `config`, not since it was kept.
      const seen = known?.seen?.text === kept.data ? known.seen : usable;
      return { ...usable, writtenAt: seen.writtenAt, fault: error };
    } catch {
      return stopped(local, node, known, error);
    }
  }

  private localJob(jobName: JobName): LocalJob {
    const job = this.local.get(jobName);
    if (job === undefined) {
      throw new UnknownJobError(jobName, 'process', false, findNearestName(jobName, [...this.local.keys()]));
    }
    return job;
  }
}

/** The cron of a node; undefined if there is none, or if the text cannot be read. */
function cronIn({ data }: RegistryNode, jobName: JobName): string | undefined {
  try {
    return parseConfiguration(data, jobName).cron || undefined;
  } catch {
    return undefined;
  }
}
