import type { NodeOwner, NodeOwners, RegistryNode, RequestOptions } from '../../registry/index.js';

/**
 * Trust in a node of settings. `unknown`: its owner was not asked since its creation. `foreign`: others may write it,
 * or have written it; the ACL names them.
 */
export type ConfigTrust =
  { readonly kind: 'own' } | { readonly kind: 'unknown' } | { readonly kind: 'foreign'; readonly acl: string };

const OWN: ConfigTrust = { kind: 'own' };

/**
 * Owner of a node of a job's settings. An ACL belongs to the node, so it is read once for each node that has the path.
 */
export class ConfigOwner {
  private latest: NodeOwner | undefined;
  private asking: Promise<void> | undefined;

  /** @param owners undefined if nodes have no owners */
  constructor(
    private readonly owners: NodeOwners | undefined,
    private readonly path: string,
  ) {}

  /** @param read returns the present node of the path; not called if nodes have no owners */
  trustIn(read: () => RegistryNode | undefined): ConfigTrust {
    const node = this.owners && read();
    if (node === undefined) return OWN;
    if (this.latest?.czxid !== node.stat.czxid) return { kind: 'unknown' };
    return this.latest.others === undefined ? OWN : { kind: 'foreign', acl: this.latest.others };
  }

  /** Asks for the owner of the present node of the path. */
  ask(options?: RequestOptions): Promise<void> {
    return (this.asking ??= this.askOnce(options).finally(() => (this.asking = undefined)));
  }

  private async askOnce(options?: RequestOptions): Promise<void> {
    this.latest = await this.owners?.ownerOf(this.path, options);
  }
}
