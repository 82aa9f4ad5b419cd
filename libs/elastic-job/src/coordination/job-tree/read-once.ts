import { SparseMap } from '../../domain/index.js';
import type { RegistryNode } from '../../registry/index.js';

/** Nodes that are gone are forgotten with all others, once there are so many. */
const MOST_KEPT = 10_000;

/** What the texts of nodes say: each version of a node is read once, by whomever and however often it is asked for. */
export class ReadOnce<T> {
  // A view keeps one object for each version of a node. By path, since collecting weak keys costs every trigger.
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
