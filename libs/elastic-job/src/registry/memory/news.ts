import type { Namespace } from '../namespace.js';
import type { RegistryNode } from '../registry-center.js';
import type { NodeChange } from './node-tree.js';

/**
 * The changes of one commit. Peers of one namespace share the same list, so no peer pays for paths of other namespaces.
 */
export class News {
  private readonly byRoot = new Map<string, readonly NodeChange[]>();

  constructor(private readonly changes: readonly NodeChange[]) {}

  /** Changes within a namespace, with the port's paths. */
  within(namespace: Namespace): readonly NodeChange[] {
    const known = this.byRoot.get(namespace.root);
    if (known !== undefined) return known;
    const local = this.changes.flatMap(({ kind, node }) => {
      const own = localNode(node, namespace);
      return own === undefined ? [] : { kind, node: own };
    });
    this.byRoot.set(namespace.root, local);
    return local;
  }
}

/** The nodes inside the namespace, with the port's paths. */
export function localNodes(nodes: readonly RegistryNode[], namespace: Namespace): readonly RegistryNode[] {
  return nodes.flatMap((node) => localNode(node, namespace) ?? []);
}

/** The node with the port's path; undefined outside the namespace. */
function localNode(node: RegistryNode, namespace: Namespace): RegistryNode | undefined {
  const path = namespace.relative(node.path);
  return path === undefined ? undefined : { ...node, path };
}
