import type { CreateMode, NodeOperation } from './registry-center.js';

/** Creates a persistent node; refused if it is there. */
export function creation(path: string, data = ''): NodeOperation {
  return { kind: 'create', path, data, mode: 'PERSISTENT' };
}

/** True if the server adds a number to the name of the node. */
export function isNumbered(mode: CreateMode): boolean {
  return mode.endsWith('_SEQUENTIAL');
}
