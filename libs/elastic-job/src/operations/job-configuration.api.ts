import { assertFitsOneTransaction, removeTree, untilAccepted } from '../coordination/index.js';
import { sharedClass } from '../copies/index.js';
import {
  type CronDialect,
  type JobConfiguration,
  type JobName,
  type JobOptions,
  type ShardingStrategy,
  UnknownJobError,
} from '../domain/index.js';
import { BadVersionError, NoNodeError, type RegistryCenter } from '../registry/index.js';
import { pathsOf } from './arguments.js';
import {
  describeConfiguration,
  editConfiguration,
  type JobConfigurationChanges,
  readConfiguration,
  type StoredJobConfiguration,
} from './edit-configuration.js';

/** Judges settings that are about to be written. @param former what stands so far @throws {ConfigurationError} */
export type AssertEditable = (configuration: JobConfiguration, former: JobOptions) => void;

/**
 * The settings of any job of the namespace, as its `config` node holds them. Who runs the job, Java or Node, hears of
 * an edit at once.
 * @see ElasticJob, `JobConfigurationAPI`
 */
@sharedClass('JobConfigurationApi')
export class JobConfigurationApi {
  /**
   * @param strategies the user's own, which edits may name by their type beside the built-in ones
   * @param assertEditable what else this process knows of the jobs' settings
   * @param cronDialect that of an edited `cron`; Quartz's, as it is read, is always taken
   */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly strategies: readonly ShardingStrategy[] = [],
    private readonly assertEditable: AssertEditable = () => {},
    private readonly cronDialect: CronDialect = 'quartz',
  ) {}

  /**
   * Frozen; undefined if there is no such job. One request.
   * @throws {ConfigurationNodeError} if the node cannot be read
   * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it
   * @throws {InvalidArgumentError}
   */
  async getJobConfiguration(jobName: JobName): Promise<StoredJobConfiguration | undefined> {
    const node = await this.registry.read(pathsOf(jobName).config);
    return node && describeConfiguration(readConfiguration(jobName, node.data, this.strategies));
  }

  /**
   * Changes some settings and leaves the others, and what other operators change at the same time. In an application
   * with `ElasticJobModule` they are also judged as `JobRegistrar.change` does: error handler and props, as far as it
   * knows them. What breaks a rule never reaches the node; a node that breaks one is corrected so. 2 requests, or one
   * if nothing is to be changed.
   * @returns the settings as they are now
   * @throws {ConfigurationError} that names every wrong setting with its value and what would be right
   * @throws {ConfigurationNodeError} if the node cannot be read
   * @throws {ElasticJob2ConfigurationError} if ElasticJob 2 wrote it
   * @throws {UnknownJobError}
   * @throws {InvalidArgumentError}
   */
  async updateJobConfiguration(jobName: JobName, changes: JobConfigurationChanges): Promise<StoredJobConfiguration> {
    const paths = pathsOf(jobName);
    return untilAccepted(jobName, 'changing the configuration', async () => {
      const node = await this.registry.read(paths.config);
      if (node === undefined) throw new UnknownJobError(jobName, 'registry');
      const { strategies, cronDialect } = this;
      const source = { strategies, cronDialect };
      const { configuration, former, text } = editConfiguration(jobName, node.data, changes, source);
      this.assertEditable(configuration, former);
      assertFitsOneTransaction(this.registry, { ...configuration, place: 'JobConfigurationApi' });
      const isWritten = text === node.data || (await this.write(paths.config, text, node.stat.version));
      return isWritten ? describeConfiguration(configuration) : undefined;
    });
  }

  /**
   * Removes the job with everything that the registry has of it; its instances, if any, shut down as after
   * `JobOperateApi.shutdown`. One transaction, or as few as the tree fits into, after a few requests for each level.
   * @throws {UnknownJobError} @throws {InvalidArgumentError}
   */
  async removeJobConfiguration(jobName: JobName): Promise<void> {
    await removeTree(this.registry, pathsOf(jobName).jobName);
  }

  /** @returns false if somebody else has written or removed the node meanwhile */
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
