import { creation, type Operation } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Writes a usable text to `config`, and keeps it for the time after a bad edit. */
export function writeOperations(tree: JobTree, data: string): Operation[] {
  return [...configOperations(tree, data), ...keepOperations(tree, data)];
}

/** Keeps a text, unless it is kept already. A node that others may write is replaced by one of our own. */
export function keepOperations(tree: JobTree, data: string): Operation[] {
  const path = tree.paths.usableConfig;
  if (!tree.has(path)) return [creation(path, data)];
  const own = tree.usableConfig;
  if (own === undefined) return [{ kind: 'renew', path, data, mode: 'PERSISTENT' }];
  return own.data === data ? [] : [{ kind: 'set', path, data, version: own.stat.version }];
}

/** Replaces a node that others may write by one of our own. */
function configOperations(tree: JobTree, data: string): Operation[] {
  const path = tree.paths.config;
  const stat = tree.stat(path);
  if (stat === undefined) return [creation(path, data)];
  const { version } = stat;
  if (tree.configTrust.kind === 'foreign') return [{ kind: 'renew', path, data, mode: 'PERSISTENT', version }];
  return [{ kind: 'set', path, data, version }];
}

/** Creates the job's missing persistent nodes. */
export function parentOperations(tree: JobTree): Operation[] {
  return tree.paths.laid.filter((path) => !tree.has(path)).map((path) => creation(path));
}

// Java writes the class name in the same step as `config`, and refuses a job whose root names another class.
export function rootOperations(tree: JobTree, className: string): Operation[] {
  const root = tree.node(tree.paths.root);
  if (root === undefined) return [creation(tree.paths.root, className)];
  if (root.data !== '' || tree.has(tree.paths.config)) return [];
  return [{ kind: 'set', path: tree.paths.root, data: className, version: root.stat.version }];
}

/**
 * Creates the missing nodes of a job from a template, whose root and `config` were written at its creation. Creates
 * nothing if the job is about to be removed.
 */
export function createdOperations(tree: JobTree): Operation[] {
  const missing = parentOperations(tree);
  const check: Operation = { kind: 'check', path: tree.paths.root, version: tree.stat(tree.paths.root)?.version };
  return missing.length === 0 ? [] : [check, ...missing];
}
