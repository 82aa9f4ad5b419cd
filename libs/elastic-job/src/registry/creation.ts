import type { Operation } from './registry-center.js';

/** Creates a persistent node; refused if it is there. */
export function creation(path: string, data = ''): Operation {
  return { kind: 'create', path, data, mode: 'PERSISTENT' };
}
