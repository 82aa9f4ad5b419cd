import type { Namespace } from '../namespace.js';
import type { NodeOwner, NodeOwners, RequestOptions } from '../registry-center.js';
import { UntrustedAclError } from '../registry.errors.js';
import type { SessionRequests } from './session/index.js';
import {
  type AclId,
  admitsOthers,
  describeAcl,
  errorOf,
  idsOfDigest,
  type Protocol,
  refusalOf,
  type Reply,
  type Request,
} from './wire/index.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

/** Sends a request that changes nothing. @param operation the request, as an error names it */
export type Ask = <T>(operation: string, request: Request<T>) => Promise<Reply<T>>;

/** An `ip` entry names every user of a host, so it belongs to no single user. */
const UNAUTHENTICATED = 'ip';

/**
 * Judges by ACLs if nodes belong to this client's user alone. Others may read them, but not write, create, delete or
 * administer.
 *
 * ZooKeeper checks the right to create and delete on the parent alone, and a node with children cannot be deleted. So
 * the parents of the namespace are not judged. The root `/` is one of them, and mostly open: a user who may create and
 * delete there can replace the namespace only while it is empty. A judgement of the namespace is therefore sound once
 * it holds a node of this client. Below a node that was once open, others may have left nodes of their own.
 *
 * A user's own ids are those of the digest and of SASL, and those that the server reports for the connection, such as
 * the `x509` of a client certificate (servers before version 3.7 cannot report them). A server shows the hash of a
 * digest only to users who may administer the node. Without that right a node cannot be judged, and counts as another
 * user's.
 */
export class AclJudge {
  private own: readonly AclId[] | undefined;
  private hasWarned = false;

  /** @param warn called once, if an open ACL is accepted */
  constructor(
    private readonly protocol: Protocol,
    private readonly options: Pick<ResolvedZooKeeperOptions, 'credentials' | 'allowOpenAcl'>,
    private readonly warn: (message: string) => void,
  ) {}

  /** Judges the node at the server's path; undefined if there is none. One request, and one more the first time. */
  async ownerOf(path: string, ask: Ask): Promise<NodeOwner | undefined> {
    const operation = `getAcl ${path}`;
    const [own, reply] = await Promise.all([this.ownIds(ask), ask(operation, this.protocol.getAcl(path))]);
    if (reply.kind === 'refused') {
      if (refusalOf(reply.code) === 'NO_NODE') return undefined;
      throw errorOf(operation, path, reply.code);
    }
    const { entries, czxid } = reply.value;
    return { czxid, others: admitsOthers(entries, own) ? describeAcl(entries) : undefined };
  }

  /**
   * @throws {UntrustedAclError} if others may change the node, or create nodes right below it; not with `allowOpenAcl`
   */
  async assertOwn(path: string, ask: Ask): Promise<void> {
    const others = (await this.ownerOf(path, ask))?.others;
    if (others === undefined) return;
    const error = new UntrustedAclError(path, others);
    if (!this.options.allowOpenAcl) throw error;
    if (!this.hasWarned)
      this.warn(`${error.finding} It is accepted because of allowOpenAcl. Other such nodes are not reported.`);
    this.hasWarned = true;
  }

  private async ownIds(ask: Ask): Promise<readonly AclId[]> {
    if (this.own) return this.own;
    const reply = await ask('whoAmI', this.protocol.whoAmI());
    const acl = reply.kind === 'ok' ? reply.value : [];
    const { digest, sasl } = this.options.credentials.reveal();
    this.own = [
      ...(digest === undefined ? [] : idsOfDigest(digest)),
      ...(sasl === undefined ? [] : [{ scheme: 'sasl', id: sasl.username }]),
      ...acl.filter(({ scheme }) => scheme !== UNAUTHENTICATED),
    ];
    return this.own;
  }
}

/** The judge's answers for nodes below the namespace, asked over the current session. */
export function nodeOwners(judge: AclJudge, requests: SessionRequests, namespace: Namespace): NodeOwners {
  const asking =
    (options?: RequestOptions): Ask =>
    (operation, request) =>
      requests.askRead(operation, request, options);
  return {
    ownerOf: (path, options) => judge.ownerOf(namespace.absolute(path), asking(options)),
    assertOwn: (path, options) => judge.assertOwn(namespace.absolute(path), asking(options)),
  };
}
