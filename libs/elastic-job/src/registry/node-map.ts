/** Nodes by path, with the names of their children: the server's tree, or a client's view of a part of it. */
export class NodeMap<T extends { readonly path: string }> {
  private readonly nodes = new Map<string, T>();
  private readonly names = new Map<string, Set<string>>();

  get(path: string): T | undefined {
    return this.nodes.get(path);
  }

  /** The names of the children, in no particular order; empty if there is no such node. */
  children(path: string): readonly string[] {
    return this.nodes.has(path) ? [...(this.names.get(path) ?? [])] : [];
  }

  /** How many children the node has. */
  childCount(path: string): number {
    return this.names.get(path)?.size ?? 0;
  }

  hasChildren(path: string): boolean {
    return this.names.has(path);
  }

  put(node: T): void {
    this.nodes.set(node.path, node);
    const parent = parentPath(node.path);
    if (parent === undefined) return;
    const siblings = this.names.get(parent);
    if (siblings) siblings.add(nameOf(node.path));
    else this.names.set(parent, new Set([nameOf(node.path)]));
  }

  remove(path: string): void {
    this.nodes.delete(path);
    const parent = parentPath(path);
    const siblings = parent === undefined ? undefined : this.names.get(parent);
    siblings?.delete(nameOf(path));
    if (parent !== undefined && siblings?.size === 0) this.names.delete(parent);
  }

  clear(): void {
    this.nodes.clear();
    this.names.clear();
  }

  /** Every node, in no particular order. */
  all(): Iterable<T> {
    return this.nodes.values();
  }

  /** The node and everything below it, parents first; empty if there is no such node. */
  subtree(path: string): readonly T[] {
    const node = this.nodes.get(path);
    const found = node ? [node] : [];
    // The list grows while it is walked.
    for (const { path: parent } of found) {
      for (const name of this.names.get(parent) ?? []) {
        const child = this.nodes.get(childPath(parent, name));
        if (child) found.push(child);
      }
    }
    return found;
  }
}

/** The path of the parent, or undefined for the root. */
export function parentPath(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** The last level of a path. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
