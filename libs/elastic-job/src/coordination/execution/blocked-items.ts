import { SparseMap } from '../../domain/index.js';
import { NoAuthError } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Item whose node the client may not write, according to the server; undefined if something else has failed. */
export function blamedItem(tree: JobTree, error: unknown): number | undefined {
  if (!(error instanceof NoAuthError)) return undefined;
  const node = tree.paths.parse(error.path);
  return 'item' in node ? node.item : undefined;
}

/** Items of one job and session that begins have shown this client may not write. They must not hold up other items. */
export class BlockedItems {
  /** Latest error by item; the item that was refused longest ago comes first. */
  private readonly items = new SparseMap<number, unknown>();

  has(item: number): boolean {
    return this.items.has(item);
  }

  add(item: number, error: unknown): void {
    this.items.delete(item);
    this.items.set(item, error);
  }

  /** Error that blocks one of the items. */
  errorOf(items: readonly number[]): unknown {
    return items.map((item) => this.items.get(item)).find((error) => error !== undefined);
  }

  /** Removes items that could be written after all. */
  delete(items: Iterable<number>): void {
    for (const item of items) this.items.delete(item);
  }

  /**
   * Selects the items of the next attempt; none if nothing is left. The first attempt takes all, since blocked items
   * may have become writable. The second takes those not known as blocked, and the one that was refused longest ago;
   * the next ones omit that one too.
   * @param blamed items for which earlier attempts of this begin failed
   */
  together(items: readonly number[], blamed: Pick<ReadonlySet<number>, 'has' | 'size'>): readonly number[] {
    if (blamed.size === 0) return items;
    const isAnother = (item: number) => items.includes(item) && !blamed.has(item);
    const tried = blamed.size === 1 ? [...this.items.keys()].find(isAnother) : undefined;
    return items.filter((item) => !this.has(item) || item === tried);
  }
}
