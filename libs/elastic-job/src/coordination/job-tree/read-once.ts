import { SparseMap } from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';

/** Number of kept values at which all are dropped, including those of removed nodes. */
const MOST_KEPT = 10_000;

/** Parses texts of nodes, once for each version of a node. */
export class ReadOnce<T> {
  // Latest version by path, as a view keeps one object per version. A WeakMap is avoided, since collecting its keys
  // costs every trigger.
  private readonly known = new SparseMap<string, { readonly node: RegistryNode; readonly value: T }>();

  constructor(private readonly read: (node: RegistryNode) => T) {}

  of(node: RegistryNode): T {
    const known = this.known.get(node.path);
    if (known?.node === node) return known.value;
    if (this.known.size >= MOST_KEPT) this.known.clear();
    const value = this.read(node);
    this.known.set(node.path, { node, value });
    return value;
  }
}
