import {
  assertNoFaults,
  assertTextWithin,
  assertWithinLimits,
  ConfigurationError,
  findFaultsInProps,
  guardProps,
  type JobConfiguration,
  type JobName,
  TemplateLimitError,
} from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';
import type { AssertFits, EffectiveConfiguration, LocalJob } from './effective-configuration.js';
import { type LaidConfiguration, layStored, type PropTrust, type StrategyLookup } from './lay-configuration.js';
import {
  ConfigurationNodeError,
  ElasticJob2ConfigurationError,
  type ReadConfiguration,
  readConfiguration,
  type StoredConfiguration,
} from './parse-configuration.js';

/** A text, laid over the settings of a process. */
interface LaidText {
  readonly data: string;
  readonly local: JobConfiguration;
  readonly laid: LaidConfiguration;
}

/** Reads the texts of `config` and of the kept node, each version once, as far as one process may follow them. */
export class SettingsReader {
  private readonly texts = new ConfigurationTexts();
  private readonly keptTexts = new ConfigurationTexts();
  /** Last laid text by job, as a start follows the text that it has just written. */
  private readonly laid = new Map<JobName, LaidText>();

  constructor(
    readonly assertFits: AssertFits,
    private readonly strategies: StrategyLookup,
    private readonly trust: PropTrust,
  ) {}

  forget(jobName: JobName): void {
    this.texts.forget(jobName);
    this.keptTexts.forget(jobName);
    this.laid.delete(jobName);
  }

  /** @throws the reason why the text of `config` is unusable */
  usable(local: LocalJob, node: RegistryNode): EffectiveConfiguration {
    return this.usableOf(local, node, this.texts);
  }

  /** @throws the reason why the kept text is unusable */
  usableKept(local: LocalJob, node: RegistryNode): EffectiveConfiguration {
    return this.usableOf(local, node, this.keptTexts);
  }

  /**
   * Checks a text before it is written.
   * @throws {ConfigurationNodeError} if no instance could use it
   * @throws {TemplateLimitError} if the job would be beyond a limit of its template
   */
  assertReadable(local: LocalJob, data: string): void {
    this.lay(local, data, this.texts);
  }

  /** @throws {ConfigurationError} for props that decide what is run and must not come from the registry */
  assertFollowed(local: LocalJob, { jobName, props }: JobConfiguration): void {
    const { targets, allowed } = this.trustOf(local);
    const { refused } = guardProps(local.configuration.props, props, targets, allowed);
    if (refused.length === 0) return;
    const problems = refused.map((name) => `props: ${notFollowed(name)}`);
    throw new ConfigurationError(`job "${jobName}" (${local.place})`, problems);
  }

  /**
   * Content of the node that must be kept; of the kept text if the node is unreadable, and none if the node is foreign.
   */
  stored(tree: JobTree, local: LocalJob): StoredConfiguration | 'elastic-job-2' | undefined {
    const node = tree.node(tree.paths.config);
    if (tree.configTrust.kind === 'foreign') return undefined;
    try {
      return node && readStored(local, node, this.texts);
    } catch (error) {
      if (error instanceof ElasticJob2ConfigurationError) return 'elastic-job-2';
      if (error instanceof ConfigurationNodeError || error instanceof TemplateLimitError)
        return this.readKeptStored(tree, local);
      throw error;
    }
  }

  private readKeptStored(tree: JobTree, local: LocalJob): StoredConfiguration | undefined {
    const kept = tree.usableConfig;
    try {
      return kept && readStored(local, kept, this.keptTexts);
    } catch {
      return undefined;
    }
  }

  private usableOf(local: LocalJob, { data, stat }: RegistryNode, texts: ConfigurationTexts): EffectiveConfiguration {
    const laid = this.lay(local, data, texts);
    this.assertFits({ ...laid.configuration, place: local.place });
    return { ...laid, writtenAt: stat.mtime };
  }

  private trustOf({ targets }: Pick<LocalJob, 'targets'>): PropTrust {
    return { ...this.trust, targets: { ...this.trust.targets, ...targets } };
  }

  /** @throws {ConfigurationNodeError} */
  private lay(job: LocalJob, data: string, texts: ConfigurationTexts): LaidConfiguration {
    const { configuration: local } = job;
    const known = this.laid.get(local.jobName);
    const isKnown = known?.data === data && known.local === local;
    const laid = isKnown ? known.laid : this.layAnew(job, data, texts);
    // The result is kept, so the text is not read again.
    texts.forget(local.jobName);
    // Of two equal texts the node's is kept, so that the other one can be freed.
    this.laid.set(local.jobName, { data, local, laid });
    return laid;
  }

  private layAnew(
    { configuration: local, findPropsFaults, limits, targets }: LocalJob,
    data: string,
    texts: ConfigurationTexts,
  ): LaidConfiguration {
    if (limits !== undefined) assertTextWithin(limits, data);
    const stored = texts.parse(data, local.jobName);
    const laid = layStored(local, stored, this.strategies, this.trustOf({ targets }));
    if (limits !== undefined) assertWithinLimits(limits, laid.configuration);
    assertNoFaults(
      (onThrown) => findFaultsInProps(laid.configuration.props, { findPropsFaults, limits }, onThrown),
      (faults, options) => new ConfigurationNodeError(local.jobName, [...faults, ...refusedIn(laid)], options),
    );
    return laid;
  }
}

/** A text beyond the limit of its template is not parsed: those of all jobs may come at once. */
function readStored({ configuration, limits }: LocalJob, { data }: RegistryNode, texts: ConfigurationTexts) {
  if (limits !== undefined) assertTextWithin(limits, data);
  return texts.read(data, configuration.jobName).stored;
}

function refusedIn({ differences }: LaidConfiguration): readonly string[] {
  return differences.filter(({ isRefused }) => isRefused).map(({ field }) => notFollowed(field));
}

function notFollowed(field: string): string {
  return (
    `${field} is not taken from the registry: set it in this process, or ` +
    "allow it by the module's allowRegistryTargets"
  );
}

/** Result of reading a text. */
type Outcome = { readonly read: ReadConfiguration } | { readonly error: unknown };

/**
 * Texts of `config` nodes. Each one is parsed once, however often it is read: after every reconnect, and by every
 * reader.
 */
class ConfigurationTexts {
  private readonly known = new Map<JobName, { readonly text: string; readonly outcome: Outcome }>();

  /** @see readConfiguration */
  read(text: string, jobName: JobName): ReadConfiguration {
    const known = this.known.get(jobName);
    const outcome = known?.text === text ? known.outcome : outcomeOf(text, jobName);
    this.known.set(jobName, { text, outcome });
    if ('error' in outcome) throw outcome.error;
    return outcome.read;
  }

  /** @see parseConfiguration */
  parse(text: string, jobName: JobName): StoredConfiguration {
    const { stored, problems } = this.read(text, jobName);
    if (problems.length > 0) throw new ConfigurationNodeError(jobName, problems);
    return stored;
  }

  forget(jobName: JobName): void {
    this.known.delete(jobName);
  }
}

function outcomeOf(text: string, jobName: JobName): Outcome {
  try {
    return { read: readConfiguration(text, jobName) };
  } catch (error) {
    return { error };
  }
}
