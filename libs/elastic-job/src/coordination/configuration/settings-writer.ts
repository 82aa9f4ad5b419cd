import {
  assertTextWithin,
  ConfigurationError,
  type CreatedJob,
  type JobConfiguration,
  parseCreatedJob,
} from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import type { LocalJob } from './effective-configuration.js';
import { formatConfiguration } from './format-configuration.js';
import {
  ConfigurationNodeError,
  ElasticJob2ConfigurationError,
  JobRemovedError,
  type StoredConfiguration,
} from './parse-configuration.js';
import type { SettingsReader } from './settings-reader.js';

/** Writes a job's settings, each time as a compare-and-set, and never a text that cannot be read back. */
export class SettingsWriter {
  constructor(private readonly reader: SettingsReader) {}

  /** @see Configurations.install */
  async install(tree: JobTree, local: LocalJob): Promise<void> {
    this.reader.assertFits({ ...local.configuration, place: local.place });
    await repeat(untilCommitted(tree, 'installing the job'), async () => {
      assertSameJob(tree, local);
      await tree.judgeConfig({ signal: tree.signal });
      const stored = this.reader.stored(tree, local);
      if (stored === 'elastic-job-2') return true;
      const operations = this.installOperations(tree, local, stored);
      if (operations.length === 0) return true;
      const result = await tree.commitShared(operations);
      // Somebody may have deleted the namespace since the registry was connected.
      if (result.kind === 'refused' && result.refusal === 'NO_NODE' && !tree.has(tree.paths.root))
        await tree.registry.ensurePath('/', { signal: tree.signal });
      // A faster starter may have installed the same job, so check what is left to do.
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  /**
   * Creates nodes again that somebody has deleted while this instance is registered. No request if none is missing.
   * @param former last usable text of `config`. @default the local options, except for a job from a template
   */
  async layAgain(tree: JobTree, local: LocalJob, former: string | undefined): Promise<void> {
    const { paths, self, signal } = tree;
    await repeat(untilCommitted(tree, 'creating deleted nodes again'), async () => {
      if (!tree.hasInstance(self.jobInstanceId)) return true;
      const operations = [...this.formerConfig(tree, local, former), ...parentOperations(tree)];
      if (operations.length === 0) return true;
      // Where the whole job is being deleted, nothing of it is created again.
      const isHere: Operation = { kind: 'check', path: paths.instance(self.jobInstanceId) };
      const result = await tree.commit([isHere, ...operations], { signal });
      return result.kind === 'committed' || undefined;
    });
  }

  private formerConfig(tree: JobTree, local: LocalJob, former: string | undefined): Operation[] {
    if (tree.has(tree.paths.config)) return [];
    if (former === undefined && local.createdAs !== undefined) return [];
    // A view cuts a longer text.
    if (former !== undefined && local.limits !== undefined) assertTextWithin(local.limits, former);
    return writeOperations(tree, former ?? this.format(local, local.configuration, undefined));
  }

  /** @see Configurations.write */
  async write(tree: JobTree, local: LocalJob, configuration: JobConfiguration, said: readonly string[]): Promise<void> {
    this.reader.assertFits({ ...configuration, place: local.place });
    this.reader.assertFollowed(local, configuration);
    await repeat(untilCommitted(tree, 'writing the configuration'), async () => {
      await tree.judgeConfig({ signal: tree.signal });
      const stored = this.reader.stored(tree, local);
      if (stored === 'elastic-job-2') throw new ElasticJob2ConfigurationError(tree.jobName);
      // `overwrite` stays as the node has it, since it decides if the next start overwrites the node.
      const overwrite = stored?.overwrite ?? configuration.overwrite;
      const data = this.format(local, { ...configuration, overwrite }, stored, said);
      const result = await tree.commit(writeOperations(tree, data));
      if (result.kind === 'refused') return undefined;
      await tree.sync({ signal: tree.signal });
      return true;
    });
  }

  private installOperations(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    if (local.createdAs !== undefined) return createdOperations(tree);
    const isMissing = !tree.has(tree.paths.config);
    const config = isMissing || local.configuration.overwrite ? this.overwrite(tree, local, stored) : [];
    return [...rootOperations(tree, local.className), ...config, ...parentOperations(tree)];
  }

  private overwrite(tree: JobTree, local: LocalJob, stored: StoredConfiguration | undefined): Operation[] {
    const { configuration } = local;
    // Props that the local options do not name belong to other writers, and `disabled` to operators: a deployment must
    // not start what they have stopped.
    const own = stored && {
      ...configuration,
      disabled: stored.disabled ?? false,
      props: { ...stored.props, ...configuration.props },
    };
    const data = this.format(local, own ?? configuration, stored);
    const isWritten = tree.node(tree.paths.config)?.data === data && tree.configTrust.kind !== 'foreign';
    return isWritten ? [] : writeOperations(tree, data);
  }

  /** Formats a node's text and reads it back first, since a text that no instance can use must not be written. */
  private format(
    local: LocalJob,
    configuration: JobConfiguration,
    keeping: StoredConfiguration | undefined,
    said?: readonly string[],
  ): string {
    try {
      const data = formatConfiguration(configuration, keeping, said, local.onceListenerTypes);
      this.reader.assertReadable(local, data);
      return data;
    } catch (error) {
      if (!(error instanceof ConfigurationNodeError)) throw error;
      throw new ConfigurationError(`job "${configuration.jobName}" (${local.place})`, error.problems, { cause: error });
    }
  }
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
    `className "${className}": the registry knows the job as "${stored}"; ` +
      'give this job another name or set the same class name',
  ]);
}

function describeCreated({ template, isBeingRemoved }: CreatedJob): string {
  return isBeingRemoved
    ? 'the registry has a job of that name which is being removed; start again once it is gone'
    : `the registry has a job of that name which was created from template "${template}"; ` +
        'remove it (JobOperateApi.remove), or give this job another name';
}

/** Writes a usable text to `config`, and keeps it for the time after a bad edit. */
function writeOperations(tree: JobTree, data: string): Operation[] {
  return [...configOperations(tree, data), ...keepOperations(tree, data)];
}

/** Keeps a text, unless it is kept already. A node that others may write is replaced by one of our own. */
export function keepOperations(tree: JobTree, data: string): Operation[] {
  const path = tree.paths.usableConfig;
  if (!tree.has(path)) return [creation(path, data)];
  const own = tree.usableConfig;
  if (own === undefined) return [{ kind: 'renew', path, data, mode: 'PERSISTENT' }];
  return own.data === data ? [] : [{ kind: 'set', path, data, version: own.stat.version }];
}

/** Replaces a node that others may write by one of our own. */
function configOperations(tree: JobTree, data: string): Operation[] {
  const path = tree.paths.config;
  const stat = tree.stat(path);
  if (stat === undefined) return [creation(path, data)];
  const { version } = stat;
  if (tree.configTrust.kind === 'foreign') return [{ kind: 'renew', path, data, mode: 'PERSISTENT', version }];
  return [{ kind: 'set', path, data, version }];
}

/** Creates the job's missing persistent nodes. */
function parentOperations(tree: JobTree): Operation[] {
  return tree.paths.laid.filter((path) => !tree.has(path)).map((path) => creation(path));
}

// Java writes the class name in the same step as `config`, and refuses a job whose root names another class.
function rootOperations(tree: JobTree, className: string): Operation[] {
  const root = tree.node(tree.paths.root);
  if (root === undefined) return [creation(tree.paths.root, className)];
  if (root.data !== '' || tree.has(tree.paths.config)) return [];
  return [{ kind: 'set', path: tree.paths.root, data: className, version: root.stat.version }];
}

/**
 * Creates the missing nodes of a job from a template, whose root and `config` were written at its creation. Creates
 * nothing if the job is about to be removed.
 */
function createdOperations(tree: JobTree): Operation[] {
  const missing = parentOperations(tree);
  const check: Operation = { kind: 'check', path: tree.paths.root, version: tree.stat(tree.paths.root)?.version };
  return missing.length === 0 ? [] : [check, ...missing];
}
