import { isLoopbackName } from '../clock/index.js';
import { hostsOf } from '../registry/index.js';
import type { ElasticJobModuleOptions } from './module-options.js';

/**
 * The warning of a host that registers under an address which every host has, at a registry that others can reach.
 * @param host the address or name under which it registers
 */
export function findLoopbackWarning(host: string, registry: ElasticJobModuleOptions['registry']): string | undefined {
  if (registry?.type !== 'zookeeper' || !isLoopbackName(host)) return undefined;
  const beyond = hostsOf(registry.servers).filter((server) => !isLoopbackName(server));
  if (beyond.length === 0) return undefined;
  return (
    `this host registers as ${host}, which is every host's own, at a registry on ${beyond.join(', ')}: hosts of that ` +
    'name are one server, which operators disable as a whole; give it an address or a name of its own (option host)'
  );
}
