import { NoAuthError } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** The item whose node the client may not write, as the server says; undefined: something else has failed. */
export function blamedItem(tree: JobTree, error: unknown): number | undefined {
  if (!(error instanceof NoAuthError)) return undefined;
  const node = tree.paths.parse(error.path);
  return 'item' in node ? node.item : undefined;
}

/**
 * The items of one job and session that this client may not write, as far as begins have shown it: they hold up no
 * other.
 */
export class BlockedItems {
  /** With the latest answer for each; what was refused longest ago comes first. */
  private readonly items = new Map<number, unknown>();

  has(item: number): boolean {
    return this.items.has(item);
  }

  add(item: number, error: unknown): void {
    this.items.delete(item);
    this.items.set(item, error);
  }

  /** Why they are blocked. */
  errorOf(items: readonly number[]): unknown {
    return items.map((item) => this.items.get(item)).find((error) => error !== undefined);
  }

  /** They were written after all. */
  delete(items: Iterable<number>): void {
    for (const item of items) this.items.delete(item);
  }

  /**
   * What a begin of the items attempts next; none if nothing is left. First all of them: those that were blocked may be
   * so no more. Then those that are not known to be blocked, and the one that was refused longest ago; then without it.
   * @param blamed what the begin's attempts so far have failed for
   */
  together(items: readonly number[], blamed: ReadonlySet<number>): readonly number[] {
    if (blamed.size === 0) return items;
    const isAnother = (item: number) => items.includes(item) && !blamed.has(item);
    const tried = blamed.size === 1 ? [...this.items.keys()].find(isAnother) : undefined;
    return items.filter((item) => !this.has(item) || item === tried);
  }
}
