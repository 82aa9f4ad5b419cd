import { parentPath } from './node-map.js';
import type { RegistryNode, SubtreeBounds } from './registry-center.js';

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
