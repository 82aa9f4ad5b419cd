import type { Namespace } from '../namespace.js';
import { parentPath } from '../node-map.js';
import type { MemorySubtree } from './memory-subtree.js';
import type { News } from './news.js';
import type { NodeChange } from './node-tree.js';

/** The open views of one client, by their roots, so that news of one job cost the views of other jobs nothing. */
export class OpenViews {
  private readonly byRoot = new Map<string, Set<MemorySubtree>>();

  constructor(private readonly namespace: Namespace) {}

  /** All views, in the order of their roots. */
  get all(): readonly MemorySubtree[] {
    return [...this.byRoot.values()].flatMap((views) => [...views]);
  }

  add(view: MemorySubtree): void {
    const views = this.byRoot.get(view.path);
    if (views) views.add(view);
    else this.byRoot.set(view.path, new Set([view]));
  }

  delete(view: MemorySubtree): void {
    const views = this.byRoot.get(view.path);
    if (views?.delete(view) && views.size === 0) this.byRoot.delete(view.path);
  }

  hear(news: News, isOwn: boolean): void {
    const heard = new Map<ReadonlySet<MemorySubtree>, NodeChange[]>();
    for (const change of news.within(this.namespace)) {
      for (const views of this.above(change.node.path)) {
        const changes = heard.get(views);
        if (changes) changes.push(change);
        else heard.set(views, [change]);
      }
    }
    for (const [views, changes] of heard) for (const view of views) view.hear(changes, isOwn);
  }

  /** Ends all views because the session is over. */
  lose(): void {
    for (const view of this.all) view.lose();
    this.byRoot.clear();
  }

  /** Views that show a path, grouped by their roots. */
  private *above(path: string): Generator<ReadonlySet<MemorySubtree>, void> {
    if (this.byRoot.size === 0) return;
    for (let root: string | undefined = path; root !== undefined; root = parentPath(root)) {
      const views = this.byRoot.get(root);
      if (views) yield views;
    }
  }
}
