/**
 * What a job is to do.
 *
 * State: `config` holds the settings of the job for all instances, as YAML; the data of the job's root names its class.
 * `usable` keeps the last text of `config` that could be used: ours writes both at once, and after an edit of others
 * the leader writes it.
 *
 * Guarantees: the node wins over the local options, field by field, and is written only if it is missing, if the local
 * options say `overwrite`, or by an edit: each time as a compare-and-set, and never with what cannot be read back. What
 * only other versions know stays in it. What a process does is its own to say: props that name a command, an address or
 * a secret are followed only where the process allows them.
 *
 * Failures: while the text of `config` cannot be used (its `fault`), the kept one is in force, whole, for every
 * instance. Without it there is a `problem`: what was in force before stays known, but nothing may be begun. The same
 * holds, where nodes have owners, for a `config` that others may write. The answer to a write may be lost: installing
 * again finds the work done.
 */
import {
  findTextToKeep,
  type JobConfiguration,
  type JobName,
  type TaskLife,
  UnknownJobError,
} from '../../domain/index.js';
import type { Operation, RegistryNode } from '../../registry/index.js';
import type { JobTree, JobTrees } from '../job-tree/index.js';
import {
  asDeclared,
  type EffectiveConfiguration,
  type JudgedNodes,
  notRead,
  stopped,
} from './effective-configuration.js';
import { keepOperations } from './install-operations.js';
import type { PropTrust, StrategyLookup } from './lay-configuration.js';
import type { AssertFits, LocalJob } from './local-job.js';
import { SettingsReader } from './settings-reader.js';
import { SettingsWriter } from './settings-writer.js';

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

  /** Whether the job's work is done by tasks, and whether those outlive this instance; undefined: it is not. */
  tasksOf(jobName: JobName): TaskLife | undefined {
    return this.local.get(jobName)?.tasks;
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
    const { mzxid } = node.stat;
    const isSame = known?.mzxid === mzxid && known.foreignAcl === foreignAcl;
    const error = isSame ? (known.fault ?? known.problem) : undefined;
    if (isSame && (error === undefined || foreignAcl !== undefined)) return known;
    const kept = tree.usableConfig;
    const keptIn = kept?.stat.mzxid;
    if (isSame && known.keptIn === keptIn) return known;
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
  install(tree: JobTree): Promise<void> {
    return this.writer.install(tree, this.localJob(tree.jobName));
  }

  /**
   * Writes the settings to the `config` node, and keeps what the node has beside them. Every instance of the job hears
   * of it.
   * @param said settings that count for every instance even as the default
   * @throws {ConfigurationError} for settings that break a rule, such as a wrong cron expression, and for props that
   * this process would not follow; nothing is written then
   */
  write(tree: JobTree, configuration: JobConfiguration, said: readonly string[] = []): Promise<void> {
    return this.writer.write(tree, this.localJob(tree.jobName), configuration, said);
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
      // It is in force since it was written to `config`, not since it is kept.
      const seen = known?.seen?.text === kept.data ? known.seen : usable;
      return { ...usable, writtenAt: seen.writtenAt, fault: error };
    } catch {
      return stopped(local, node, known, error);
    }
  }

  private localJob(jobName: JobName): LocalJob {
    const job = this.local.get(jobName);
    if (job === undefined) throw new UnknownJobError(jobName);
    return job;
  }
}
