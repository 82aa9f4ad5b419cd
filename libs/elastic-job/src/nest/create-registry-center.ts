import type { Clock } from '../clock/index.js';
import { MemoryRegistry, type RegistryCenter, ZooKeeperRegistryCenter } from '../registry/index.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

/**
 * Creates the client of the registry that the options name, not connected yet.
 * @throws {ConfigurationError} for a wrong server list or an illegal namespace.
 */
export function createRegistryCenter(registry: ResolvedModuleOptions['registry'], clock: Clock): RegistryCenter {
  const options = registry.reveal();
  switch (options.type) {
    case 'memory': {
      const { server = new MemoryRegistry(clock), namespace = 'elastic-job' } = options;
      const { sessionTimeoutMs = 15_000, requestTimeoutMs = 10_000 } = options;
      return server.center({ namespace, sessionTimeoutMs, requestTimeoutMs, clock });
    }
    case 'zookeeper':
      return new ZooKeeperRegistryCenter(options, clock);
    default:
      return options satisfies never;
  }
}
