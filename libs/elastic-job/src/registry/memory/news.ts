import type { Namespace } from '../namespace.js';
import { parentPath } from '../node-map.js';
import type { RegistryNode } from '../registry-center.js';
import type { NodeChange } from './node-tree.js';

/** What has changed at and below each root, in the order of the server. */
type ChangesByRoot = ReadonlyMap<string, readonly NodeChange[]>;

/** The changes of one commit. Peers of one namespace hear the very same: none pays for the paths of the others. */
export class News {
  private readonly byNamespace = new Map<string, ChangesByRoot>();

  constructor(private readonly changes: readonly NodeChange[]) {}

  /** What has changed in a namespace, with the port's paths, by each node at or below which something has. */
  within(namespace: Namespace): ChangesByRoot {
    const known = this.byNamespace.get(namespace.root);
    if (known !== undefined) return known;
    const byRoot = new Map<string, NodeChange[]>();
    for (const { kind, node } of this.changes) {
      const own = localNode(node, namespace);
      if (own !== undefined) addAtRoots(byRoot, { kind, node: own });
    }
    this.byNamespace.set(namespace.root, byRoot);
    return byRoot;
  }
}

function addAtRoots(byRoot: Map<string, NodeChange[]>, change: NodeChange): void {
  for (let root: string | undefined = change.node.path; root !== undefined; root = parentPath(root)) {
    const changes = byRoot.get(root);
    if (changes) changes.push(change);
    else byRoot.set(root, [change]);
  }
}

/** The nodes with the port's paths, without those that are outside of the namespace. */
export function localNodes(nodes: readonly RegistryNode[], namespace: Namespace): readonly RegistryNode[] {
  return nodes.flatMap((node) => localNode(node, namespace) ?? []);
}

/** Undefined for a node outside of the namespace. */
function localNode(node: RegistryNode, namespace: Namespace): RegistryNode | undefined {
  const path = namespace.relative(node.path);
  return path === undefined ? undefined : { ...node, path };
}
