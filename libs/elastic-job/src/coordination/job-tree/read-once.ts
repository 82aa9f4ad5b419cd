import type { RegistryNode } from '../../registry/index.js';

/** What the texts of nodes say: each version of a node is read once, by whomever and however often it is asked for. */
export class ReadOnce<T> {
  // A view keeps one object for each version of a node.
  private readonly known = new WeakMap<RegistryNode, { readonly value: T }>();

  constructor(private readonly read: (node: RegistryNode) => T) {}

  of(node: RegistryNode): T {
    const known = this.known.get(node) ?? { value: this.read(node) };
    this.known.set(node, known);
    return known.value;
  }
}
