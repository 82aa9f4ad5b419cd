import type { NodeOwner, NodeOwners, RegistryNode, RequestOptions } from '../../registry/index.js';

/**
 * Whether a node of settings may be gone by. `unknown`: nobody has asked whose it is since it was created. `foreign`:
 * others may write it, or have; the ACL says who.
 */
export type ConfigTrust =
  { readonly kind: 'own' } | { readonly kind: 'unknown' } | { readonly kind: 'foreign'; readonly acl: string };

const OWN: ConfigTrust = { kind: 'own' };

/**
 * Whose a node of a job's settings is. An ACL goes with the node, so it is asked once for each node that has the path.
 */
export class ConfigOwner {
  private latest: NodeOwner | undefined;
  private asking: Promise<void> | undefined;

  /** @param owners undefined: there is nobody else to whom a node could belong */
  constructor(
    private readonly owners: NodeOwners | undefined,
    private readonly path: string,
  ) {}

  /** @param read the node that has the path now; not asked where nobody else could own it */
  trustIn(read: () => RegistryNode | undefined): ConfigTrust {
    const node = this.owners && read();
    if (node === undefined) return OWN;
    if (this.latest?.czxid !== node.stat.czxid) return { kind: 'unknown' };
    return this.latest.others === undefined ? OWN : { kind: 'foreign', acl: this.latest.others };
  }

  /** Asks whose the node is that has the path now. */
  ask(options?: RequestOptions): Promise<void> {
    return (this.asking ??= this.askOnce(options).finally(() => (this.asking = undefined)));
  }

  private async askOnce(options?: RequestOptions): Promise<void> {
    this.latest = await this.owners?.ownerOf(this.path, options);
  }
}
