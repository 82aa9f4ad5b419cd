import { type JobPaths, maskConfiguration } from '../coordination/index.js';
import type { RegistryNode } from '../registry/index.js';

const HIDDEN = 'hidden';

/**
 * A node as a dump shows it: without parameters, props and extra configurations, and without free texts of handlers and
 * operators.
 */
export function withoutSecrets(paths: JobPaths, node: RegistryNode): RegistryNode {
  const data = node.data === '' ? '' : shown(paths, node);
  return { ...node, data };
}

function shown(paths: JobPaths, { path, data }: RegistryNode): string {
  switch (paths.parse(path).kind) {
    case 'config':
    case 'usable-config':
      return `${maskConfiguration(data)}\n`;
    case 'trigger':
    case 'item-checkpoint':
      return HIDDEN;
    default:
      return data;
  }
}
