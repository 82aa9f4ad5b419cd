import { serverError } from '../refusal-error.js';
import type { NodeOwner } from '../registry-center.js';
import { UntrustedAclError } from '../registry.errors.js';
import {
  type AclId,
  admitsOthers,
  describeAcl,
  idsOfDigest,
  type Protocol,
  refusalOf,
  type Reply,
  type Request,
} from './wire/index.js';
import type { ResolvedZooKeeperOptions } from './zookeeper-options.js';

/** Sends a request that changes nothing. @param operation what is asked, for errors */
export type Ask = <T>(operation: string, request: Request<T>) => Promise<Reply<T>>;

/** An address names every user of a host: such an entry is nobody's own. */
const UNAUTHENTICATED = 'ip';

/**
 * Judges by ACLs whether nodes are this client's user's alone. Others may read them, and may neither write, create,
 * delete nor administer.
 *
 * ZooKeeper checks the right to create and to delete on the parent alone, and nobody can delete a node with children.
 * So the parents of the namespace are not judged, the root `/` among them, which is mostly open: who may create and
 * delete there can replace the namespace only while that is empty. A judgement of the namespace is therefore sound once
 * a node of this client stands in it. Below a node that was open once, others may have left nodes of their own.
 *
 * Own are the ids of the digest and of SASL, and those that the server says it knows the connection by, such as the
 * `x509` of a client certificate (before version 3.7 it cannot say). A server shows the hash of a digest only to those
 * who may administer the node: without that right a node cannot be judged, and counts as somebody else's.
 */
export class AclJudge {
  private own: readonly AclId[] | undefined;
  private hasWarned = false;

  /** @param warn told once if an open ACL is lived with */
  constructor(
    private readonly protocol: Protocol,
    private readonly options: Pick<ResolvedZooKeeperOptions, 'credentials' | 'allowOpenAcl'>,
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * Whose the node is, by the server's path; undefined if there is none. One request, and another one the first time.
   */
  async ownerOf(path: string, ask: Ask): Promise<NodeOwner | undefined> {
    const operation = `getAcl ${path}`;
    const [own, reply] = await Promise.all([this.ownIds(ask), ask(operation, this.protocol.getAcl(path))]);
    if (reply.kind === 'refused') {
      if (refusalOf(reply.code) === 'NO_NODE') return undefined;
      throw serverError(reply.code, operation, path);
    }
    const { entries, czxid } = reply.value;
    return { czxid, others: admitsOthers(entries, own) ? describeAcl(entries) : undefined };
  }

  /** @throws {UntrustedAclError} if others may change the node, or what is right below it; not with `allowOpenAcl` */
  async assertOwn(path: string, ask: Ask): Promise<void> {
    const others = (await this.ownerOf(path, ask))?.others;
    if (others === undefined) return;
    const error = new UntrustedAclError(path, others);
    if (!this.options.allowOpenAcl) throw error;
    if (!this.hasWarned)
      this.warn(`${error.finding} This is lived with, as allowOpenAcl says; of other nodes nothing is said.`);
    this.hasWarned = true;
  }

  private async ownIds(ask: Ask): Promise<readonly AclId[]> {
    if (this.own) return this.own;
    const reply = await ask('whoAmI', this.protocol.whoAmI());
    const told = reply.kind === 'ok' ? reply.value : [];
    const { digest, sasl } = this.options.credentials.reveal();
    this.own = [
      ...(digest === undefined ? [] : idsOfDigest(digest)),
      ...(sasl === undefined ? [] : [{ scheme: 'sasl', id: sasl.username }]),
      ...told.filter(({ scheme }) => scheme !== UNAUTHENTICATED),
    ];
    return this.own;
  }
}
