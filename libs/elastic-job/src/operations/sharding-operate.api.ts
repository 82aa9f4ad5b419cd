import { publicCalls } from '../async-context/index.js';
import { sharedClass } from '../copies/index.js';
import type { JobName } from '../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../registry/index.js';
import { assertItem, pathsOf } from './arguments.js';
import { throwUnknownItem } from './unknown-item.js';

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
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  disable(jobName: JobName, item: number): Promise<void> {
    return this.mark(jobName, item, creation);
  }

  /**
   * Enables an item; an enabled one stays so. One request.
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  enable(jobName: JobName, item: number): Promise<void> {
    return this.mark(jobName, item, (path) => ({ kind: 'delete', path }));
  }

  private async mark(jobName: JobName, item: number, change: (path: string) => Operation): Promise<void> {
    const paths = pathsOf(jobName);
    assertItem(item);
    const operations: Operation[] = [{ kind: 'check', path: paths.item(item) }, change(paths.mark(item, 'disabled'))];
    const result = await this.registry.transaction(operations);
    // A refusal of the second operation means that the item is in the wanted state already.
    if (result.kind === 'refused' && result.index === 0) await throwUnknownItem(this.registry, paths, item);
  }
}
