import { publicCalls } from '../async-context/index.js';
import { assertFitsOneTransaction, removeTree, unknownJob, untilAccepted } from '../coordination/index.js';
import { sharedClass } from '../copies/index.js';
import {
  ConfigurationError,
  type CronDialect,
  type JobConfiguration,
  type JobName,
  type JobOptions,
  number,
  type OptionRow,
  OptionTable,
  type ShardingStrategy,
  type TemplateName,
} from '../domain/index.js';
import { BadVersionError, NoNodeError, type RegistryCenter } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { pathsOf } from './command-arguments.js';
import {
  describeConfiguration,
  editConfiguration,
  type JobConfigurationChanges,
  readConfiguration,
  type StoredJobConfiguration,
} from './edit-configuration.js';
import { ConfigurationChangedError } from './operations.errors.js';

/**
 * Checks settings that are about to be written.
 * @param former the settings so far
 * @param template the template of a created job, and the text that its `config` gets
 * @throws {ConfigurationError} @throws {TemplateLimitError}
 */
export type AssertEditable = (
  configuration: JobConfiguration,
  former: JobOptions,
  template: { readonly name: TemplateName; readonly text: string } | undefined,
) => void;

export interface EditOptions {
  /**
   * Version of the settings that the edit was made for. Refused if it is there without a value.
   * @default whatever they have
   */
  readonly version?: number;
}

const PLACE = 'JobConfigurationApi.updateJobConfiguration';
const EDIT = { version: { rule: number(0) } } as const satisfies Readonly<Record<keyof EditOptions, OptionRow>>;
const EDIT_TABLE = new OptionTable(EDIT, 'an edit');

/** @throws {ConfigurationError} for a version that was not found, which would be any version */
function expectedVersion(options: EditOptions): number | undefined {
  const { version } = EDIT_TABLE.checked(PLACE, options);
  if (version === undefined && 'version' in options) {
    throw new ConfigurationError(PLACE, ['version is given, but has no value; leave it out for any version']);
  }
  return version;
}

/**
 * Settings of any job of the namespace, as its `config` node holds them. Instances of the job, Java or Node, see an
 * edit at once.
 * @see ElasticJob, `JobConfigurationAPI`
 */
@sharedClass('JobConfigurationApi')
@publicCalls()
export class JobConfigurationApi {
  /**
   * @param strategies the user's own, which edits may name by their type besides the built-in ones
   * @param assertEditable further checks of this process
   * @param cronDialect dialect of an edited `cron`; Quartz's is always accepted
   * @param strategyOf the strategy in this process's code or defaults for a job that it runs
   */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly strategies: readonly ShardingStrategy[] = [],
    private readonly assertEditable: AssertEditable = () => {},
    private readonly cronDialect: CronDialect = 'quartz',
    private readonly strategyOf: (jobName: JobName) => ShardingStrategy | undefined = () => undefined,
  ) {}

  /**
   * Frozen; undefined if there is no such job. Where the registry names no strategy, that of this process's code or
   * defaults, by which it plans while it leads, if it runs the job. One request.
   * @throws {ConfigurationNodeError} if the node cannot be read
   * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it
   * @throws {InvalidArgumentError}
   */
  async getJobConfiguration(jobName: JobName): Promise<StoredJobConfiguration | undefined> {
    const node = await this.registry.read(pathsOf(jobName).config);
    return node && this.describe(jobName, node.data, node.stat.version);
  }

  /**
   * Changes the given settings. Keeps all others, and simultaneous edits of other operators, unless `version` is given:
   * then an edit in between refuses this one. In an application with
   * `ElasticJobModule` the error handler and the props are also checked, as far as it knows them, as
   * `JobRegistrar.change` does. A wrong setting never reaches the node; a node with a wrong setting can be corrected
   * this way. 2 requests, or one if nothing changes.
   * @returns the settings as they are now
   * @throws {ConfigurationError} that names every wrong setting with its value and what would be right, and everything
   * that is no setting: `name`, `overwrite`, options of the code, misspelled names
   * @throws {TemplateLimitError} if this process has the job's template, and the edit is beyond one of its limits
   * @throws {ConfigurationNodeError} if the node cannot be read
   * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it
   * @throws {ConfigurationChangedError} if the settings have another version than the given one
   * @throws {UnknownJobError}
   * @throws {InvalidArgumentError}
   */
  async updateJobConfiguration(
    jobName: JobName,
    changes: JobConfigurationChanges,
    options: EditOptions = {},
  ): Promise<StoredJobConfiguration> {
    const paths = pathsOf(jobName);
    const expected = expectedVersion(options);
    return repeat(untilAccepted(jobName, 'changing the configuration'), async () => {
      const node = await this.registry.read(paths.config);
      if (node === undefined) throw await unknownJob(this.registry, jobName);
      const { version } = node.stat;
      if (expected !== undefined && version !== expected) {
        throw new ConfigurationChangedError(jobName, expected, version);
      }
      const text = this.edited(jobName, node.data, changes);
      if (text === node.data) return this.describe(jobName, text, version);
      // Each write of a node raises its version by 1.
      return (await this.write(paths.config, text, version)) ? this.describe(jobName, text, version + 1) : undefined;
    });
  }

  /**
   * The settings that `updateJobConfiguration` would make of the present ones. They are judged in the same way, and
   * nothing is written. One request.
   * @throws what `updateJobConfiguration` throws for such changes
   */
  async previewJobConfiguration(jobName: JobName, changes: JobConfigurationChanges): Promise<StoredJobConfiguration> {
    const node = await this.registry.read(pathsOf(jobName).config);
    if (node === undefined) throw await unknownJob(this.registry, jobName);
    return this.describe(jobName, this.edited(jobName, node.data, changes), node.stat.version);
  }

  /**
   * Removes the job with all its nodes in the registry; its instances, if any, shut down as after
   * `JobOperateApi.shutdown`. One transaction of up to 2,000 nodes, or as few as the tree fits into. In a tree of
   * more than 500 nodes each one is asked for its children.
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   * @throws {PartlyDoneError} if some of the transactions are made
   */
  async removeJobConfiguration(jobName: JobName): Promise<void> {
    await removeTree(this.registry, pathsOf(jobName).jobName);
  }

  /** The text with the changes. @throws what `updateJobConfiguration` throws for them */
  private edited(jobName: JobName, data: string, changes: JobConfigurationChanges): string {
    const { cronDialect, strategies } = this;
    const source = { strategies, cronDialect };
    const { configuration, former, template, text } = editConfiguration(jobName, data, changes, source);
    this.assertEditable(configuration, former, template === undefined ? undefined : { name: template, text });
    assertFitsOneTransaction(this.registry, { ...configuration, place: 'JobConfigurationApi' });
    return text;
  }

  private describe(jobName: JobName, text: string, version: number): StoredJobConfiguration {
    return describeConfiguration(readConfiguration(jobName, text, this.strategies, this.strategyOf(jobName)), version);
  }

  /** @returns false if the node was written or removed meanwhile */
  private async write(path: string, text: string, version: number): Promise<boolean> {
    try {
      await this.registry.set(path, text, version);
      return true;
    } catch (error) {
      if (error instanceof BadVersionError || error instanceof NoNodeError) return false;
      throw error;
    }
  }
}
