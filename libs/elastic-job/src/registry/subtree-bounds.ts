import { parentPath } from './node-map.js';
import type { RegistryNode } from './registry-center.js';

/** What a view takes in at most, whatever somebody has written below its root. */
export interface SubtreeBounds {
  /**
   * False: the view knows nothing of the node, nor of what is below it. Asked as a node appears, before anything is
   * read of it.
   */
  admits(path: string): boolean;
  /** True: nothing below the node would be admitted, so its children are not even listed. */
  isLeaf(path: string): boolean;
  /** The most characters that are kept of a node's value; of a longer one, as many and one more. */
  longest(path: string): number;
  /** The most children of one node that the view knows of. */
  readonly mostChildren: number;
  /**
   * A part of a value, or further children of a node, are left out. Told again whenever they are read again. Must not
   * throw.
   */
  onLeftOut(path: string, what: 'value' | 'children'): void;
}

/** Whether a view with these bounds takes in one node more. @param siblings how many of them it knows */
export function isAdmitted(bounds: SubtreeBounds | undefined, path: string, siblings: number): boolean {
  if (bounds === undefined) return true;
  if (siblings < bounds.mostChildren) return bounds.admits(path);
  bounds.onLeftOut(parentPath(path) ?? path, 'children');
  return false;
}

/** The node as a view with these bounds keeps it. */
export function cutNode(bounds: SubtreeBounds | undefined, node: RegistryNode): RegistryNode {
  const longest = bounds?.longest(node.path) ?? Infinity;
  if (node.data.length <= longest) return node;
  bounds?.onLeftOut(node.path, 'value');
  // A copy: a slice of a text keeps all of it in memory.
  return { ...node, data: Buffer.from(node.data.slice(0, longest + 1)).toString() };
}
