import { sharedClass } from '../copies/index.js';
import type { JobName } from '../domain/index.js';
import { creation, type Operation, type RegistryCenter } from '../registry/index.js';
import { assertItem, pathsOf } from './arguments.js';
import { throwUnknownItem } from './unknown-item.js';

/**
 * Switches single items of a job off and on. A running item goes on; the next trigger passes a disabled one over, and
 * no other instance gets it.
 * @see ElasticJob, `ShardingOperateAPI`
 */
@sharedClass('ShardingOperateApi')
export class ShardingOperateApi {
  constructor(private readonly registry: RegistryCenter) {}

  /**
   * One request. Done already is no error.
   * @throws {UnknownJobError} @throws {UnknownItemError} @throws {InvalidArgumentError}
   */
  disable(jobName: JobName, item: number): Promise<void> {
    return this.mark(jobName, item, creation);
  }

  /**
   * One request. Done already is no error.
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
    // The second one is refused only if the item is in the wanted state already.
    if (result.kind === 'refused' && result.index === 0) await throwUnknownItem(this.registry, paths, item);
  }
}
