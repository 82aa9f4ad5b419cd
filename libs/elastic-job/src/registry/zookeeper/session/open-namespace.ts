import type { Namespace } from '../../namespace.js';
import { refusalError, serverError } from '../../refusal-error.js';
import { AuthenticationError, UnsupportedServerError } from '../../registry.errors.js';
import {
  connectionBroke,
  type Link,
  type Protocol,
  refusalOf,
  type Reply,
  type Request,
  UNAUTHENTICATED,
  UNIMPLEMENTED,
} from '../wire/index.js';

/**
 * Checks that the server is recent enough, that the namespace exists and that this client may read it; creates the
 * namespace if it is missing.
 * @throws {UnsupportedServerError}
 * @throws {AuthenticationError}
 * @throws {NoAuthError} if it belongs to another digest
 * @throws {RegistryUnavailableError}
 */
export async function openNamespace(
  connection: Link,
  protocol: Protocol,
  namespace: Namespace,
  servers: string,
): Promise<void> {
  const read = await askLink(
    connection,
    `open ${namespace.root}`,
    protocol.multiRead([{ what: 'data', path: namespace.root }]),
  );
  // ZooKeeper has had reads of many nodes for as long as the watches that views need, so one check does for both.
  if (read.kind === 'refused')
    throw read.code === UNIMPLEMENTED ? new UnsupportedServerError(servers) : refused(read.code, namespace.root);
  const [root] = read.value;
  if (root?.kind !== 'refused') return;
  if (refusalOf(root.code) !== 'NO_NODE') throw refused(root.code, namespace.root);
  for (const level of levelsOf(namespace.root)) {
    const created = await askLink(connection, `open ${level}`, protocol.create(level, '', 'PERSISTENT'));
    if (created.kind === 'refused' && refusalOf(created.code) !== 'NODE_EXISTS') throw refused(created.code, level);
  }
}

/** @throws {RegistryUnavailableError} */
export async function askLink<T>(connection: Link, operation: string, request: Request<T>): Promise<Reply<T>> {
  const answer = await connection.ask(request);
  if (answer.kind !== 'dropped') return answer;
  throw connectionBroke(operation, answer);
}

function refused(code: number, path: string): Error {
  if (code === UNAUTHENTICATED)
    return new AuthenticationError('the servers ask for SASL or another kind of authentication');
  const refusal = refusalOf(code);
  return refusal ? refusalError(refusal, path) : serverError(code, `open ${path}`, path);
}

/** Levels of `/shop/orders`: `/shop`, `/shop/orders`. */
function levelsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1);
  return names.map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`);
}
