import type { Namespace } from '../namespace.js';
import type { NodeOwners } from '../registry-center.js';
import type { RequestOptions } from '../request-options.js';
import type { AclJudge, Ask } from './acl-judge.js';
import type { SessionRequests } from './session/index.js';

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
