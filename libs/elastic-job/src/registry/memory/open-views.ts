import type { Namespace } from '../namespace.js';
import type { MemorySubtree } from './memory-subtree.js';
import type { News } from './news.js';

/** The open views of one client, by their roots: news of one job cost the views of the others nothing. */
export class OpenViews {
  private readonly byRoot = new Map<string, Set<MemorySubtree>>();

  constructor(private readonly namespace: Namespace) {}

  /** In the order of their roots. */
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
    if (this.byRoot.size === 0) return;
    for (const [root, changes] of news.within(this.namespace)) {
      for (const view of this.byRoot.get(root) ?? []) view.hear(changes, isOwn);
    }
  }

  /** The session is over. */
  lose(): void {
    for (const view of this.all) view.lose();
    this.byRoot.clear();
  }
}
