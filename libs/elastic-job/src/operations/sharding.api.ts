import { publicCalls } from '../async-context/index.js';
import { sharedClass } from '../copies/index.js';
import type { JobName } from '../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../registry/index.js';
import { assertItem, pathsOf } from './command-arguments.js';
import { readItems, type ShardingInfo } from './item-facts.js';
import { readJob, throwUnknownItem } from './job-facts.js';

/**
 * Disables and enables single items of a job. A running item goes on; the next trigger skips a disabled one, and no
 * other instance gets it.
 * @see ElasticJob, `ShardingOperateAPI`
 */
@sharedClass('ShardingOperateApi')
@publicCalls()
export class ShardingOperateApi {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * Disables an item; a disabled one stays so. One request.
   * @returns false if it was disabled already
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  disable(jobName: JobName, item: number): Promise<boolean> {
    return this.mark(jobName, item, creation);
  }

  /**
   * Enables an item; an enabled one stays so. One request.
   * @returns false if it was enabled already
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  enable(jobName: JobName, item: number): Promise<boolean> {
    return this.mark(jobName, item, (path) => ({ kind: 'delete', path }));
  }

  private async mark(jobName: JobName, item: number, change: (path: string) => Operation): Promise<boolean> {
    const paths = pathsOf(jobName);
    assertItem(item);
    const operations: Operation[] = [{ kind: 'check', path: paths.item(item) }, change(paths.mark(item, 'disabled'))];
    const result = await this.registry.transaction(operations);
    // A refusal of the second operation means that the item is in the wanted state already.
    if (result.kind === 'refused' && result.index === 0) await throwUnknownItem(this.registry, paths, item);
    return result.kind === 'committed';
  }
}

/** Lists a job's items and their states. Values are frozen. @see ElasticJob, `ShardingStatisticsAPI` */
@sharedClass('ShardingStatisticsApi')
@publicCalls()
export class ShardingStatisticsApi {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * Every item that has a node, ascending; none if there is no such job. A missing owner is no error: its items are
   * SHARDING_FLAG. 3 requests, if they fit.
   * @throws {InvalidArgumentError}
   */
  async getShardingInfo(jobName: JobName): Promise<readonly ShardingInfo[]> {
    const paths = pathsOf(jobName);
    const job = await readJob(this.registry, paths, ['instances', 'items']);
    const items = await readItems(this.registry, job, [...job.owners.keys()]);
    return Object.freeze(items.map(({ info }) => info));
  }
}
