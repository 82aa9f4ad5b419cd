import type { NodeChange, NotifiedSubtree } from '../known-subtree.js';
import type { Namespace } from '../namespace.js';
import { parentPath } from '../node-map.js';
import type { RegistryNode } from '../registry-center.js';

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

/** The open views of one client, by their roots, so that news of one job cost the views of other jobs nothing. */
export class OpenViews {
  private readonly byRoot = new Map<string, Set<NotifiedSubtree>>();

  constructor(private readonly namespace: Namespace) {}

  /** All views, in the order of their roots. */
  get all(): readonly NotifiedSubtree[] {
    return [...this.byRoot.values()].flatMap((views) => [...views]);
  }

  add(view: NotifiedSubtree): void {
    const views = this.byRoot.get(view.path);
    if (views) views.add(view);
    else this.byRoot.set(view.path, new Set([view]));
  }

  delete(view: NotifiedSubtree): void {
    const views = this.byRoot.get(view.path);
    if (views?.delete(view) && views.size === 0) this.byRoot.delete(view.path);
  }

  receive(news: News, isOwn: boolean): void {
    const received = new Map<ReadonlySet<NotifiedSubtree>, NodeChange[]>();
    for (const change of news.within(this.namespace)) {
      for (const views of this.above(change.node.path)) {
        const changes = received.get(views);
        if (changes) changes.push(change);
        else received.set(views, [change]);
      }
    }
    for (const [views, changes] of received) for (const view of views) view.receive(changes, isOwn);
  }

  /** Ends all views because the session is over. */
  lose(): void {
    for (const view of this.all) view.lose();
    this.byRoot.clear();
  }

  /** Views that show a path, grouped by their roots. */
  private *above(path: string): Generator<ReadonlySet<NotifiedSubtree>, void> {
    if (this.byRoot.size === 0) return;
    for (let root: string | undefined = path; root !== undefined; root = parentPath(root)) {
      const views = this.byRoot.get(root);
      if (views) yield views;
    }
  }
}
