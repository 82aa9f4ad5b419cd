import type { Operation, RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { overriding } from '../mutants/overriding.js';

const INSTANCE = /^\/[^/]+\/instances\/./;
const RERUNS = /^\/[^/]+\/reruns(?:\/|$)/;

/**
 * The registry as a process of an earlier release uses it: its label names no abilities, and it does not see re-runs.
 * So it neither begins them nor notes how far they have come, but repeats what a dead instance has begun of them.
 */
export function ofOlderRelease(center: RegistryCenter): RegistryCenter {
  const older = (operation: Operation): Operation =>
    'data' in operation && INSTANCE.test(operation.path)
      ? { ...operation, data: operation.data.replace(/ can=\S+/, '') }
      : operation;
  return overriding<RegistryCenter>(center, {
    transaction: (operations, options) => center.transaction(operations.map(older), options),
    create: (path, data, ...rest) =>
      center.create(path, INSTANCE.test(path) ? data.replace(/ can=\S+/, '') : data, ...rest),
    openSubtree: async (path, listener, options) => {
      const bounds =
        options?.bounds &&
        overriding(options.bounds, { admits: (at) => !RERUNS.test(at) && options.bounds!.admits(at) });
      return center.openSubtree(path, listener, { ...options, ...(bounds && { bounds }) });
    },
  });
}
