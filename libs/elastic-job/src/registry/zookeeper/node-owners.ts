import type { NodeOwners, RequestOptions } from '../registry-center.js';
import type { AclJudge, Ask } from './acl-judge.js';
import type { ZooKeeperClient } from './zookeeper-client.js';

/** What the judge says of nodes below the client's namespace, asked over the session of the moment. */
export function nodeOwners(judge: AclJudge, client: ZooKeeperClient): NodeOwners {
  const asking =
    (options?: RequestOptions): Ask =>
    (operation, request) =>
      client.session.requestRead(operation, request, options);
  return {
    ownerOf: (path, options) => judge.ownerOf(client.absolute(path), asking(options)),
    assertOwn: (path, options) => judge.assertOwn(client.absolute(path), asking(options)),
  };
}
